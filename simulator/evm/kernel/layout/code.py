"""A code record: one decoded code. Codes that belong to one coverage identity share `cells` and `id`."""

from __future__ import annotations

from simulator.evm.kernel.records import Flag, Int32s, Int64, Record, To, Word256


class Code(Record):
    hash = Word256()  # keccak-256
    instructions = Int64()  # address of the decoded instructions; offset 0 is never a block
    entry = Int64()  # address of the first block header
    bytes = Int64()
    bytes_size = Int64()
    decoded_size = Int64()  # bytes decoded as code; what follows are constructor arguments
    jumps = To(Int32s)  # for each byte of code: offset of the block that a jump there enters, or 0
    cells = Int64()
    id = Int64()  # index of the coverage identity
    kind = Int64()  # RUNTIME or CREATION
    delegate = Flag()  # the code is a delegation (EIP-7702) to delegate_address
    delegate_address = Word256()
    instructions_size = Int64()  # bytes from instructions to the end of the last instruction
    compiled = Int64()  # address of the function compiled for this code, or 0


RUNTIME = 0
CREATION = 1

"""A code record: one decoded code. Codes that belong to one coverage identity share CELLS and ID."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64

HASH = _fields.word()  # keccak-256
INSTRUCTIONS = _int64()  # address of the decoded instructions; offset 0 is never a block
ENTRY = _int64()  # address of the first block header
BYTES = _int64()
BYTES_SIZE = _int64()
DECODED_SIZE = _int64()  # bytes decoded as code; what follows are constructor arguments
JUMPS = _int64()  # int32 for each byte of code: offset of the block that a jump there enters, or 0
CELLS = _int64()
ID = _int64()  # index of the coverage identity
KIND = _int64()  # RUNTIME or CREATION
DELEGATE = _int64()  # 1: the code is a delegation (EIP-7702) to DELEGATE_ADDRESS
DELEGATE_ADDRESS = _fields.word()
INSTRUCTIONS_SIZE = _int64()  # bytes from INSTRUCTIONS to the end of the last instruction
COMPILED = _int64()  # address of the function compiled for this code, or 0
SIZE = _fields.size()

RUNTIME = 0
CREATION = 1

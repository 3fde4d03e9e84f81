"""Code records, found by the hash and kind of their code."""

from __future__ import annotations

from simulator.evm.kernel.exits import request_exit
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory.keccak import keccak
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.status import EXIT_UNKNOWN_CODE
from simulator.evm.kernel.words import Word, hash_word


@kernel
def find_code_index(machine: Context, digest: Word, kind: int) -> int:
    """Find the code's record in the index, or the free place for it."""
    mask = machine.code_index_mask
    table = machine.code_index
    index = hash_word(digest, kind) & mask
    while True:
        record = table[index]
        if not record:
            return index
        if record.hash == digest and record.kind == kind:
            return index
        index = (index + 1) & mask


@kernel
def code_for(machine: Context, address: int, size: int, kind: int, resume: int) -> Code:
    """The record of these bytes, decoded before; else 0, and the exit that asks the host to decode them is
    requested."""
    if size == 0:
        return machine.empty_code
    digest = keccak(address, size)
    record = machine.code_index[find_code_index(machine, digest, kind)]
    if not record:
        machine.exit_address = address
        machine.exit_size = size
        machine.exit_detail = kind
        machine.exit_hash = digest
        request_exit(machine, EXIT_UNKNOWN_CODE, resume)
    return record


@kernel
def find_code_command(machine: Context) -> int:
    """Command: the record of the code with the hash in `key` and the kind in `command_a`, or 0."""
    return pointer(machine.code_index[find_code_index(machine, machine.key, machine.command_a)])


@kernel
def add_code_command(machine: Context) -> int:
    """Command: enter the code record in `command_a`, which is not in the index yet."""
    record = Code(machine.command_a)
    machine.code_index[find_code_index(machine, record.hash, record.kind)] = record
    machine.codes_used += 1
    return 0

"""Code records, found by the hash and kind of their code."""

from __future__ import annotations

from simulator.evm.kernel.exits import request_exit
from simulator.evm.kernel.keccak import keccak
from simulator.evm.kernel.layout import code, context
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import EXIT_UNKNOWN_CODE
from simulator.evm.kernel.words import Word, hash_word


@kernel
def find_code_place(c: int, digest: Word, kind: int) -> int:
    """Address of the index cell that holds the code's record, or of the free one where it belongs."""
    mask = load_i64(c + context.CODE_INDEX_MASK)
    start = load_i64(c + context.CODE_INDEX)
    index = hash_word(digest, kind) & mask
    while True:
        place = start + index * 8
        record = load_i64(place)
        if record == 0:
            return place
        if load_word(record + code.HASH) == digest and load_i64(record + code.KIND) == kind:
            return place
        index = (index + 1) & mask


@kernel
def code_for(c: int, address: int, size: int, kind: int, resume: int) -> int:
    """The record of these bytes, decoded before; else 0, and the exit that asks the host to decode them is
    requested."""
    if size == 0:
        return load_i64(c + context.EMPTY_CODE)
    digest = keccak(address, size)
    record = load_i64(find_code_place(c, digest, kind))
    if record == 0:
        store_i64(c + context.EXIT_ADDRESS, address)
        store_i64(c + context.EXIT_SIZE, size)
        store_i64(c + context.EXIT_DETAIL, kind)
        store_word(c + context.EXIT_HASH, digest)
        request_exit(c, EXIT_UNKNOWN_CODE, resume)
    return record


@kernel
def find_code_command(c: int) -> int:
    """Command: the record of the code with the hash in KEY and the kind in COMMAND_A, or 0."""
    return load_i64(find_code_place(c, load_word(c + context.KEY), load_i64(c + context.COMMAND_A)))


@kernel
def add_code_command(c: int) -> int:
    """Command: enter the code record in COMMAND_A, which is not in the index yet."""
    record = load_i64(c + context.COMMAND_A)
    store_i64(find_code_place(c, load_word(record + code.HASH), load_i64(record + code.KIND)), record)
    store_i64(c + context.CODES_USED, load_i64(c + context.CODES_USED) + 1)
    return 0

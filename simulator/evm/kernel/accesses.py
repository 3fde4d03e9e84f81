"""The record of slots read and written and of accounts looked at, while the host's cheatcodes ask for one."""

from __future__ import annotations

from simulator.evm.kernel.accounts import is_empty
from simulator.evm.kernel.layout import access, account, context
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import Word


@kernel
def append_access(c: int, kind: int, key: Word, before: Word, after: Word) -> int:
    """Append a record and return its address; those beyond the limit are lost, 0 for them. Reverting frames take
    nothing back."""
    count = load_i64(c + context.ACCESSES_COUNT)
    if count >= load_i64(c + context.ACCESSES_LIMIT):
        return 0
    record = load_i64(c + context.ACCESSES) + count * access.SIZE
    store_i64(record + access.ACCOUNT, load_i64(c + context.ACCOUNT))
    store_i64(record + access.KIND, kind)
    store_word(record + access.KEY, key)
    store_word(record + access.BEFORE, before)
    store_word(record + access.AFTER, after)
    store_i64(c + context.ACCESSES_COUNT, count + 1)
    return record


@kernel
def append_look(c: int, opcode: int, other: int, received: Word) -> int:
    """Append that an instruction looked at an account, which gets some wei by it."""
    balance = load_word(other + account.BALANCE)
    record = append_access(c, opcode, load_word(other + account.ADDRESS), balance, balance + received)
    if record:
        store_i64(record + access.NONCE, load_i64(other + account.NONCE))
        store_i64(record + access.IS_PRESENT, 0 if is_empty(c, other) else 1)
    return 0

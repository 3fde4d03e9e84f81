"""The record of slots read and written, while the host's cheatcodes ask for one."""

from __future__ import annotations

from simulator.evm.kernel.layout import access, context
from simulator.evm.kernel.memory_access import load_i64, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import Word


@kernel
def append_access(c: int, key: Word, is_write: int) -> int:
    """Append a record; those beyond the limit are lost. Reverting frames take nothing back."""
    count = load_i64(c + context.ACCESSES_COUNT)
    if count >= load_i64(c + context.ACCESSES_LIMIT):
        return 0
    record = load_i64(c + context.ACCESSES) + count * access.SIZE
    store_i64(record + access.ACCOUNT, load_i64(c + context.ACCOUNT))
    store_i64(record + access.IS_WRITE, is_write)
    store_word(record + access.KEY, key)
    store_i64(c + context.ACCESSES_COUNT, count + 1)
    return 0

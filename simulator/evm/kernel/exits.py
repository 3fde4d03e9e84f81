"""Leaving to the host in the middle of a transaction."""

from __future__ import annotations

from simulator.evm.kernel.layout import context
from simulator.evm.kernel.memory_access import load_i64, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import EXIT, EXIT_ARENA_FULL, RESUME_INSTRUCTION
from simulator.evm.kernel.words import Word

MISSING_ACCOUNT = 1
MISSING_SLOT = 2


@kernel
def request_exit(c: int, reason: int, resume: int) -> int:
    """Say why the host is needed and how `run` goes on afterwards. Returns EXIT."""
    store_i64(c + context.EXIT_REASON, reason)
    store_i64(c + context.RESUME, resume)
    return EXIT


@kernel
def is_traced(c: int) -> bool:
    """Whether the host wants to see every frame begin and end: for a trace, or for cheatcodes."""
    return (load_i64(c + context.TRACING) | load_i64(c + context.WATCHING)) != 0


@kernel
def arena_full(c: int, arena: int) -> int:
    """Ask for a larger arena; the instruction, which has changed nothing, runs again. Returns EXIT."""
    store_i64(c + context.EXIT_DETAIL, arena)
    return request_exit(c, EXIT_ARENA_FULL, RESUME_INSTRUCTION)


@kernel
def note_missing(c: int, kind: int, owner: int, key: Word) -> int:
    """Say what there is no record of: with a forked chain, the host fetches it when the full arena that the missing
    record stands for is reported. Returns 0, as the functions that look for records do without room."""
    store_i64(c + context.MISSING_KIND, kind)
    store_i64(c + context.MISSING_OWNER, owner)
    store_word(c + context.MISSING, key)
    return 0

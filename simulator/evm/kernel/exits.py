"""Leaving to the host in the middle of a transaction."""

from __future__ import annotations

from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import EXIT, EXIT_ARENA_FULL, RESUME_INSTRUCTION
from simulator.evm.kernel.words import Word

MISSING_ACCOUNT = 1
MISSING_SLOT = 2


@kernel
def request_exit(machine: Context, reason: int, resume: int) -> int:
    """Say why the host is needed and how `run` continues afterwards. Returns EXIT."""
    machine.exit_reason = reason
    machine.resume = resume
    return EXIT


@kernel
def is_traced(machine: Context) -> bool:
    """Return whether the host wants to see every frame begin and end: for a trace, or for cheatcodes."""
    return machine.tracing or machine.watching


@kernel
def is_end_traced(machine: Context, decides: bool) -> bool:
    """Return whether the host wants to see this frame end. Where effects of cheatcodes outlive reverts, it is asked
    about those that decide what stays: frames that fail, and the transaction's own."""
    return is_traced(machine) or (decides and machine.followed_epoch == machine.epoch)


@kernel
def arena_full(machine: Context, arena: int) -> int:
    """Ask for a larger arena; the instruction, which has changed nothing, runs again. Returns EXIT."""
    machine.exit_detail = arena
    return request_exit(machine, EXIT_ARENA_FULL, RESUME_INSTRUCTION)


@kernel
def note_missing(machine: Context, kind: int, owner: int, key: Word) -> int:
    """Say what there is no record of: with a forked chain, the host fetches it when the full arena that the missing
    record stands for is reported. Returns 0, as the functions that look for records do without room."""
    machine.missing_kind = kind
    machine.missing_owner = owner
    machine.missing = key
    return 0

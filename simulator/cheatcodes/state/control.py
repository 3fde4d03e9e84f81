"""Cheatcodes that steer the run rather than the chain: `assume`, `skip`, `breakpoint`."""

from __future__ import annotations

from simulator.cheatcodes.core.errors import CheatcodeError, RejectedError, SkippedError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session

PRESENT = 1_767_225_600_000
"""2026 began, in milliseconds of Unix time."""


@cheatcode("assume(bool)")
def assume(_vm: Session, condition: bool) -> None:
    if not condition:
        raise RejectedError


@cheatcode("skip(bool)")
def skip(vm: Session, condition: bool, reason: str = "") -> None:
    """The transaction proves nothing, like a rejected `assume`. Only the function that it calls may ask for that."""
    if not condition:
        return
    if vm.caller_depth > 0:
        raise CheatcodeError("vm.skip: `skip` can only be used at test level")
    raise SkippedError(reason)


@cheatcode("skip(bool,string)")
def skip_with_reason(vm: Session, condition: bool, reason: str) -> None:
    skip(vm, condition, reason)


@cheatcode(
    "allowCheatcodes(address)",
    "pauseTracing()",
    "resumeTracing()",
    "sleep(uint256)",
)
def without_effect(_vm: Session, *_arguments: object) -> None:
    """Every contract may use cheatcodes, traces are always whole, and nobody waits."""


@cheatcode("breakpoint(string)", "breakpoint(string,bool)")
def set_breakpoint(_vm: Session, name: str, _is_set: bool = True) -> None:
    """There is no debugger to stop in; only the name is checked."""
    if len(name.encode()) != 1:
        raise CheatcodeError("vm.breakpoint: breakpoints must be exactly one character")
    if not name.isalpha():
        raise CheatcodeError("vm.breakpoint: only alphabetic characters are accepted as breakpoints")


@cheatcode("unixTime()")
def unix_time(vm: Session) -> int:
    """Milliseconds of the block's time, so that a reproducer replays, or of a day when contracts were tested."""
    return min(max(1000 * vm.machine.timestamp, PRESENT), (1 << 256) - 1)


@cheatcode("isContext(uint8)")
def is_context(_vm: Session, wanted: int) -> bool:
    """A campaign is a test: TestGroup is 0, Test is 1."""
    return wanted in (0, 1)

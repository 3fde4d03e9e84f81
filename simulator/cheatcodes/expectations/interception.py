"""`interceptInitcode`: the next creation fails, and what it would have run comes back in its place."""

from __future__ import annotations

from simulator.cheatcodes.core.frames import EndedFrame, EnteredFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.evm.results import HostAnswer


@cheatcode("interceptInitcode()")
def intercept(vm: Session) -> None:
    vm.change(intercepts=True)


def answer_intercepted(vm: Session, entered: EnteredFrame) -> HostAnswer | None:
    """The revert of a creation that is intercepted, with its code and arguments."""
    if not vm.state.intercepts or not entered.is_creation:
        return None
    machine = entered.machine
    return HostAnswer(machine.code_store.data_of(machine.context.code), reverted=True)


def end_interception(vm: Session, ended: EndedFrame) -> None:
    """The creation has failed; the ones behind it do not. Within its frame this would be undone."""
    if vm.state.intercepts and ended.is_creation:
        vm.change(intercepts=False)

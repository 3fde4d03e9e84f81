"""`assumeNoRevert`: a revert of the next call makes the transaction one of no interest."""

from __future__ import annotations

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.frames import EndedFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import AssumedSuccess, PossibleRevert
from simulator.evm.kernel.status import REJECTED_BY_ASSUME

REJECTED_OUTPUT = b"FOUNDRY::ASSUME"
Potential = tuple[int, bool, bytes]


def settle_assumption(vm: Session, assumed: AssumedSuccess, ended: EndedFrame) -> None:
    """A call of the frame that assumes has ended. A revert turns into one that rejects, if it comes through."""
    reverter = vm.reverters.pop(assumed.id, ended.target_address)
    vm.change(assumed_success=None)
    if not ended.reverted:
        return
    if not assumed.reverts or any(_is(each, ended.output, reverter) for each in assumed.reverts):
        vm.machine.context.rejected = REJECTED_BY_ASSUME
        ended.make_reverted(REJECTED_OUTPUT)


def _is(possible: PossibleRevert, output: bytes, reverter: int) -> bool:
    if possible.reverter not in (0, reverter):
        return False
    return output.startswith(possible.data) if possible.partial else output == possible.data


def _assume(vm: Session, reverts: tuple[Potential, ...] = ()) -> None:
    if vm.rules.effects_outlive_reverts and vm.state.assumed_success is not None:
        raise CheatcodeError("you must make another external call prior to calling assumeNoRevert again")
    possible = tuple(PossibleRevert(reverter, partial, data) for reverter, partial, data in reverts)
    vm.change(assumed_success=AssumedSuccess(vm.next_id(), vm.caller_depth, possible))


@cheatcode("assumeNoRevert()")
def assume_no_revert(vm: Session) -> None:
    _assume(vm)


@cheatcode("assumeNoRevert((address,bool,bytes))")
def assume_not_this_revert(vm: Session, revert: Potential) -> None:
    _assume(vm, (revert,))


@cheatcode("assumeNoRevert((address,bool,bytes)[])")
def assume_none_of_these_reverts(vm: Session, reverts: tuple[Potential, ...]) -> None:
    _assume(vm, reverts)

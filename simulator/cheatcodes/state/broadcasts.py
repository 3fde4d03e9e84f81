"""`broadcast` and its family: deployment scripts run without sending anything anywhere.

A broadcast is a prank whose calls come from their sender as origin too. Where the rules say so, each is a transaction
of its own that takes a nonce, and pranks and broadcasts are not to be mixed.
"""

from __future__ import annotations

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.frames import EnteredFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import Broadcast
from simulator.cheatcodes.state.pranks import active_prank, begin_prank, end_prank, prank_from_here
from simulator.cheatcodes.values.keys import wallet_of
from simulator.evm.kernel.layout import prank


def count_broadcast(vm: Session, entered: EnteredFrame) -> None:
    """Take a nonce for a call that is broadcast. Creations take one by themselves."""
    state, context = vm.state.broadcast, vm.machine.context
    if state is None or context.depth != state.depth or context.caller != state.sender:
        return
    if not entered.is_creation and not context.static:
        vm.machine.set_nonce(state.sender, vm.machine.get_nonce(state.sender) + 1)
    if state.once:
        vm.change(broadcast=None)


def _begin(vm: Session, sender: int, *, once: bool) -> None:
    are_transactions = vm.rules.broadcasts_are_transactions
    if are_transactions and vm.state.broadcast is not None:
        raise CheatcodeError("a broadcast is active already")
    if are_transactions and prank_from_here(vm) is not None:
        raise CheatcodeError("you have an active prank; broadcasting and pranks are not compatible")
    flags = prank.WITH_ORIGIN | (prank.ONCE if once else 0)
    if are_transactions:
        flags |= prank.THROUGH_FACTORY
    begin_prank(vm, active_prank(vm), sender, flags, sender)
    if are_transactions:
        vm.change(broadcast=Broadcast(vm.caller_depth + 1, sender, once))


@cheatcode("broadcast()")
def broadcast(vm: Session) -> None:
    _begin(vm, vm.machine.context.origin, once=True)


@cheatcode("broadcast(address)")
def broadcast_by(vm: Session, sender: int) -> None:
    _begin(vm, sender, once=True)


@cheatcode("broadcast(uint256)")
def broadcast_by_key(vm: Session, key: int) -> None:
    _begin(vm, wallet_of(key)[0], once=True)


@cheatcode("startBroadcast()")
def start_broadcast(vm: Session) -> None:
    _begin(vm, vm.machine.context.origin, once=False)


@cheatcode("startBroadcast(address)")
def start_broadcast_by(vm: Session, sender: int) -> None:
    _begin(vm, sender, once=False)


@cheatcode("startBroadcast(uint256)")
def start_broadcast_by_key(vm: Session, key: int) -> None:
    _begin(vm, wallet_of(key)[0], once=False)


@cheatcode("stopBroadcast()")
def stop_broadcast(vm: Session) -> None:
    """Of the frame that began it; in forge of any."""
    are_transactions = vm.rules.broadcasts_are_transactions
    if are_transactions and vm.state.broadcast is None:
        raise CheatcodeError("vm.stopBroadcast: no broadcast in progress to stop")
    record = active_prank(vm)
    if record:
        end_prank(vm, record)
    if are_transactions:
        vm.change(broadcast=None)

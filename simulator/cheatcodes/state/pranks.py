"""`prank` and its family: calls and creations in another account's name.

The kernel applies pranks (`simulator/evm/kernel/calls/pranks.py`); this writes the records it reads. A prank belongs
to the frame that asked for it: calls deeper down are not changed. It lasts until it is used up or stopped, or its
transaction ends; where the rules say so, later transactions of the same contract see it too. It is undone with the
frame or the sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import PRANK as PRANK_EFFECT
from simulator.cheatcodes.core.session import Session
from simulator.evm.host_memory import as_word
from simulator.evm.kernel.layout import prank
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import MAX_PRANKS, Context
from simulator.evm.kernel.layout.prank import Prank
from simulator.evm.kernel.records import pointer

# CallerMode of the interface.
NO_CALLER, BROADCAST, RECURRENT_BROADCAST, PRANK, RECURRENT_PRANK = range(5)


def _records(vm: Session) -> Iterator[Prank]:
    context = vm.machine.context
    return (context.pranks[index] for index in range(context.prank_count))


def _is_over(vm: Session, record: Prank) -> bool:
    """Return whether the record is free, or its prank has ended with an earlier transaction."""
    context = vm.machine.context
    return record.depth == 0 or bool(context.ends_pranks and record.epoch != context.epoch)


def active_prank(vm: Session) -> Prank | None:
    """The prank on the calls of the frame that called the cheatcode, if any."""
    depth, caller = vm.caller_depth + 1, vm.caller
    for record in _records(vm):
        if depth and record.depth == depth and record.caller == caller and not _is_over(vm, record):
            return record
    return None


def prank_from_here(vm: Session) -> Prank | None:
    """The innermost prank of the calling frame or of those below it, whichever contract began it."""
    depth = vm.caller_depth + 1
    found = (record for record in _records(vm) if not _is_over(vm, record) and record.depth <= depth)
    return max(found, key=lambda record: record.depth, default=None)


def _check_replaced(vm: Session, flags: int) -> Prank | None:
    """The prank at the depth of the calling frame, which a new one replaces. Raises `CheatcodeError` for one in the
    way."""
    record = prank_from_here(vm)
    if record is None:
        return None
    if not record.flags & prank.USED:
        raise CheatcodeError("vm.prank: cannot overwrite a prank until it is applied at least once")
    if flags & prank.ONCE != record.flags & prank.ONCE:
        raise CheatcodeError(
            "vm.prank: cannot override an ongoing prank with a single vm.prank; use vm.startPrank to override it"
        )
    return record if record.depth == vm.caller_depth + 1 else None


def _check_delegation(vm: Session, sender: int, flags: int) -> None:
    if flags & prank.WITH_DELEGATECALL and not vm.machine.get_code(sender):
        raise CheatcodeError("vm.prank: cannot `prank` delegate call from an EOA")


def end_prank(vm: Session, record: Prank) -> None:
    def end() -> None:
        vm.machine.note(record.cell)
        record.depth = 0

    vm.lasting((PRANK_EFFECT, pointer(record)), end)


def payer_for(vm: Session) -> Account:
    """The account in whose name the calling frame creates; a prank for one call is used up."""
    record = active_prank(vm)
    if record is None:
        return vm.frame.account
    if record.flags & prank.ONCE:
        end_prank(vm, record)
    return record.payer


def _free_record(vm: Session) -> Prank:
    for record in _records(vm):
        if _is_over(vm, record):
            return record
    count = vm.machine.context.prank_count
    if count >= MAX_PRANKS:
        raise CheatcodeError(f"more than {MAX_PRANKS} contracts have pranks at the same time")
    vm.set_cell(Context.prank_count, count + 1)
    return vm.machine.context.pranks[count]


def _begin(vm: Session, sender: int, flags: int, origin: int = 0) -> None:
    """A prank of the frame takes the place of an earlier one, unless the rules are strict."""
    if vm.rules.pranks_are_strict:
        _check_delegation(vm, sender, flags)
        record = _check_replaced(vm, flags)
    else:
        record = active_prank(vm)
    if vm.state.broadcast is not None:
        raise CheatcodeError(
            "vm.prank: cannot `prank` for a broadcasted transaction;"
            " pass the desired `tx.origin` into the `broadcast` cheatcode call"
        )
    begin_prank(vm, record, sender, flags, origin)


def begin_prank(vm: Session, replaced: Prank | None, sender: int, flags: int, origin: int = 0) -> None:
    """A prank on the calls of the calling frame, in the place of another one or beside those there are."""
    record, epoch = replaced or _free_record(vm), vm.machine.context.epoch
    payer, caller, depth = vm.machine.accounts.record(sender), vm.caller, vm.caller_depth + 1
    record.spent, count = False, vm.machine.context.prank_count

    def begin() -> None:
        """Also once more after a revert, unless the call has come that uses it up."""
        if record.spent:
            return
        # A revert has taken back that there is one more record.
        if vm.machine.context.prank_count < count:
            vm.set_cell(Context.prank_count, count)
        for cell in (record.cell, record.caller_cell, record.origin_cell):
            vm.machine.note(cell)
        record.flags = flags
        record.epoch = epoch
        record.payer = payer
        record.caller = as_word(caller)
        record.origin = as_word(origin)
        record.depth = depth

    vm.lasting((PRANK_EFFECT, pointer(record)), begin)


@cheatcode("prank(address)")
def prank_once(vm: Session, sender: int) -> None:
    _begin(vm, sender, prank.ONCE)


@cheatcode("prank(address,bool)")
def prank_once_delegated(vm: Session, sender: int, delegated: bool) -> None:
    _begin(vm, sender, prank.ONCE | (prank.WITH_DELEGATECALL if delegated else 0))


@cheatcode("prank(address,address)")
def prank_once_with_origin(vm: Session, sender: int, origin: int) -> None:
    _begin(vm, sender, prank.ONCE | prank.WITH_ORIGIN, origin)


@cheatcode("prank(address,address,bool)")
def prank_once_with_all(vm: Session, sender: int, origin: int, delegated: bool) -> None:
    _begin(vm, sender, prank.ONCE | prank.WITH_ORIGIN | (prank.WITH_DELEGATECALL if delegated else 0), origin)


@cheatcode("startPrank(address)")
def start_prank(vm: Session, sender: int) -> None:
    _begin(vm, sender, 0)


@cheatcode("startPrank(address,bool)")
def start_prank_delegated(vm: Session, sender: int, delegated: bool) -> None:
    _begin(vm, sender, prank.WITH_DELEGATECALL if delegated else 0)


@cheatcode("startPrank(address,address)")
def start_prank_with_origin(vm: Session, sender: int, origin: int) -> None:
    _begin(vm, sender, prank.WITH_ORIGIN, origin)


@cheatcode("startPrank(address,address,bool)")
def start_prank_with_all(vm: Session, sender: int, origin: int, delegated: bool) -> None:
    _begin(vm, sender, prank.WITH_ORIGIN | (prank.WITH_DELEGATECALL if delegated else 0), origin)


@cheatcode("stopPrank()")
def stop_prank(vm: Session) -> None:
    record = active_prank(vm)
    if record and vm.state.broadcast is None:
        end_prank(vm, record)


@cheatcode("prankHere(address)")
def prank_here(vm: Session, sender: int) -> None:
    """medusa's: the caller of the frame itself, until that frame ends."""
    if vm.caller_depth >= 0:
        vm.frame.caller = as_word(sender)


@cheatcode("readCallers()")
def read_callers(vm: Session) -> tuple[int, int, int]:
    """Return the sender and the origin that a prank gives to the next call; without one, the transaction's origin
    twice."""
    origin = vm.machine.context.origin
    record = active_prank(vm)
    if not record:
        return NO_CALLER, origin, origin
    flags = record.flags
    sender = record.payer.address
    changed = record.origin if flags & prank.WITH_ORIGIN else origin
    once, recurrent = (PRANK, RECURRENT_PRANK) if vm.state.broadcast is None else (BROADCAST, RECURRENT_BROADCAST)
    return once if flags & prank.ONCE else recurrent, sender, changed

"""Calls and creations in another account's name, as the host's cheatcodes ask for them."""

from __future__ import annotations

from simulator.evm.kernel.calls.frames import set_account
from simulator.evm.kernel.feedback.reads import EVERYTHING
from simulator.evm.kernel.layout import prank
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.prank import Prank
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.state.journal import note_write


@kernel
def find_prank(machine: Context) -> Prank:
    """The prank on calls of the running frame, or 0."""
    depth = machine.depth + 1
    caller = machine.address
    for index in range(machine.prank_count):
        record = machine.pranks[index]
        if record.depth == depth and record.caller == caller:
            if machine.ends_pranks and record.epoch != machine.epoch:
                continue
            return record
    return Prank(0)


@kernel
def find_delegate_prank(machine: Context) -> Prank:
    """The prank on DELEGATECALLs of the running frame, or 0."""
    record = find_prank(machine)
    if record and record.flags & prank.WITH_DELEGATECALL:
        return record
    return Prank(0)


@kernel
def payer_of(machine: Context, record: Prank) -> Account:
    """Account record of the account that calls or creates: the prank's, or the running frame's when there is none."""
    return record.payer if record else machine.account


@kernel
def maker_of(machine: Context, record: Prank, is_salted: bool) -> Account:
    """Account record of the account that a creation takes for its creator."""
    if is_salted and record and record.flags & prank.THROUGH_FACTORY and machine.factory:
        return machine.factory
    return payer_of(machine, record)


@kernel
def use_prank(machine: Context, record: Prank) -> None:
    """The call happens, its frame is not yet pushed: a prank for one call ends."""
    if record.flags & prank.ONCE:
        record.spent = True
        end_prank(machine, record)
    elif not record.flags & prank.USED:
        note_write(machine, record.cell, EVERYTHING)
        record.flags |= prank.USED


@kernel
def end_prank(machine: Context, record: Prank) -> None:
    note_write(machine, record.cell, EVERYTHING)
    record.depth = 0


@kernel
def pass_prank(machine: Context, is_applied: bool) -> None:
    """Note a call that cannot show a prank: a prank for a single call ends all the same."""
    record = find_prank(machine)
    if record and (is_applied or record.flags & prank.ONCE):
        use_prank(machine, record)


@kernel
def enter_prank(machine: Context, record: Prank, is_delegated: bool) -> None:
    """CALLER and ORIGIN of the pushed frame; a delegated call runs as the prank's account altogether."""
    payer = record.payer
    machine.caller = payer.address
    if record.flags & prank.WITH_ORIGIN:
        machine.origin = record.origin
    if is_delegated:
        machine.address = payer.address
        set_account(machine, payer)

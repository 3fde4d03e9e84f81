"""SELFDESTRUCT, at once and at the end of the transaction."""

from __future__ import annotations

from simulator.evm.kernel.calls.calls import GAS_NEW_ACCOUNT, is_new
from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.feedback.reads import mark_balance
from simulator.evm.kernel.layout import access
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.state.accesses import append_look
from simulator.evm.kernel.state.accounts import (
    address_of,
    clear_account,
    find_account,
    is_cold,
    move_value,
    set_balance,
    touch_account,
    warm_account,
)
from simulator.evm.kernel.state.journal import has_room, note_write
from simulator.evm.kernel.status import ARENA_ACCOUNTS, ARENA_DESTROYED, ARENA_JOURNAL, OUT_OF_GAS, STATIC_VIOLATION
from simulator.evm.kernel.words import Word, is_zero, word


@kernel
def destruction_cost(machine: Context, record: Account, target: Account) -> int:
    """Dynamic price: a cold beneficiary (EIP-2929), and one that the balance brings to life (EIP-150, EIP-161)."""
    cost = machine.gas_selfdestruct_cold if is_cold(machine, target) else 0
    if not machine.keeps_64th:
        return cost
    matters = not machine.removes_empty or not is_zero(record.balance)
    if matters and is_new(machine, target):
        cost += GAS_NEW_ACCOUNT
    return cost


@kernel
def mark_destroyed(machine: Context, record: Account) -> None:
    """Let the account vanish at the end of the transaction."""
    epoch = machine.epoch
    if record.destroyed_epoch == epoch:
        return
    note_write(machine, record.transaction_cell, 0)
    record.destroyed_epoch = epoch
    machine.refund += machine.refund_selfdestruct
    count = machine.destroyed_count
    machine.destroyed[count] = record
    machine.destroyed_count = count + 1


@kernel
def destroy(machine: Context, beneficiary: Word, gas: int) -> int:
    """SELFDESTRUCT. Returns the gas left, or -status; after -EXIT nothing has changed."""
    if machine.static:
        return -STATIC_VIOLATION
    record = machine.account
    target = find_account(machine, address_of(beneficiary))
    if not target:
        return -arena_full(machine, ARENA_ACCOUNTS)
    if not has_room(machine):
        return -arena_full(machine, ARENA_JOURNAL)
    if machine.destroyed_count >= machine.destroyed_limit:
        return -arena_full(machine, ARENA_DESTROYED)
    mark_balance(machine, record)
    gas -= destruction_cost(machine, record, target)
    if gas < 0:
        return -OUT_OF_GAS
    if machine.recording:
        append_look(machine, access.SELFDESTRUCT, target, record.balance)
    warm_account(machine, target)
    touch_account(machine, target)
    doomed = not machine.destroy_new_only
    if record.created_epoch == machine.epoch:
        doomed = True
    balance = record.balance
    if target != record:
        move_value(machine, record, target, balance)
    elif doomed and not is_zero(balance):
        set_balance(machine, record, word(0))
    if doomed:
        mark_destroyed(machine, record)
    return gas


@kernel
def remove_destroyed(machine: Context) -> None:
    """End of a transaction: remove the accounts that were destroyed in frames that stood."""
    epoch = machine.epoch
    for index in range(machine.destroyed_count):
        record = machine.destroyed[index]
        if record.destroyed_epoch == epoch:
            clear_account(machine, record)
            record.destroyed_epoch = 0
    machine.destroyed_count = 0

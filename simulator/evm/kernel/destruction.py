"""SELFDESTRUCT, at once and at the end of the transaction."""

from __future__ import annotations

from simulator.evm.kernel.accesses import append_look
from simulator.evm.kernel.accounts import (
    address_of,
    clear_account,
    find_account,
    is_cold,
    move_value,
    set_balance,
    touch_account,
    warm_account,
)
from simulator.evm.kernel.calls import GAS_NEW_ACCOUNT, is_new
from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.journal import has_room, note_write
from simulator.evm.kernel.layout import access, account, context
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.reads import mark_balance
from simulator.evm.kernel.status import ARENA_ACCOUNTS, ARENA_DESTROYED, ARENA_JOURNAL, OUT_OF_GAS, STATIC_VIOLATION
from simulator.evm.kernel.words import Word, is_zero, word


@kernel
def destruction_cost(c: int, record: int, target: int) -> int:
    """Dynamic price: a cold beneficiary (EIP-2929), and one that the balance brings to life (EIP-150, EIP-161)."""
    cost = load_i64(c + context.GAS_SELFDESTRUCT_COLD) if is_cold(c, target) else 0
    if not load_i64(c + context.KEEPS_64TH):
        return cost
    matters = load_i64(c + context.REMOVES_EMPTY) == 0 or not is_zero(load_word(record + account.BALANCE))
    if matters and is_new(c, target):
        cost += GAS_NEW_ACCOUNT
    return cost


@kernel
def mark_destroyed(c: int, record: int) -> int:
    """Let the account vanish at the end of the transaction."""
    epoch = load_i64(c + context.EPOCH)
    if load_i64(record + account.DESTROYED_EPOCH) == epoch:
        return 0
    note_write(c, record + account.TRANSACTION_CELL, 0)
    store_i64(record + account.DESTROYED_EPOCH, epoch)
    store_i64(c + context.REFUND, load_i64(c + context.REFUND) + load_i64(c + context.REFUND_SELFDESTRUCT))
    count = load_i64(c + context.DESTROYED_COUNT)
    store_i64(load_i64(c + context.DESTROYED) + 8 * count, record)
    store_i64(c + context.DESTROYED_COUNT, count + 1)
    return 0


@kernel
def destroy(c: int, beneficiary: Word, gas: int) -> int:
    """SELFDESTRUCT. Returns the gas left, or -status; after -EXIT nothing has changed."""
    if load_i64(c + context.STATIC):
        return -STATIC_VIOLATION
    record = load_i64(c + context.ACCOUNT)
    target = find_account(c, address_of(beneficiary))
    if target == 0:
        return -arena_full(c, ARENA_ACCOUNTS)
    if not has_room(c):
        return -arena_full(c, ARENA_JOURNAL)
    if load_i64(c + context.DESTROYED_COUNT) >= load_i64(c + context.DESTROYED_LIMIT):
        return -arena_full(c, ARENA_DESTROYED)
    mark_balance(c, record)
    gas -= destruction_cost(c, record, target)
    if gas < 0:
        return -OUT_OF_GAS
    if load_i64(c + context.RECORDING):
        append_look(c, access.SELFDESTRUCT, target, load_word(record + account.BALANCE))
    warm_account(c, target)
    touch_account(c, target)
    doomed = not load_i64(c + context.DESTROY_NEW_ONLY)
    if load_i64(record + account.CREATED_EPOCH) == load_i64(c + context.EPOCH):
        doomed = True
    balance = load_word(record + account.BALANCE)
    if target != record:
        move_value(c, record, target, balance)
    elif doomed and not is_zero(balance):
        set_balance(c, record, word(0))
    if doomed:
        mark_destroyed(c, record)
    return gas


@kernel
def remove_destroyed(c: int) -> int:
    """End of a transaction: remove the accounts that were destroyed in frames that stood."""
    epoch = load_i64(c + context.EPOCH)
    for index in range(load_i64(c + context.DESTROYED_COUNT)):
        record = load_i64(load_i64(c + context.DESTROYED) + 8 * index)
        if load_i64(record + account.DESTROYED_EPOCH) == epoch:
            clear_account(c, record)
            store_i64(record + account.DESTROYED_EPOCH, 0)
    store_i64(c + context.DESTROYED_COUNT, 0)
    return 0

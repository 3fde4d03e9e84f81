"""The beginning and the end of a transaction. Everything that lasts one transaction is cleared by a new epoch."""

from __future__ import annotations

from simulator.evm.kernel.accounts import find_account, mint_value, move_value, touch_account, warm_account
from simulator.evm.kernel.calls import CALL, ORDINARY, code_of
from simulator.evm.kernel.codes import code_for
from simulator.evm.kernel.create import begin_creation, collides
from simulator.evm.kernel.destruction import remove_destroyed
from simulator.evm.kernel.exits import arena_full, is_traced
from simulator.evm.kernel.frames import (
    mark_frame,
    set_account,
    set_calldata,
    set_code_position,
    set_depth,
    set_returndata_size,
)
from simulator.evm.kernel.journal import has_room
from simulator.evm.kernel.layout import account, code, context
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import (
    ARENA_ACCOUNTS,
    ARENA_JOURNAL,
    CREATE_COLLISION,
    EXIT,
    NEXT_BLOCK,
    RESUME_BEGIN,
    RESUME_BLOCK,
    RESUME_HOST,
    RESUME_LEAVE,
    RESUME_TRACE,
)


@kernel
def clear_transaction_state(c: int) -> int:
    """A new epoch: nothing is warm, logged, refunded, transient or returned."""
    store_i64(c + context.EPOCH, load_i64(c + context.EPOCH) + 1)
    store_i64(c + context.LOGS_TOP, load_i64(c + context.LOGS))
    store_i64(c + context.REFUND, 0)
    store_i64(c + context.WATCHED_EVENT, 0)
    store_i64(c + context.VOLATILE_READ, 0)
    store_i64(c + context.REJECTED, 0)
    store_i64(c + context.DESTROYED_COUNT, 0)
    store_i64(c + context.STATIC, 0)
    store_i64(c + context.CELL, 0)
    return 0


@kernel
def place_first_frame(c: int) -> int:
    """Stack, memory, gas and environment of the transaction's own frame."""
    stack = load_i64(c + context.STACK_START)
    store_i64(c + context.SP, stack)
    store_i64(c + context.STACK, stack)
    store_i64(c + context.MEMORY, load_i64(c + context.MEMORY_START))
    store_i64(c + context.MEMORY_SIZE, 0)
    store_i64(c + context.GAS, load_i64(c + context.TX_GAS))
    store_i64(c + context.FRAME, load_i64(c + context.FRAMES))
    store_word(c + context.ORIGIN, load_word(c + context.TX_SENDER))
    store_word(c + context.CALLER, load_word(c + context.TX_SENDER))
    store_word(c + context.CALLVALUE, load_word(c + context.TX_VALUE))
    set_depth(c, 0)
    set_returndata_size(c, 0)
    return 0


@kernel
def pay_value(c: int, sender: int, target: int) -> int:
    """Move the transaction's value, or mint it."""
    if load_i64(c + context.TX_MINT):
        return mint_value(c, target, load_word(c + context.TX_VALUE))
    return move_value(c, sender, target, load_word(c + context.TX_VALUE))


@kernel
def warm_transaction(c: int, sender: int, target: int) -> int:
    """Sender, target and, since Shanghai, the coinbase are warm from the start (EIP-2929, EIP-3651)."""
    warm_account(c, sender)
    warm_account(c, target)
    coinbase = load_i64(c + context.COINBASE_ACCOUNT)
    if coinbase:
        warm_account(c, coinbase)
    return 0


@kernel
def start_code(c: int, target: int, own_code: int) -> int:
    """Let `run` begin with this code."""
    store_word(c + context.ADDRESS, load_word(target + account.ADDRESS))
    set_account(c, target)
    set_code_position(c, own_code)
    store_i64(c + context.RESUME, RESUME_BLOCK)
    if load_i64(target + account.KIND) != ORDINARY:
        store_i64(c + context.RESUME, RESUME_HOST)
    return 0


@kernel
def code_to_run(c: int) -> int:
    """The code record of the transaction, or 0 after an exit was requested."""
    if load_i64(c + context.TX_KIND) == CALL:
        record = code_of(c, load_i64(c + context.TX_TO))
        if record == 0:
            arena_full(c, ARENA_ACCOUNTS)
        return record
    return code_for(c, load_i64(c + context.TX_DATA), load_i64(c + context.TX_DATA_SIZE), code.CREATION, RESUME_BLOCK)


@kernel
def begin_creation_transaction(c: int, target: int) -> int:
    """The created account comes to life, unless its address is taken: then the frame ends before it begins."""
    if collides(c, target):
        store_i64(c + context.FINISH_STATUS, CREATE_COLLISION)
        store_i64(c + context.FINISH_GAS, 0)
        store_i64(c + context.FINISH_OUTPUT_SIZE, 0)
        store_i64(c + context.RESUME, RESUME_LEAVE)
        return 0
    set_calldata(c, 0, 0)
    return begin_creation(c, load_i64(c + context.FRAMES), target)


@kernel
def begin_transaction(c: int) -> int:
    """Start the transaction that the TX_ fields describe. `run` is next.

    Returns NEXT_BLOCK (0), or EXIT when the host must act first (EXIT_UNKNOWN_CODE, EXIT_ARENA_FULL); nothing has
    changed then, and begin_transaction is to be called again. Where TX_TO is 0, the host puts the record of MISSING
    there. Neither nonces nor fees nor the sender's balance are
    looked at.
    """
    if load_i64(c + context.TX_TO) == 0:
        arena_full(c, ARENA_ACCOUNTS)
        store_i64(c + context.RESUME, RESUME_BEGIN)
        return EXIT
    sender = find_account(c, load_word(c + context.TX_SENDER))
    own_code = code_to_run(c)
    if sender == 0:
        arena_full(c, ARENA_ACCOUNTS)
    elif own_code and not has_room(c):
        own_code = 0
        arena_full(c, ARENA_JOURNAL)
    if sender == 0 or own_code == 0:
        store_i64(c + context.RESUME, RESUME_BEGIN)
        return EXIT
    target = load_i64(c + context.TX_TO)
    kind = load_i64(c + context.TX_KIND)
    clear_transaction_state(c)
    warm_transaction(c, sender, target)
    place_first_frame(c)
    mark_frame(c, load_i64(c + context.FRAMES), kind, target)
    touch_account(c, target)
    set_calldata(c, load_i64(c + context.TX_DATA), load_i64(c + context.TX_DATA_SIZE))
    start_code(c, target, own_code)
    if kind != CALL:
        begin_creation_transaction(c, target)
    if load_i64(c + context.RESUME) != RESUME_LEAVE:
        pay_value(c, sender, target)
    if is_traced(c) and load_i64(c + context.RESUME) == RESUME_BLOCK:
        store_i64(c + context.RESUME, RESUME_TRACE)
    return NEXT_BLOCK


@kernel
def finish_transaction(c: int, status: int) -> int:
    """End a transaction whose `run` returned a final status: destroyed accounts vanish. Returns the status."""
    if load_i64(c + context.DESTROYED_COUNT):
        remove_destroyed(c)
    return status


@kernel
def finish_command(c: int) -> int:
    """Command: finish_transaction with the status that `run` left."""
    return finish_transaction(c, load_i64(c + context.STATUS))

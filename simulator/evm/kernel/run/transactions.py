"""The beginning and the end of a transaction. Everything that lasts one transaction is cleared by a new epoch."""

from __future__ import annotations

from simulator.evm.kernel.calls.calls import CALL, ORDINARY, code_of
from simulator.evm.kernel.calls.create import begin_creation, collides
from simulator.evm.kernel.calls.destruction import remove_destroyed
from simulator.evm.kernel.calls.frames import (
    mark_frame,
    set_account,
    set_calldata,
    set_code_position,
    set_depth,
    set_returndata_size,
)
from simulator.evm.kernel.code.codes import code_for
from simulator.evm.kernel.exits import arena_full, is_traced
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import CREATION, Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.layout.log import Log
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.state.accounts import find_account, mint_value, move_value, touch_account, warm_account
from simulator.evm.kernel.state.journal import has_room
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
def clear_transaction_state(machine: Context) -> None:
    """A new epoch: nothing is warm, logged, refunded, transient or returned."""
    machine.epoch += 1
    machine.logs_top = machine.logs
    machine.refund = 0
    machine.watched_event = False
    machine.event_count = 0
    machine.last_side = CoverageCell(0)
    machine.failed_side = CoverageCell(0)
    machine.failed_return = 0
    machine.failed_log = Log(0)
    machine.last_log = Log(0)
    machine.returned_at = 0
    machine.volatile_read = 0
    machine.rejected = 0
    machine.prank_left = 0
    machine.destroyed_count = 0
    machine.static = False
    machine.cell = CoverageCell(0)


@kernel
def place_first_frame(machine: Context) -> None:
    """Stack, memory, gas and environment of the transaction's own frame."""
    stack = machine.stack_start
    machine.sp = stack
    machine.stack = stack
    machine.memory = machine.memory_start
    machine.memory_size = 0
    machine.gas = machine.tx_gas
    machine.frame = machine.frames
    machine.origin = machine.tx_sender
    machine.caller = machine.tx_sender
    machine.callvalue = machine.tx_value
    set_depth(machine, 0)
    set_returndata_size(machine, 0)


@kernel
def pay_value(machine: Context, sender: Account, target: Account) -> None:
    """Move the transaction's value, or mint it."""
    if machine.tx_mint:
        mint_value(machine, target, machine.tx_value)
        return
    move_value(machine, sender, target, machine.tx_value)


@kernel
def warm_transaction(machine: Context, sender: Account, target: Account) -> None:
    """Sender, target and, since Shanghai, the coinbase are warm from the start (EIP-2929, EIP-3651)."""
    warm_account(machine, sender)
    warm_account(machine, target)
    coinbase = machine.coinbase_account
    if coinbase:
        warm_account(machine, coinbase)


@kernel
def start_code(machine: Context, target: Account, own_code: Code) -> None:
    """Let `run` begin with this code."""
    machine.address = target.address
    set_account(machine, target)
    set_code_position(machine, own_code)
    machine.resume = RESUME_BLOCK
    if target.kind != ORDINARY:
        machine.resume = RESUME_HOST


@kernel
def code_to_run(machine: Context) -> Code:
    """The code record of the transaction, or 0 after an exit was requested."""
    if machine.tx_kind == CALL:
        record = code_of(machine, machine.tx_to)
        if not record:
            arena_full(machine, ARENA_ACCOUNTS)
        return record
    return code_for(machine, machine.tx_data, machine.tx_data_size, CREATION, RESUME_BLOCK)


@kernel
def begin_creation_transaction(machine: Context, target: Account) -> None:
    """The created account comes to life, unless its address is taken: then the frame ends before it begins."""
    if collides(machine, target):
        machine.finish_status = CREATE_COLLISION
        machine.finish_gas = 0
        machine.finish_output_size = 0
        machine.resume = RESUME_LEAVE
        return
    set_calldata(machine, 0, 0)
    begin_creation(machine, machine.frames, target)


@kernel
def begin_transaction(machine: Context) -> int:
    """Start the transaction that the TX_ fields describe. `run` is next.

    Returns NEXT_BLOCK (0), or EXIT when the host must act first (EXIT_UNKNOWN_CODE, EXIT_ARENA_FULL); nothing has
    changed then, and begin_transaction is to be called again. Where `tx_to` is 0, the host puts the record of `missing`
    there. Neither nonces nor fees nor the sender's balance are
    looked at.
    """
    if not machine.tx_to:
        arena_full(machine, ARENA_ACCOUNTS)
        machine.resume = RESUME_BEGIN
        return EXIT
    sender = find_account(machine, machine.tx_sender)
    own_code = code_to_run(machine)
    if not sender:
        arena_full(machine, ARENA_ACCOUNTS)
    elif own_code and not has_room(machine):
        own_code = Code(0)
        arena_full(machine, ARENA_JOURNAL)
    if not sender or not own_code:
        machine.resume = RESUME_BEGIN
        return EXIT
    target = machine.tx_to
    kind = machine.tx_kind
    clear_transaction_state(machine)
    warm_transaction(machine, sender, target)
    place_first_frame(machine)
    mark_frame(machine, machine.frames, kind, target)
    touch_account(machine, target)
    set_calldata(machine, machine.tx_data, machine.tx_data_size)
    start_code(machine, target, own_code)
    if kind != CALL:
        begin_creation_transaction(machine, target)
    if machine.resume != RESUME_LEAVE:
        pay_value(machine, sender, target)
    if is_traced(machine) and machine.resume == RESUME_BLOCK:
        machine.resume = RESUME_TRACE
    return NEXT_BLOCK


@kernel
def finish_transaction(machine: Context, status: int) -> int:
    """End a transaction whose `run` returned a final status: destroyed accounts vanish. Returns the status."""
    if machine.destroyed_count:
        remove_destroyed(machine)
    return status


@kernel
def finish_command(machine: Context) -> int:
    """Command: finish_transaction with the status that `run` left."""
    return finish_transaction(machine, machine.status)

"""CALL, CALLCODE, DELEGATECALL and STATICCALL: price, depth, value, and the new frame."""

from __future__ import annotations

from simulator.evm.kernel.calls.cheatcodes import run_native_cheatcode
from simulator.evm.kernel.calls.frames import (
    push_frame,
    push_result,
    set_account,
    set_calldata,
    set_code_position,
    set_returndata_size,
)
from simulator.evm.kernel.calls.leaving import leave
from simulator.evm.kernel.calls.pranks import (
    enter_prank,
    find_delegate_prank,
    find_prank,
    pass_prank,
    payer_of,
    use_prank,
)
from simulator.evm.kernel.exits import arena_full, is_traced, request_exit
from simulator.evm.kernel.feedback.reads import mark_balance, mark_identity
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.layout.prank import Prank
from simulator.evm.kernel.memory.memory import expand, words_of
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Words
from simulator.evm.kernel.state.accounts import (
    access_cost,
    address_of,
    find_account,
    is_empty,
    move_value,
    touch_account,
)
from simulator.evm.kernel.state.journal import has_room
from simulator.evm.kernel.status import (
    ARENA_ACCOUNTS,
    ARENA_JOURNAL,
    EXIT,
    EXIT_CHEATCODE,
    EXIT_CONSOLE,
    EXIT_PRECOMPILE,
    EXIT_TRACE_CALL,
    FRAME_SWITCHED,
    NEXT_BLOCK,
    OUT_OF_GAS,
    RESUME_BLOCK,
    RESUME_LEAVE,
    RETURN,
    REVERT,
    STATIC_VIOLATION,
)
from simulator.evm.kernel.words import Word, is_zero, low, saturate, word

# Kinds of frames.
CALL = 0
CALLCODE = 1
DELEGATECALL = 2
STATICCALL = 3
CREATE = 4
CREATE2 = 5

# Account.kind: who runs the code of an account.
ORDINARY = 0
PRECOMPILE = 1
CHEATCODE = 2
CONSOLE = 3

DEPTH_LIMIT = 1024
GAS_CALL_VALUE = 9000
GAS_NEW_ACCOUNT = 25000
CALL_STIPEND = 2300

IDENTITY = 4
GAS_IDENTITY = 15
GAS_IDENTITY_WORD = 3


@kernel
def code_of(machine: Context, record: Account) -> Code:
    """The code record that runs for an account: its own, or the one it delegates to (EIP-7702). 0 without room for
    it."""
    own = record.code
    if own.delegate and machine.delegation:
        target = find_account(machine, own.delegate_address)
        if not target:
            return Code(0)
        mark_identity(machine, target)
        return target.code
    return own


@kernel
def delegation_cost(machine: Context, record: Account) -> int:
    """Price of following a delegation, whose target is warm afterwards."""
    own = record.code
    if own.delegate and machine.delegation:
        return access_cost(machine, find_account(machine, own.delegate_address))
    return 0


@kernel
def kept_gas(machine: Context, gas: int) -> int:
    """Return the gas that a caller or creator must keep (EIP-150)."""
    return gas >> 6 if machine.keeps_64th else 0


@kernel
def is_new(machine: Context, record: Account) -> bool:
    """Return whether a message brings the account to life: one that is empty, before EIP-161 one that was never
    there."""
    if machine.removes_empty:
        return is_empty(machine, record)
    return is_empty(machine, record) and not record.present


@kernel
def value_cost(machine: Context, kind: int, record: Account, value: Word) -> int:
    """Price of sending value, and of bringing an empty account to life with it."""
    cost = 0 if is_zero(value) else GAS_CALL_VALUE
    matters = not machine.removes_empty or not is_zero(value)
    if kind == CALL and matters and is_new(machine, record):
        cost += GAS_NEW_ACCOUNT
    return cost


@kernel
def fail_softly(machine: Context, sp: Words, gas: int) -> int:
    """The call does not happen (depth, balance, nonce): push 0 and continue, with empty return data."""
    machine.sp = sp
    machine.gas = gas
    machine.ip += Instruction.SIZE
    set_returndata_size(machine, 0)
    push_result(machine, 0)
    return FRAME_SWITCHED


@kernel
def enter_host_code(machine: Context, record: Account) -> int:
    """Run a precompile or a cheatcode here, or leave to the host, which ends the frame. What goes to the console is
    read by traces alone, unless calls of it may revert."""
    kind = record.kind
    is_delegated = machine.frame.kind == DELEGATECALL or machine.frame.kind == CALLCODE
    if kind == CHEATCODE and run_native_cheatcode(machine, is_delegated) != NEXT_BLOCK:
        return leave(machine, RETURN, machine.gas, machine.returndata, 0, CoverageCell(0))
    if kind == PRECOMPILE:
        number = record.kind_detail
        status = run_native_precompile(machine, number)
        if status != NEXT_BLOCK:
            output, size = machine.finish_output, machine.finish_output_size
            return leave(machine, status, machine.gas, output, size, CoverageCell(0))
        machine.exit_detail = number
        return request_exit(machine, EXIT_PRECOMPILE, RESUME_LEAVE)
    if kind == CONSOLE and not machine.tracing and not machine.console_may_revert:
        return leave(machine, RETURN, machine.gas, machine.returndata, 0, CoverageCell(0))
    return request_exit(machine, EXIT_CHEATCODE if kind == CHEATCODE else EXIT_CONSOLE, RESUME_LEAVE)


@kernel
def set_call_environment(machine: Context, kind: int, record: Account, value: Word, prank: Prank) -> None:
    """ADDRESS, CALLER, CALLVALUE, account and static flag of a frame that was just pushed; `prank` is a prank record or
    0."""
    if kind != DELEGATECALL:
        machine.caller = machine.address
        machine.callvalue = value
    if kind in (CALL, STATICCALL):
        machine.address = record.address
        set_account(machine, record)
    if kind == STATICCALL:
        machine.static = True
    if prank:
        enter_prank(machine, prank, kind == DELEGATECALL)


@kernel
def enter_call(machine: Context, kind: int, record: Account, own_code: Code, value: Word, prank: Prank) -> int:
    """Move the value and start the callee's code; the frame was pushed. Returns FRAME_SWITCHED or EXIT."""
    if kind == CALL:
        move_value(machine, payer_of(machine, prank), record, value)
    if kind in (CALL, STATICCALL):
        touch_account(machine, record)
    set_call_environment(machine, kind, record, value, prank)
    set_code_position(machine, own_code)
    if record.kind != ORDINARY:
        return enter_host_code(machine, record)
    if is_traced(machine):
        return request_exit(machine, EXIT_TRACE_CALL, RESUME_BLOCK)
    return FRAME_SWITCHED


@kernel
def refuse_call(machine: Context, kind: int, record: Account, value: Word, prank: Prank) -> int:
    """Let the host see the frame that was just pushed begin and end: it cannot be entered. Returns EXIT."""
    set_call_environment(machine, kind, record, value, prank)
    machine.finish_status = REVERT
    machine.finish_gas = machine.gas
    machine.finish_output = machine.returndata
    machine.finish_output_size = 0
    return request_exit(machine, EXIT_TRACE_CALL, RESUME_LEAVE)


@kernel
def prank_on(machine: Context, kind: int, record: Account) -> Prank:
    """The prank on a call of the running frame, or 0. Calls that the host answers stay what they are."""
    if machine.prank_count == 0 or record.kind != ORDINARY:
        return Prank(0)
    return find_delegate_prank(machine) if kind == DELEGATECALL else find_prank(machine)


@kernel
def spend_prank(machine: Context, kind: int, record: Account, applied: Prank) -> None:
    """The call happens: use up the prank on it, or one that does not show in it. Calls to cheatcodes use none up."""
    if applied:
        use_prank(machine, applied)
    elif machine.prank_count and record.kind in (ORDINARY, PRECOMPILE):
        pass_prank(machine, kind != DELEGATECALL)


@kernel
def can_enter(machine: Context, payer: Account, value: Word) -> bool:
    """Depth and the payer's balance allow another frame."""
    if machine.depth >= DEPTH_LIMIT:
        return False
    if is_zero(value):
        return True
    mark_balance(machine, payer)
    return payer.balance >= value


@kernel
def give_up(machine: Context, size: int, arena: int) -> int:
    """An arena is full: take back what was done to the memory size, so that the instruction can run again."""
    machine.memory_size = size
    return arena_full(machine, arena)


@kernel
def call_memory(machine: Context, ranges: Words, gas: int) -> int:
    """Grow memory for input and output, whose four numbers stand before `ranges`. Returns the gas left, or -status."""
    input_size = saturate(ranges[-2])
    gas = expand(machine, saturate(ranges[-1]), input_size, gas)
    if gas < 0:
        return gas
    return expand(machine, saturate(ranges[-3]), saturate(ranges[-4]), gas)


@kernel
def charge_call(machine: Context, kind: int, record: Account, value: Word, ranges: Words) -> int:
    """Take what a call costs before its callee gets anything. Returns the gas left, or -status."""
    gas = call_memory(machine, ranges, machine.gas)
    if gas < 0:
        return gas
    if record.kind == CHEATCODE and machine.cheatcodes_are_free:
        return gas
    gas -= access_cost(machine, record) + value_cost(machine, kind, record, value) + delegation_cost(machine, record)
    return gas if gas >= 0 else -OUT_OF_GAS


@kernel
def gas_for_callee(machine: Context, gas: int, wanted: Word) -> int:
    """Return the part of `gas` that goes with the call: what was asked for, at most all but one 64th (EIP-150).
    -OUT_OF_GAS where a fork before it has less than was asked for."""
    if not machine.keeps_64th and wanted > word(gas):
        return -OUT_OF_GAS
    available = gas - kept_gas(machine, gas)
    return low(wanted) if wanted < word(available) else available


@kernel
def leave_for_callee(machine: Context, kind: int, record: Account, ranges: Words, gas: int) -> None:
    """Set the caller's frame aside, with `gas` kept, and give the callee its calldata."""
    memory = machine.memory
    output = memory + saturate(ranges[-3])
    data = memory + saturate(ranges[-1])
    data_size = saturate(ranges[-2])
    output_size = saturate(ranges[-4])
    machine.ip += Instruction.SIZE
    push_frame(machine, kind, record, ranges - 4, gas, output, output_size)
    set_calldata(machine, data, data_size)


@kernel
def call(machine: Context, kind: int) -> int:
    """One of the four calls; the frame's state is in the context. Returns FRAME_SWITCHED, EXIT, or the status with
    which the caller fails."""
    sp = machine.sp
    size = machine.memory_size
    has_value = kind <= CALLCODE
    value = sp[-3] if has_value else word(0)
    ranges = sp - 3 if has_value else sp - 2
    if kind == CALL and machine.static and not is_zero(value):
        return STATIC_VIOLATION
    record = find_account(machine, address_of(sp[-2]))
    own_code = code_of(machine, record) if record else Code(0)
    if not own_code:
        return arena_full(machine, ARENA_ACCOUNTS)
    if not has_room(machine):
        return arena_full(machine, ARENA_JOURNAL)
    gas = charge_call(machine, kind, record, value, ranges)
    if gas == -EXIT:
        return give_up(machine, size, machine.exit_detail)
    if gas < 0:
        return -gas
    given = gas_for_callee(machine, gas, sp[-1])
    if given < 0:
        return -given
    gas -= given
    if not is_zero(value):
        given += CALL_STIPEND
    prank = prank_on(machine, kind, record)
    enters = can_enter(machine, payer_of(machine, prank), value)
    spend_prank(machine, kind, record, prank)
    if not enters and not is_traced(machine):
        return fail_softly(machine, ranges - 4, gas + given)
    leave_for_callee(machine, kind, record, ranges, gas)
    machine.gas = given
    if not enters:
        return refuse_call(machine, kind, record, value, prank)
    return enter_call(machine, kind, record, own_code, value, prank)


@kernel
def run_native_precompile(machine: Context, number: int) -> int:
    """Run precompile `number` on the frame's calldata. Returns a final status, with `gas` reduced and `finish_output`
    set, or NEXT_BLOCK when it is the host's."""
    if number != IDENTITY or machine.tracing or machine.watching:
        return NEXT_BLOCK
    size = machine.calldata_size
    gas = machine.gas - GAS_IDENTITY - GAS_IDENTITY_WORD * words_of(size)
    machine.finish_output = machine.calldata
    machine.finish_output_size = size
    if gas < 0:
        return OUT_OF_GAS
    machine.gas = gas
    return RETURN

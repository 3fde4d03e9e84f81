"""CALL, CALLCODE, DELEGATECALL and STATICCALL: price, depth, value, and the new frame."""

from __future__ import annotations

from simulator.evm.kernel.accounts import (
    access_cost,
    address_of,
    find_account,
    is_empty,
    move_value,
    touch_account,
)
from simulator.evm.kernel.exits import arena_full, is_traced, request_exit
from simulator.evm.kernel.frames import (
    push_frame,
    push_result,
    set_account,
    set_calldata,
    set_code_position,
    set_returndata_size,
)
from simulator.evm.kernel.journal import has_room
from simulator.evm.kernel.layout import account, code, context, instruction
from simulator.evm.kernel.leaving import leave
from simulator.evm.kernel.memory import expand
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.pranks import enter_prank, find_delegate_prank, find_prank, payer_of, use_prank
from simulator.evm.kernel.precompiles import run_native_precompile
from simulator.evm.kernel.reads import ANYTHING, mark_balance, mark_identity, mark_volatile
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

# account.KIND: who runs the code of an account.
ORDINARY = 0
PRECOMPILE = 1
CHEATCODE = 2
CONSOLE = 3

DEPTH_LIMIT = 1024
GAS_CALL_VALUE = 9000
GAS_NEW_ACCOUNT = 25000
CALL_STIPEND = 2300


@kernel
def code_of(c: int, record: int) -> int:
    """The code record that runs for an account: its own, or the one it delegates to (EIP-7702). 0 without room for
    it."""
    own = load_i64(record + account.CODE)
    if load_i64(own + code.DELEGATE) and load_i64(c + context.DELEGATION):
        target = find_account(c, load_word(own + code.DELEGATE_ADDRESS))
        if target == 0:
            return 0
        mark_identity(c, target)
        return load_i64(target + account.CODE)
    return own


@kernel
def delegation_cost(c: int, record: int) -> int:
    """Price of following a delegation, whose target is warm afterwards."""
    own = load_i64(record + account.CODE)
    if load_i64(own + code.DELEGATE) and load_i64(c + context.DELEGATION):
        return access_cost(c, find_account(c, load_word(own + code.DELEGATE_ADDRESS)))
    return 0


@kernel
def kept_gas(c: int, gas: int) -> int:
    """What a caller or creator must keep of its gas (EIP-150)."""
    return gas >> 6 if load_i64(c + context.KEEPS_64TH) else 0


@kernel
def is_new(c: int, record: int) -> bool:
    """Whether a message brings the account to life: one that is empty, before EIP-161 one that was never there."""
    if load_i64(c + context.REMOVES_EMPTY):
        return is_empty(c, record)
    return is_empty(c, record) and not load_i64(record + account.PRESENT)


@kernel
def value_cost(c: int, kind: int, record: int, value: Word) -> int:
    """Price of sending value, and of bringing an empty account to life with it."""
    cost = 0 if is_zero(value) else GAS_CALL_VALUE
    matters = load_i64(c + context.REMOVES_EMPTY) == 0 or not is_zero(value)
    if kind == CALL and matters and is_new(c, record):
        cost += GAS_NEW_ACCOUNT
    return cost


@kernel
def fail_softly(c: int, sp: int, gas: int) -> int:
    """The call does not happen (depth, balance, nonce): push 0 and go on, with empty return data."""
    store_i64(c + context.SP, sp)
    store_i64(c + context.GAS, gas)
    store_i64(c + context.IP, load_i64(c + context.IP) + instruction.SIZE)
    set_returndata_size(c, 0)
    push_result(c, 0)
    return FRAME_SWITCHED


@kernel
def enter_host_code(c: int, record: int) -> int:
    """Run a precompile here, or leave to the host, which ends the frame."""
    kind = load_i64(record + account.KIND)
    if kind == CHEATCODE:
        mark_volatile(c, ANYTHING)
    if kind == PRECOMPILE:
        number = load_i64(record + account.KIND_DETAIL)
        status = run_native_precompile(c, number)
        if status != NEXT_BLOCK:
            return leave(
                c,
                status,
                load_i64(c + context.GAS),
                load_i64(c + context.FINISH_OUTPUT),
                load_i64(c + context.FINISH_OUTPUT_SIZE),
                0,
            )
        store_i64(c + context.EXIT_DETAIL, number)
        return request_exit(c, EXIT_PRECOMPILE, RESUME_LEAVE)
    return request_exit(c, EXIT_CHEATCODE if kind == CHEATCODE else EXIT_CONSOLE, RESUME_LEAVE)


@kernel
def set_call_environment(c: int, kind: int, record: int, value: Word, prank: int) -> int:
    """ADDRESS, CALLER, CALLVALUE, account and static flag of a frame that was just pushed; `prank` is a prank record or
    0."""
    if kind != DELEGATECALL:
        store_word(c + context.CALLER, load_word(c + context.ADDRESS))
        store_word(c + context.CALLVALUE, value)
    if kind in (CALL, STATICCALL):
        store_word(c + context.ADDRESS, load_word(record + account.ADDRESS))
        set_account(c, record)
    if kind == STATICCALL:
        store_i64(c + context.STATIC, 1)
    if prank:
        enter_prank(c, prank, kind == DELEGATECALL)
    return 0


@kernel
def enter_call(c: int, kind: int, record: int, own_code: int, value: Word, prank: int) -> int:
    """Move the value and start the callee's code; the frame was pushed. Returns FRAME_SWITCHED or EXIT."""
    if kind == CALL:
        move_value(c, payer_of(c, prank), record, value)
    if kind in (CALL, STATICCALL):
        touch_account(c, record)
    set_call_environment(c, kind, record, value, prank)
    set_code_position(c, own_code)
    if load_i64(record + account.KIND) != ORDINARY:
        return enter_host_code(c, record)
    if is_traced(c):
        return request_exit(c, EXIT_TRACE_CALL, RESUME_BLOCK)
    return FRAME_SWITCHED


@kernel
def prank_on(c: int, kind: int, record: int) -> int:
    """The prank on a call of the running frame, or 0. Calls that the host answers stay what they are."""
    if load_i64(c + context.PRANK_COUNT) == 0 or load_i64(record + account.KIND) != ORDINARY:
        return 0
    return find_delegate_prank(c) if kind == DELEGATECALL else find_prank(c)


@kernel
def can_enter(c: int, payer: int, value: Word) -> bool:
    """Depth and the payer's balance allow another frame."""
    if load_i64(c + context.DEPTH) >= DEPTH_LIMIT:
        return False
    if is_zero(value):
        return True
    mark_balance(c, payer)
    return load_word(payer + account.BALANCE) >= value


@kernel
def give_up(c: int, size: int, arena: int) -> int:
    """An arena is full: take back what was done to the memory size, so that the instruction can run again."""
    store_i64(c + context.MEMORY_SIZE, size)
    return arena_full(c, arena)


@kernel
def call_memory(c: int, ranges: int, gas: int) -> int:
    """Grow memory for input and output, whose four numbers end below `ranges`. Returns the gas left, or -status."""
    input_size = saturate(load_word(ranges - 64))
    gas = expand(c, saturate(load_word(ranges - 32)), input_size, gas)
    if gas < 0:
        return gas
    return expand(c, saturate(load_word(ranges - 96)), saturate(load_word(ranges - 128)), gas)


@kernel
def charge_call(c: int, kind: int, record: int, value: Word, ranges: int) -> int:
    """Take what a call costs before its callee gets anything. Returns the gas left, or -status."""
    gas = call_memory(c, ranges, load_i64(c + context.GAS))
    if gas < 0:
        return gas
    gas -= access_cost(c, record) + value_cost(c, kind, record, value) + delegation_cost(c, record)
    return gas if gas >= 0 else -OUT_OF_GAS


@kernel
def gas_for_callee(c: int, gas: int, wanted: Word) -> int:
    """How much of `gas` goes with the call: what was asked for, at most all but one 64th (EIP-150). -OUT_OF_GAS where
    a fork before it has less than was asked for."""
    if not load_i64(c + context.KEEPS_64TH) and wanted > word(gas):
        return -OUT_OF_GAS
    available = gas - kept_gas(c, gas)
    return low(wanted) if wanted < word(available) else available


@kernel
def leave_for_callee(c: int, kind: int, record: int, ranges: int, gas: int) -> int:
    """Set the caller's frame aside, with `gas` kept, and give the callee its calldata."""
    memory = load_i64(c + context.MEMORY)
    output = memory + saturate(load_word(ranges - 96))
    data = memory + saturate(load_word(ranges - 32))
    data_size = saturate(load_word(ranges - 64))
    output_size = saturate(load_word(ranges - 128))
    store_i64(c + context.IP, load_i64(c + context.IP) + instruction.SIZE)
    push_frame(c, kind, record, ranges - 128, gas, output, output_size)
    return set_calldata(c, data, data_size)


@kernel
def call(c: int, kind: int) -> int:
    """One of the four calls; the frame's state is in the context. Returns FRAME_SWITCHED, EXIT, or the status with
    which the caller fails."""
    sp = load_i64(c + context.SP)
    size = load_i64(c + context.MEMORY_SIZE)
    has_value = kind <= CALLCODE
    value = load_word(sp - 96) if has_value else word(0)
    ranges = sp - 96 if has_value else sp - 64
    if kind == CALL and load_i64(c + context.STATIC) and not is_zero(value):
        return STATIC_VIOLATION
    record = find_account(c, address_of(load_word(sp - 64)))
    own_code = code_of(c, record) if record else 0
    if own_code == 0:
        return arena_full(c, ARENA_ACCOUNTS)
    if not has_room(c):
        return arena_full(c, ARENA_JOURNAL)
    gas = charge_call(c, kind, record, value, ranges)
    if gas == -EXIT:
        return give_up(c, size, load_i64(c + context.EXIT_DETAIL))
    if gas < 0:
        return -gas
    given = gas_for_callee(c, gas, load_word(sp - 32))
    if given < 0:
        return -given
    gas -= given
    if not is_zero(value):
        given += CALL_STIPEND
    prank = prank_on(c, kind, record)
    if not can_enter(c, payer_of(c, prank), value):
        return fail_softly(c, ranges - 128, gas + given)
    if prank:
        use_prank(c, prank)
    leave_for_callee(c, kind, record, ranges, gas)
    store_i64(c + context.GAS, given)
    return enter_call(c, kind, record, own_code, value, prank)

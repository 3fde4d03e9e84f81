"""Frames: entering one, ending one. The interpreter keeps only locals; everything else about a frame is here."""

from __future__ import annotations

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.memory_access import copy_memory
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Words, pointer
from simulator.evm.kernel.words import word

DEPTH_SHIFT = 48  # of the mask of call depths in a coverage cell
MAX_MASKED_DEPTH = 7


@kernel
def set_depth(machine: Context, depth: int) -> None:
    machine.depth = depth
    machine.depth_bit = 1 << DEPTH_SHIFT + min(depth, MAX_MASKED_DEPTH)


@kernel
def set_account(machine: Context, record: Account) -> None:
    """Make this the account whose storage and balance the frame uses."""
    machine.account = record
    machine.storage_owner = record.storage_id


@kernel
def set_code_position(machine: Context, record: Code) -> None:
    """Start at the first block of a code."""
    machine.code = record
    machine.cells = record.cells
    machine.ip = record.entry


@kernel
def set_calldata(machine: Context, address: int, size: int) -> None:
    machine.calldata = address
    machine.calldata_size = size
    machine.calldatasize_word = word(size)


@kernel
def set_returndata_size(machine: Context, size: int) -> None:
    machine.returndata_size = size
    machine.returndatasize_word = word(size)


@kernel
def mark_frame(machine: Context, record: Frame, kind: int, code_account: Account) -> None:
    """Mark the state that a frame returns to when it reverts. To be called before anything is written for it."""
    record.kind = kind
    record.created = Account(0)
    record.code_account = code_account
    record.journal_mark = machine.journal_top
    record.logs_mark = machine.logs_top
    record.refund_mark = machine.refund


@kernel
def push_frame(
    machine: Context, kind: int, code_account: Account, sp: Words, gas: int, output: int, output_size: int
) -> Frame:
    """Save the running frame and become its child, which still has its parent's environment.

    `sp` is where the child's result goes, `gas` what the parent keeps. The child's stack begins at `sp`, its memory
    where the parent's ends. Returns the child's frame record.
    """
    record = Frame(pointer(machine.frame) + Frame.SIZE)
    machine.frame = record
    record.ip = machine.ip
    record.sp = sp
    record.gas = gas
    record.memory = machine.memory
    record.memory_size = machine.memory_size
    record.stack = machine.stack
    record.calldata = machine.calldata
    record.calldata_size = machine.calldata_size
    record.code = machine.code
    record.account = machine.account
    record.static = machine.static
    record.cell = machine.cell
    record.output = output
    record.output_size = output_size
    record.address = machine.address
    record.caller = machine.caller
    record.callvalue = machine.callvalue
    record.origin = machine.origin
    mark_frame(machine, record, kind, code_account)
    set_depth(machine, machine.depth + 1)
    machine.memory += machine.memory_size
    machine.memory_size = 0
    machine.stack = sp
    machine.sp = sp
    set_returndata_size(machine, 0)
    return record


@kernel
def pop_frame(machine: Context, gas: int) -> Frame:
    """Go back to the caller of the running frame, which gets `gas` back. Its `sp` is where the result goes."""
    record = machine.frame
    machine.frame = Frame(pointer(record) - Frame.SIZE)
    machine.ip = record.ip
    machine.sp = record.sp
    machine.gas = record.gas + gas
    machine.memory = record.memory
    machine.memory_size = record.memory_size
    machine.stack = record.stack
    set_calldata(machine, record.calldata, record.calldata_size)
    machine.static = record.static
    machine.cell = record.cell
    machine.code = record.code
    machine.cells = record.code.cells
    set_account(machine, record.account)
    machine.address = record.address
    machine.caller = record.caller
    machine.callvalue = record.callvalue
    machine.origin = record.origin
    set_depth(machine, machine.depth - 1)
    return record


@kernel
def push_result(machine: Context, result: int) -> None:
    """Push a small number on the running frame's stack, outside of the interpreter."""
    sp = machine.sp
    sp[0] = word(result)
    machine.sp = sp + 1


@kernel
def keep_output(machine: Context, output: int, size: int) -> None:
    """Make these bytes the return data."""
    set_returndata_size(machine, size)
    if size:
        copy_memory(machine.returndata, output, size)

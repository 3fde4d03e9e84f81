"""Frames: entering one, ending one. The interpreter keeps only locals; everything else about a frame is here."""

from __future__ import annotations

from simulator.evm.kernel.layout import account, code, context, frame
from simulator.evm.kernel.memory_access import copy_memory, load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import word

DEPTH_SHIFT = 48  # of the mask of call depths in a coverage cell
DEEPEST_MASKED = 7


@kernel
def set_depth(c: int, depth: int) -> int:
    store_i64(c + context.DEPTH, depth)
    store_i64(c + context.DEPTH_BIT, 1 << (DEPTH_SHIFT + min(depth, DEEPEST_MASKED)))
    return 0


@kernel
def set_account(c: int, record: int) -> int:
    """Make this the account whose storage and balance the frame uses."""
    store_i64(c + context.ACCOUNT, record)
    store_i64(c + context.STORAGE_OWNER, load_i64(record + account.STORAGE_ID))
    return 0


@kernel
def set_code_position(c: int, record: int) -> int:
    """Start at the first block of a code."""
    store_i64(c + context.CODE, record)
    store_i64(c + context.CELLS, load_i64(record + code.CELLS))
    store_i64(c + context.IP, load_i64(record + code.ENTRY))
    return 0


@kernel
def set_calldata(c: int, address: int, size: int) -> int:
    store_i64(c + context.CALLDATA, address)
    store_i64(c + context.CALLDATA_SIZE, size)
    store_word(c + context.CALLDATASIZE_WORD, word(size))
    return 0


@kernel
def set_returndata_size(c: int, size: int) -> int:
    store_i64(c + context.RETURNDATA_SIZE, size)
    store_word(c + context.RETURNDATASIZE_WORD, word(size))
    return 0


@kernel
def mark_frame(c: int, record: int, kind: int, code_account: int) -> int:
    """What a frame goes back to when it reverts. To be called before anything is written for it."""
    store_i64(record + frame.KIND, kind)
    store_i64(record + frame.CREATED, 0)
    store_i64(record + frame.CODE_ACCOUNT, code_account)
    store_i64(record + frame.JOURNAL_MARK, load_i64(c + context.JOURNAL_TOP))
    store_i64(record + frame.LOGS_MARK, load_i64(c + context.LOGS_TOP))
    store_i64(record + frame.REFUND_MARK, load_i64(c + context.REFUND))
    return 0


@kernel
def push_frame(c: int, kind: int, code_account: int, sp: int, gas: int, output: int, output_size: int) -> int:
    """Save the running frame and become its child, which still has its parent's environment.

    `sp` is where the child's result goes, `gas` what the parent keeps. The child's stack begins at `sp`, its memory
    where the parent's ends. Returns the child's frame record.
    """
    record = load_i64(c + context.FRAME) + frame.SIZE
    store_i64(c + context.FRAME, record)
    store_i64(record + frame.IP, load_i64(c + context.IP))
    store_i64(record + frame.SP, sp)
    store_i64(record + frame.GAS, gas)
    store_i64(record + frame.MEMORY, load_i64(c + context.MEMORY))
    store_i64(record + frame.MEMORY_SIZE, load_i64(c + context.MEMORY_SIZE))
    store_i64(record + frame.STACK, load_i64(c + context.STACK))
    store_i64(record + frame.CALLDATA, load_i64(c + context.CALLDATA))
    store_i64(record + frame.CALLDATA_SIZE, load_i64(c + context.CALLDATA_SIZE))
    store_i64(record + frame.CODE, load_i64(c + context.CODE))
    store_i64(record + frame.ACCOUNT, load_i64(c + context.ACCOUNT))
    store_i64(record + frame.STATIC, load_i64(c + context.STATIC))
    store_i64(record + frame.CELL, load_i64(c + context.CELL))
    store_i64(record + frame.OUTPUT, output)
    store_i64(record + frame.OUTPUT_SIZE, output_size)
    store_word(record + frame.ADDRESS, load_word(c + context.ADDRESS))
    store_word(record + frame.CALLER, load_word(c + context.CALLER))
    store_word(record + frame.CALLVALUE, load_word(c + context.CALLVALUE))
    store_word(record + frame.ORIGIN, load_word(c + context.ORIGIN))
    mark_frame(c, record, kind, code_account)
    set_depth(c, load_i64(c + context.DEPTH) + 1)
    store_i64(c + context.MEMORY, load_i64(c + context.MEMORY) + load_i64(c + context.MEMORY_SIZE))
    store_i64(c + context.MEMORY_SIZE, 0)
    store_i64(c + context.STACK, sp)
    store_i64(c + context.SP, sp)
    set_returndata_size(c, 0)
    return record


@kernel
def pop_frame(c: int, gas: int) -> int:
    """Go back to the caller of the running frame, which gets `gas` back. Its SP is where the result goes."""
    record = load_i64(c + context.FRAME)
    store_i64(c + context.FRAME, record - frame.SIZE)
    store_i64(c + context.IP, load_i64(record + frame.IP))
    store_i64(c + context.SP, load_i64(record + frame.SP))
    store_i64(c + context.GAS, load_i64(record + frame.GAS) + gas)
    store_i64(c + context.MEMORY, load_i64(record + frame.MEMORY))
    store_i64(c + context.MEMORY_SIZE, load_i64(record + frame.MEMORY_SIZE))
    store_i64(c + context.STACK, load_i64(record + frame.STACK))
    set_calldata(c, load_i64(record + frame.CALLDATA), load_i64(record + frame.CALLDATA_SIZE))
    store_i64(c + context.STATIC, load_i64(record + frame.STATIC))
    store_i64(c + context.CELL, load_i64(record + frame.CELL))
    store_i64(c + context.CODE, load_i64(record + frame.CODE))
    store_i64(c + context.CELLS, load_i64(load_i64(record + frame.CODE) + code.CELLS))
    set_account(c, load_i64(record + frame.ACCOUNT))
    store_word(c + context.ADDRESS, load_word(record + frame.ADDRESS))
    store_word(c + context.CALLER, load_word(record + frame.CALLER))
    store_word(c + context.CALLVALUE, load_word(record + frame.CALLVALUE))
    store_word(c + context.ORIGIN, load_word(record + frame.ORIGIN))
    set_depth(c, load_i64(c + context.DEPTH) - 1)
    return record


@kernel
def push_result(c: int, result: int) -> int:
    """Push a small number on the running frame's stack, outside of the interpreter."""
    sp = load_i64(c + context.SP)
    store_word(sp, word(result))
    store_i64(c + context.SP, sp + 32)
    return 0


@kernel
def keep_output(c: int, output: int, size: int) -> int:
    """Make these bytes the return data."""
    set_returndata_size(c, size)
    if size:
        copy_memory(load_i64(c + context.RETURNDATA), output, size)
    return 0

"""The end of a frame: undoing, output, code deposit, and the caller's result."""

from __future__ import annotations

from simulator.evm.kernel.accounts import set_code
from simulator.evm.kernel.codes import code_for
from simulator.evm.kernel.coverage import note_outcome
from simulator.evm.kernel.exits import is_traced, request_exit
from simulator.evm.kernel.frames import keep_output, pop_frame, push_result
from simulator.evm.kernel.journal import has_room, rollback
from simulator.evm.kernel.layout import account, code, context, frame
from simulator.evm.kernel.memory_access import copy_memory, load_i64, load_u8, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import (
    ARENA_JOURNAL,
    CODE_TOO_LARGE,
    EXIT,
    EXIT_ARENA_FULL,
    EXIT_TRACE_RETURN,
    FRAME_SWITCHED,
    INVALID_CODE,
    OUT_OF_GAS,
    RESUME_BLOCK,
    RESUME_ENDED,
    RESUME_LEAVE,
    RETURN,
    REVERT,
)

GAS_CODE_BYTE = 200
RESERVED_FIRST_BYTE = 0xEF


@kernel
def deposit_code(c: int, record: int, gas: int, output: int, size: int) -> int:
    """Give the created account its code. Returns the gas left, or -status; after -EXIT nothing has changed."""
    if size > load_i64(c + context.CODE_LIMIT):
        return -CODE_TOO_LARGE
    if size and load_i64(c + context.REJECT_EF) and load_u8(output) == RESERVED_FIRST_BYTE:
        return -INVALID_CODE
    if gas < GAS_CODE_BYTE * size:
        return -OUT_OF_GAS if load_i64(c + context.DEPOSIT_MUST_SUCCEED) else gas
    gas -= GAS_CODE_BYTE * size
    if not has_room(c):
        store_i64(c + context.EXIT_DETAIL, ARENA_JOURNAL)
        return -request_exit(c, EXIT_ARENA_FULL, RESUME_LEAVE)
    new_code = code_for(c, output, size, code.RUNTIME, RESUME_LEAVE)
    if new_code == 0:
        return -EXIT
    set_code(c, load_i64(record + frame.CREATED), new_code)
    return gas


@kernel
def undo_frame(c: int, record: int) -> int:
    """Take back state, logs and refund to what they were when the frame began."""
    rollback(c, load_i64(record + frame.JOURNAL_MARK))
    store_i64(c + context.LOGS_TOP, load_i64(record + frame.LOGS_MARK))
    store_i64(c + context.REFUND, load_i64(record + frame.REFUND_MARK))
    return 0


@kernel
def return_to_caller(c: int, status: int, gas: int) -> int:
    """Hand gas, output and result to the calling frame."""
    record = pop_frame(c, gas)
    size = min(load_i64(c + context.RETURNDATA_SIZE), load_i64(record + frame.OUTPUT_SIZE))
    if size:
        copy_memory(load_i64(record + frame.OUTPUT), load_i64(c + context.RETURNDATA), size)
    created = load_i64(record + frame.CREATED)
    push_result(c, 1 if status <= RETURN else 0)
    if created and status <= RETURN:
        store_word(load_i64(c + context.SP) - 32, load_word(created + account.ADDRESS))
    return 0


@kernel
def leave(c: int, status: int, gas: int, output: int, size: int, cell: int) -> int:
    """End the running frame. `cell` is the coverage cell of its last block, or 0.

    Returns FRAME_SWITCHED when the caller goes on, EXIT when the host is needed, and the status when this was the
    transaction's own frame.
    """
    record = load_i64(c + context.FRAME)
    if status <= RETURN and load_i64(record + frame.CREATED):
        after = deposit_code(c, record, gas, output, size if status == RETURN else 0)
        if after == -EXIT:
            store_i64(c + context.FINISH_STATUS, status)
            store_i64(c + context.FINISH_GAS, gas)
            store_i64(c + context.FINISH_OUTPUT, output)
            store_i64(c + context.FINISH_OUTPUT_SIZE, size)
            return EXIT
        if after < 0:
            status = -after
        gas = after
        size = 0
    if cell:
        note_outcome(c, cell, status)
    if status >= REVERT:
        undo_frame(c, record)
    if status > REVERT:
        gas = 0
        size = 0
    keep_output(c, output, size)
    store_i64(c + context.STATUS, status)
    store_i64(c + context.FINISH_GAS, gas)
    tracing = is_traced(c)
    if record == load_i64(c + context.FRAMES):
        store_i64(c + context.GAS, gas)
        return request_exit(c, EXIT_TRACE_RETURN, RESUME_ENDED) if tracing else status
    return_to_caller(c, status, gas)
    return request_exit(c, EXIT_TRACE_RETURN, RESUME_BLOCK) if tracing else FRAME_SWITCHED

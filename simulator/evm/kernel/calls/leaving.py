"""The end of a frame: undoing, output, code deposit, and the caller's result."""

from __future__ import annotations

from simulator.evm.kernel.calls.cheatcodes import restore_prank
from simulator.evm.kernel.calls.frames import keep_output, pop_frame, push_result
from simulator.evm.kernel.code.codes import code_for
from simulator.evm.kernel.exits import is_end_traced, request_exit
from simulator.evm.kernel.feedback.coverage import note_outcome
from simulator.evm.kernel.feedback.failures import note_failure
from simulator.evm.kernel.layout.code import RUNTIME
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.memory_access import copy_memory, load_i64, load_u8
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.state.accounts import set_code
from simulator.evm.kernel.state.journal import has_room, rollback
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
REJECTION = int.from_bytes(b"FOUNDRY:", "little")
UNSUPPORTED = 2  # of Context.rejected: a cheatcode that does not exist here


@kernel
def deposit_code(machine: Context, record: Frame, gas: int, output: int, size: int) -> int:
    """Give the created account its code. Returns the gas left, or -status; after -EXIT nothing has changed."""
    if size > machine.code_limit:
        return -CODE_TOO_LARGE
    if size and machine.reject_ef and load_u8(output) == RESERVED_FIRST_BYTE:
        return -INVALID_CODE
    if gas < GAS_CODE_BYTE * size:
        return -OUT_OF_GAS if machine.deposit_must_succeed else gas
    gas -= GAS_CODE_BYTE * size
    if not has_room(machine):
        machine.exit_detail = ARENA_JOURNAL
        return -request_exit(machine, EXIT_ARENA_FULL, RESUME_LEAVE)
    new_code = code_for(machine, output, size, RUNTIME, RESUME_LEAVE)
    if not new_code:
        return -EXIT
    set_code(machine, record.created, new_code)
    return gas


@kernel
def undo_frame(machine: Context, record: Frame) -> None:
    """Take back state, logs and refund to what they were when the frame began."""
    rollback(machine, record.journal_mark)
    machine.logs_top = record.logs_mark
    machine.refund = record.refund_mark


@kernel
def return_to_caller(machine: Context, status: int, gas: int) -> None:
    """Hand gas, output and result to the calling frame."""
    record = pop_frame(machine, gas)
    size = min(machine.returndata_size, record.output_size)
    if size:
        copy_memory(record.output, machine.returndata, size)
    created = record.created
    push_result(machine, 1 if status <= RETURN else 0)
    if created and status <= RETURN:
        machine.sp[-1] = created.address


@kernel
def settle_rejection(machine: Context, status: int) -> None:
    """The transaction ends with `status`: what a cheatcode rejected counts only if its revert has come this far."""
    if machine.rejected == 0 or machine.rejected == UNSUPPORTED:
        return
    is_magic = machine.returndata_size >= 8 and load_i64(machine.returndata) == REJECTION
    if status != REVERT or not is_magic:
        machine.rejected = 0


@kernel
def leave(machine: Context, status: int, gas: int, output: int, size: int, cell: CoverageCell) -> int:
    """End the running frame. `cell` is the coverage cell of its last block, if any.

    Returns FRAME_SWITCHED when the caller continues, EXIT when the host is needed, and the status when this was the
    transaction's own frame.
    """
    record = machine.frame
    if status <= RETURN and record.created:
        after = deposit_code(machine, record, gas, output, size if status == RETURN else 0)
        if after == -EXIT:
            machine.finish_status = status
            machine.finish_gas = gas
            machine.finish_output = output
            machine.finish_output_size = size
            return EXIT
        if after < 0:
            status = -after
        gas = after
        size = 0
    if cell:
        note_outcome(machine, cell, status)
    if status > REVERT:
        gas = 0
        size = 0
    if status >= REVERT:
        note_failure(machine, record, status, output, size)
        undo_frame(machine, record)
        if record == machine.frames:
            restore_prank(machine)
    else:
        machine.failed_side = CoverageCell(0)
    machine.returned_at = 0
    keep_output(machine, output, size)
    machine.status = status
    machine.finish_gas = gas
    tracing = is_end_traced(machine, status >= REVERT or record == machine.frames)
    if record == machine.frames:
        machine.gas = gas
        settle_rejection(machine, status)
        return request_exit(machine, EXIT_TRACE_RETURN, RESUME_ENDED) if tracing else status
    return_to_caller(machine, status, gas)
    return request_exit(machine, EXIT_TRACE_RETURN, RESUME_BLOCK) if tracing else FRAME_SWITCHED

"""How `run` starts: at a block, inside of one, or with a frame that the host has ended."""

from __future__ import annotations

from simulator.evm.kernel.calls import enter_host_code
from simulator.evm.kernel.exits import request_exit
from simulator.evm.kernel.layout import context, frame, instruction
from simulator.evm.kernel.leaving import leave
from simulator.evm.kernel.memory_access import load_i32, load_i64, store_i64
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import (
    EXIT_TRACE_CALL,
    FRAME_SWITCHED,
    OUT_OF_GAS,
    RESUME_BLOCK,
    RESUME_ENDED,
    RESUME_HOST,
    RESUME_LEAVE,
    RESUME_TRACE,
    STACK_OVERFLOW,
    STACK_UNDERFLOW,
)


@kernel
def resume(c: int, how: int) -> int:
    """Do what comes before the next instruction. Returns FRAME_SWITCHED when instructions follow, else what `run`
    returns."""
    store_i64(c + context.RESUME, RESUME_BLOCK)
    if how == RESUME_LEAVE:
        return leave(
            c,
            load_i64(c + context.FINISH_STATUS),
            load_i64(c + context.FINISH_GAS),
            load_i64(c + context.FINISH_OUTPUT),
            load_i64(c + context.FINISH_OUTPUT_SIZE),
            0,
        )
    if how == RESUME_ENDED:
        return load_i64(c + context.STATUS)
    if how == RESUME_HOST:
        return enter_host_code(c, load_i64(load_i64(c + context.FRAME) + frame.CODE_ACCOUNT))
    if how == RESUME_TRACE:
        return request_exit(c, EXIT_TRACE_CALL, RESUME_BLOCK)
    return FRAME_SWITCHED


@kernel
def block_failure(header: int, gas: int, depth: int) -> int:
    """Why a block cannot run: gas is negative after paying for it, or the stack does not fit."""
    if gas < 0:
        return OUT_OF_GAS
    if depth < load_i32(header + instruction.BLOCK_MINIMUM):
        return STACK_UNDERFLOW
    return STACK_OVERFLOW

"""Resumption: how `run` starts: at a block, inside of one, or with a frame that the host has ended."""

from __future__ import annotations

from simulator.evm.kernel.calls.calls import enter_host_code
from simulator.evm.kernel.calls.leaving import leave
from simulator.evm.kernel.exits import request_exit
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.status import (
    EXIT_PAUSE,
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
def resume(machine: Context, how: int) -> int:
    """Do what comes before the next instruction. Returns FRAME_SWITCHED when instructions follow, else what `run`
    returns."""
    machine.resume = RESUME_BLOCK
    if how == RESUME_LEAVE:
        gas, output, size = machine.finish_gas, machine.finish_output, machine.finish_output_size
        return leave(machine, machine.finish_status, gas, output, size, CoverageCell(0))
    if how == RESUME_ENDED:
        return machine.status
    if how == RESUME_HOST:
        return enter_host_code(machine, machine.frame.code_account)
    if how == RESUME_TRACE:
        return request_exit(machine, EXIT_TRACE_CALL, RESUME_BLOCK)
    return FRAME_SWITCHED


@kernel
def block_failure(machine: Context, header: Instruction, gas: int, depth: int) -> int:
    """Why a block cannot run: gas is negative after paying for it, or the stack does not fit. EXIT for a block that
    could, but is to wait until the host has looked around."""
    if gas < 0:
        return OUT_OF_GAS
    if depth < header.block_minimum:
        return STACK_UNDERFLOW
    if depth > header.block_maximum:
        return STACK_OVERFLOW
    return request_exit(machine, EXIT_PAUSE, RESUME_BLOCK)

"""Traces as EIP-3155 has them: one JSON object for each instruction, then a summary."""

from __future__ import annotations

from typing import Any

from simulator.evm.results import Status
from simulator.evm.stepping import Step

ERRORS = {
    Status.REVERT: "execution reverted",
    Status.OUT_OF_GAS: "out of gas",
    Status.INVALID_OPCODE: "invalid opcode: INVALID",
    Status.UNKNOWN_OPCODE: "invalid opcode",
    Status.BAD_JUMP: "invalid jump destination",
    Status.STACK_UNDERFLOW: "stack underflow",
    Status.STACK_OVERFLOW: "stack overflow",
    Status.STATIC_VIOLATION: "write protection",
    Status.RETURNDATA_OUT_OF_BOUNDS: "return data out of bounds",
    Status.CREATE_COLLISION: "contract address collision",
    Status.CODE_TOO_LARGE: "max code size exceeded",
    Status.INVALID_CODE: "invalid code: must not begin with 0xef",
    Status.INITCODE_TOO_LARGE: "max initcode size exceeded",
    Status.PRECOMPILE_FAILURE: "precompile failed",
    Status.ARENA_EXHAUSTED: "a limit of this program is reached",
}
"""The EIP leaves texts to the client; most of these are those of go-ethereum."""


def step_object(step: Step) -> dict[str, Any]:
    """The object of one instruction, fields in the EIP's order. `error` is there only after a failure."""
    fields: dict[str, Any] = {
        "pc": step.pc,
        "op": step.byte,
        "gas": hex(step.gas),
        "gasCost": hex(step.gas_cost),
        "memSize": step.memory_size,
        "stack": [hex(word) for word in step.stack],
        "depth": step.depth,
        "returnData": "0x" + step.return_data.hex(),
        "refund": hex(step.refund),
        "opName": step.opcode.name,
    }
    if step.failure is not None:
        fields["error"] = ERRORS[step.failure]
    return fields


def summary_object(state_root: bytes, output: bytes, gas_used: int, status: Status, fork: str) -> dict[str, Any]:
    """The closing object. `gas_used` is the gas of execution, refunds not subtracted."""
    fields: dict[str, Any] = {
        "stateRoot": "0x" + state_root.hex(),
        "output": "0x" + output.hex(),
        "gasUsed": hex(gas_used),
        "pass": status.success,
        "fork": fork,
    }
    if not status.success:
        fields["error"] = ERRORS[status]
    return fields

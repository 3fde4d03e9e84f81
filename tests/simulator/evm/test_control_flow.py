"""Jumps, ends of frames, limits of the stack, and gas."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.results import Status


def test_return_gives_memory_and_exact_gas(execute: Any) -> None:
    """Gas is the sum of the static prices and one word of memory."""
    result = execute("5 3 ADD 0 MSTORE 32 0 RETURN")
    assert result.status is Status.RETURN
    assert int.from_bytes(result.output, "big") == 8
    assert result.gas_used == 3 * 7 - 3 + 3 + 3


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", Status.STOP),
        ("STOP", Status.STOP),
        ("0 0 REVERT", Status.REVERT),
        ("INVALID", Status.INVALID_OPCODE),
        ("3 JUMP", Status.BAD_JUMP),
        ("1 1 JUMPI STOP", Status.BAD_JUMP),
        ("CALLDATASIZE JUMP", Status.BAD_JUMP),
        ("ADD", Status.STACK_UNDERFLOW),
        ("1 SWAP1", Status.STACK_UNDERFLOW),
        ("JUMPDEST 1 0 JUMP", Status.STACK_OVERFLOW),
        ("JUMPDEST 0 JUMP", Status.OUT_OF_GAS),
        ("1 0xffffffffffffffffff MSTORE", Status.OUT_OF_GAS),
        ("1 0 0 RETURNDATACOPY", Status.RETURNDATA_OUT_OF_BOUNDS),
    ],
)
def test_each_end_of_a_frame_has_its_status(text: str, status: Status, execute: Any) -> None:
    """The status names the reason, and only success and REVERT leave gas."""
    result = execute(text, gas=100_000)
    assert result.status is status
    assert (result.gas_used == 100_000) is (status > Status.REVERT)


def test_a_byte_that_is_no_instruction_of_the_fork_is_unknown(execute: Any) -> None:
    """PUSH0 came with Shanghai, CLZ with Osaka."""
    assert execute("PUSH0", fork="london").status is Status.UNKNOWN_OPCODE
    assert execute("PUSH0", fork="shanghai").status is Status.STOP
    assert execute("1 CLZ", fork="prague").status is Status.UNKNOWN_OPCODE
    assert execute("1 CLZ", fork="osaka").status is Status.STOP


def test_a_jump_into_push_data_is_bad(execute: Any) -> None:
    """0x5b inside of a constant is no JUMPDEST."""
    assert execute("4 JUMP PUSH1 0x5b STOP").status is Status.BAD_JUMP


def test_a_push_cut_off_by_the_end_of_the_code_pushes_zeros(kernel: Kernel) -> None:
    """The data that is missing reads as zeros, and the code stops behind it; the block before it is checked too."""
    machine = Machine(kernel, Host)
    machine.set_account(0xC0DE, code=bytes.fromhex("7f00"))
    assert machine.transact(sender=1, to=0xC0DE, gas=3).status is Status.STOP
    machine.set_account(0xC0DE, code=bytes.fromhex("01" + "7f00"))
    assert machine.transact(sender=1, to=0xC0DE, gas=100).status is Status.STACK_UNDERFLOW


def test_dynamic_and_static_jumps_reach_the_same_block(execute: Any) -> None:
    """A target from calldata goes where a constant one goes."""
    program = "0 CALLDATALOAD JUMP INVALID JUMPDEST 7 0 MSTORE 32 0 RETURN"
    result = execute(program, data=(5).to_bytes(32, "big"))
    assert int.from_bytes(result.output, "big") == 7
    assert execute("4 JUMP INVALID JUMPDEST 7 0 MSTORE 32 0 RETURN").output == result.output


def test_gas_instruction_sees_exactly_what_is_left(execute: Any) -> None:
    """GAS is the last of its block, so block-wise accounting does not show."""
    result = execute("GAS 0 MSTORE 1 2 ADD POP 32 0 RETURN", gas=50_000)
    assert int.from_bytes(result.output, "big") == 50_000 - 2


def test_calldata_reads_past_the_end_as_zeros(execute: Any) -> None:
    """Also at offsets beyond 64 bits."""
    assert execute("1 CALLDATALOAD 0 MSTORE 32 0 RETURN", data=b"\xaa\xbb").output == b"\xbb" + bytes(31)
    far = execute("0xffffffffffffffffffffffff CALLDATALOAD 0 MSTORE 32 0 RETURN", data=b"\xaa")
    assert far.output == bytes(32)

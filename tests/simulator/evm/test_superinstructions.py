"""Instructions joined to one handler behave as they do alone."""

from __future__ import annotations

import random

import pytest

from simulator.evm.assembly import assemble
from simulator.evm.host import Host
from simulator.evm.host_memory import view
from simulator.evm.kernel.code.superinstructions import JOINT, SEQUENCES
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.records import Int32s, Records
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.results import Result

CONTRACT = 0xC0DE
STATIC = {"JUMPI_STATIC": "{target} JUMPI", "JUMP_STATIC": "{target} JUMP", "ENVIRONMENT": "CALLER"}


def handlers_of(machine: Machine, address: int) -> list[str]:
    """Names of the handlers of the first block of an account's code."""
    names = {number: name for name, number in machine.kernel.handlers.items()}
    record = machine.accounts.record(address).code
    instructions = view(Records[Instruction], record.entry)
    found: list[str] = []
    while not found or found[-1] != "STOP":
        found.append(names[instructions[len(found) + 1].handler])
    return found


def test_the_longest_sequence_is_taken_and_the_rest_keeps_its_handlers(compiled: Kernel) -> None:
    """So that execution can resume inside of a sequence."""
    machine = Machine(compiled, Host)
    machine.set_account(CONTRACT, code=assemble("CALLER SWAP1 POP DUP1 MUL STOP"))
    assert handlers_of(machine, CONTRACT) == ["ENVIRONMENT", "SWAP1+POP", "POP", "DUP1", "MUL", "STOP"]


def program(rng: random.Random) -> bytes:
    """Random concatenations of the very sequences, on a stack that is deep enough."""
    parts = ["1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"]
    for _ in range(rng.randrange(1, 6)):
        sequence = rng.choice([names for names in SEQUENCES if not names[-1].startswith("JUMP")])
        for name in sequence:
            text = "PUSH1 {small}" if name == "PUSH" else STATIC.get(name, name)
            parts.append(text.format(small=rng.randrange(64)))
    return assemble(" ".join(parts) + " 0 MSTORE 32 MSTORE 64 0 RETURN")


def outcome(kernel: Kernel, program_code: bytes, *, fused: bool) -> Result:
    machine = Machine(kernel, Host)
    if not fused:
        machine.context.fusion_table = view(Int32s, 0)
    machine.set_account(CONTRACT, code=program_code)
    return machine.transact(sender=1, to=CONTRACT, data=bytes(range(64)), gas=200_000)


@pytest.mark.parametrize("seed", range(40))
def test_joined_and_single_instructions_give_the_same_result(seed: int, compiled: Kernel) -> None:
    """Status, output and gas."""
    code_bytes = program(random.Random(seed))
    assert outcome(compiled, code_bytes, fused=True) == outcome(compiled, code_bytes, fused=False)


def test_an_exit_inside_of_a_sequence_resumes_there(compiled: Kernel) -> None:
    """PUSH and SLOAD are one; the map grows at some of the SLOADs, and no PUSH happens twice."""
    assert ("PUSH", "SLOAD") in SEQUENCES
    machine = Machine(compiled, Host)
    machine.set_account(CONTRACT, code=assemble(" ".join(f"{key} SLOAD POP" for key in range(9000)) + " STOP"))
    capacity = machine.context.slots_mask
    result = machine.transact(sender=1, to=CONTRACT, gas=1 << 40)
    assert result.success
    assert machine.context.slots_mask > capacity
    assert result.gas_used == 9000 * (3 + 2100 + 2)


def test_every_sequence_consists_of_known_handlers(compiled: Kernel) -> None:
    """And each one is a handler itself."""
    for sequence in SEQUENCES:
        assert all(part in compiled.handlers for part in sequence)
        assert JOINT.join(sequence) in compiled.handlers

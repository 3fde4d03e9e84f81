"""Stepping through programs: every instruction with its price, as revm's EIP-3155 tracer has it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.evm.assembly import assemble
from simulator.evm.block import BlockEnvironment
from simulator.evm.eip3155 import ERRORS, step_object
from simulator.evm.host import Host
from simulator.evm.kernel.layout import decode_entry
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.opcodes import OPCODES
from simulator.evm.results import Status
from simulator.evm.stepping import Step, block_starts, stepping_machine
from tests.support.patience import PATIENCE

SENDER, MAIN, OTHER = 0x5E4DE7, 0xC0DE, 0x07E4
# What revm writes where EIP-3155 leaves the choice, or where its tracer says less.
NO_FAILURE = (None, "CallOrCreate")
REVERTED = "Revert"

Programs = list[dict[str, Any]]


def call(rng: random.Random) -> str:
    kind = rng.choice(["CALL", "STATICCALL", "DELEGATECALL", "CALLCODE"])
    wei = rng.choice(["0", "1", "100000"]) if kind in ("CALL", "CALLCODE") else ""
    target = rng.choice([OTHER, OTHER, MAIN, 4, 2, 0x999])
    return f"32 64 0 {rng.randrange(200)} {wei} {target} {rng.choice(['GAS', '30000', '0'])} {kind} POP"


def creation(rng: random.Random) -> str:
    runtime = assemble(rng.choice(["1 1 SSTORE", "0 0 RETURN", "32 0 RETURN", "0 0 REVERT", "INVALID"]))
    store = f"0x{runtime.ljust(32, bytes(1)).hex()} 0 MSTORE"
    if rng.random() < 0.5:
        return f"{store} {len(runtime)} 0 {rng.choice([0, 1, 5000])} CREATE POP"
    return f"{store} 7 {rng.choice([0, len(runtime)])} 0 0 CREATE2 POP"


def statement(rng: random.Random) -> str:
    number, offset = rng.choice([0, 1, 255, 2**128, 2**256 - 1]), rng.randrange(200)
    return rng.choice(
        [
            f"{number} {offset} {rng.choice(['ADD', 'MUL', 'EXP', 'SDIV', 'LT', 'SHL', 'BYTE', 'SUB'])} POP",
            f"{number} {offset} {rng.choice(['MSTORE', 'MSTORE8'])}",
            f"{rng.choice([0, number])} {rng.randrange(3)} {rng.choice(['SSTORE', 'TSTORE'])}",
            f"{rng.randrange(3)} {rng.choice(['SLOAD', 'TLOAD', 'BALANCE', 'EXTCODEHASH', 'MLOAD'])} POP",
            f"{offset} {rng.randrange(50)} 0 {rng.choice(['CODECOPY', 'CALLDATACOPY', 'MCOPY'])}",
            f"{offset} 0 KECCAK256 POP",
            f"{number} {offset} 0 LOG1",
            "RETURNDATASIZE 0 0 RETURNDATACOPY",
            "JUMPDEST JUMPDEST GAS POP JUMPDEST MSIZE DUP1 SWAP1 POP POP",
            call(rng),
            creation(rng),
        ]
    )


def program(rng: random.Random, length: int) -> bytes:
    body = assemble(" ".join(statement(rng) for _ in range(rng.randrange(1, length))))
    target = len(body) + 4
    jump = assemble(f"PUSH2 {target + rng.choice([0, 0, 0, 1])} {rng.choice(['JUMP', 'JUMP', 'ADD'])}")
    ending = rng.choice(["32 0 RETURN", "1 0 REVERT", "STOP", f"{OTHER} SELFDESTRUCT", "INVALID", "ADD", "0 SLOAD", ""])
    return body + jump + assemble(f"JUMPDEST {ending}") + rng.choice([b"", b"\x0c"])


# A creation whose address is taken, and calls that cannot pay their value.
CHOSEN = (
    "7 0 0 0 CREATE2 POP 7 0 0 0 CREATE2 STOP",
    "0 0 0 0 5000 4 1000 CALL 0 0 5000 CREATE STOP",
    "0 0 0 0 1 0x7e4 1000 CALL STOP",
)


def programs(count: int) -> Programs:
    rng = random.Random(3155)
    codes = [assemble(text) for text in CHOSEN] + [program(rng, 14) for _ in range(count)]
    return [
        {
            "sender": f"0x{SENDER:040x}",
            "to": f"0x{MAIN:040x}",
            "codes": {f"0x{MAIN:040x}": code.hex(), f"0x{OTHER:040x}": program(rng, 6).hex()},
            "gas": 300_000 if number < len(CHOSEN) else rng.choice([300_000, 100_000, 40_000, 3_000, 100]),
        }
        for number, code in enumerate(codes)
    ]


def revm_traces(chosen: Programs, output: Path) -> list[list[dict[str, Any]]]:
    """One trace for each program. revm writes character by character, so it writes to a file."""
    script = Path(__file__).with_name("revm_traces.py")
    with output.open("w") as file:
        subprocess.run(
            [sys.executable, script], input=json.dumps(chosen), stdout=file, text=True, check=True, timeout=PATIENCE
        )
    traces: list[list[dict[str, Any]]] = [[]]
    for line in output.read_text().splitlines():
        fields = json.loads(line)
        if "stateRoot" in fields:
            traces.append([])
        else:
            traces[-1].append(fields)
    return traces[:-1]


def theirs(fields: dict[str, Any]) -> dict[str, Any]:
    """revm's line in the form of ours. A price is compared unless the instruction failed."""
    error = fields.get("error")
    own = {name: fields[name] for name in ("pc", "op", "gas", "stack", "depth")}
    own["memSize"] = int(fields["memSize"])
    own["gasCost"] = fields["gasCost"] if error in (*NO_FAILURE, REVERTED) else None
    own["refund"] = fields["refund"] if fields["depth"] == 1 else None
    own["failed"] = error not in NO_FAILURE
    return own


def ours(step: Step) -> dict[str, Any]:
    fields = step_object(step)
    own = {name: fields[name] for name in ("pc", "op", "gas", "stack", "depth", "memSize")}
    own["gasCost"] = fields["gasCost"] if step.failure in (None, Status.REVERT) else None
    own["refund"] = fields["refund"] if step.depth == 1 else None
    own["failed"] = "error" in fields
    return own


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.nightly)])
def test_traces_of_random_programs_are_those_of_revm(tmp_path: Path, count: int) -> None:
    """Program counter, opcode, gas, price, memory size, stack, depth, refund and failure of each instruction."""
    chosen = programs(count)
    steps: list[Step] = []
    machine = stepping_machine(
        steps.append, fork="cancun", host_addresses=False, chain=BlockEnvironment(number=300, timestamp=1000)
    )
    machine.set_account(SENDER, balance=10**30)
    mark, total = machine.mark(), 0
    for case, expected in zip(chosen, revm_traces(chosen, tmp_path / "traces"), strict=True):
        steps.clear()
        for address, code in case["codes"].items():
            machine.set_account(int(address, 16), nonce=1, balance=1000, code=bytes.fromhex(code))
        machine.transact(sender=SENDER, to=MAIN, gas=case["gas"], mint=False)
        machine.rollback(mark)
        assert [ours(step) for step in steps] == [theirs(fields) for fields in expected], case
        total += len(steps)
    assert total > 20 * count


def run(text: str, gas: int = 100_000) -> tuple[list[Step], Machine]:
    steps: list[Step] = []
    machine = stepping_machine(steps.append, host_addresses=False)
    machine.set_account(MAIN, code=assemble(text))
    machine.transact(sender=SENDER, to=MAIN, gas=gas)
    return steps, machine


def test_stepping_comes_to_the_same_as_the_compiled_kernel(compiled: Kernel) -> None:
    """The decoding differs, the result does not."""
    text = "7 0 SSTORE 0 SLOAD 0 MSTORE 32 0 LOG0 JUMPDEST 32 0 RETURN"
    fast = Machine(compiled, Host, host_addresses=False)
    slow = stepping_machine(lambda step: None, host_addresses=False)
    results = []
    for machine in (fast, slow):
        machine.set_account(MAIN, code=assemble(text))
        results.append(machine.transact(sender=SENDER, to=MAIN, gas=100_000))
    assert results[0] == results[1]


def test_the_instruction_that_fails_is_the_one_that_lacks_gas() -> None:
    """Though the kernel pays for a whole block at its start."""
    steps, _ = run("1 2 ADD POP 5 POP", gas=10)
    assert [step.opcode.name for step in steps] == ["PUSH1", "PUSH1", "ADD", "POP"]
    assert [step.failure for step in steps] == [None, None, None, Status.OUT_OF_GAS]
    assert steps[-1].gas == 1


def test_a_jumpdest_that_cannot_be_paid_fails_itself() -> None:
    """It shares a block with what follows."""
    steps, _ = run("1 JUMPDEST POP", gas=3)
    assert [(step.opcode.name, step.failure) for step in steps] == [("PUSH1", None), ("JUMPDEST", Status.OUT_OF_GAS)]
    steps, _ = run("1 JUMPDEST POP", gas=4)
    assert [step.opcode.name for step in steps] == ["PUSH1", "JUMPDEST", "POP"]
    assert steps[-1].failure is Status.OUT_OF_GAS


def test_return_data_is_what_the_last_call_returned() -> None:
    """As EIP-3155 asks; the identity precompile returns its input."""
    steps, _ = run("0xff 0 MSTORE8 0 0 2 0 0 4 GAS CALL POP STOP")
    assert steps[-1].return_data == b"\xff\x00"
    assert steps[0].return_data == b""


@pytest.mark.parametrize("status", [status for status in Status if not status.success])
def test_every_failure_has_a_text(status: Status) -> None:
    """For the `error` of its instruction."""
    assert ERRORS[status]


@settings(deadline=None)  # the first example builds the table of handlers
@given(st.binary(max_size=60))
def test_block_starts_are_those_of_the_decoder(data: bytes) -> None:
    """The n-th block header stands for the n-th start."""
    found = block_starts(
        data, lambda byte: max(OPCODES[byte].ending, decode_entry.ENDS_BLOCK) if byte in OPCODES else decode_entry.STOPS
    )
    store = machine_of_blocks().code_store
    record = store.register(data, 0)
    if data:
        number = next(number for number, covered in enumerate(store.codes) if covered.map.contract == _name(data))
        assert tuple(found) == store.codes[number].map.block_starts, record


def _name(data: bytes) -> str:
    from simulator.evm.kernel.plain.keccak import keccak_bytes

    return "0x" + keccak_bytes(data).hex()


_machines: list[Machine] = []


def machine_of_blocks() -> Machine:
    if not _machines:
        _machines.append(stepping_machine(lambda step: None, fork="osaka"))
    return _machines[0]

"""Compiled code does exactly what the interpreter does."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from simulator.evm.arenas import read_bytes
from simulator.evm.compiled.installation import CompiledCodes
from simulator.evm.host import Host
from simulator.evm.kernel.layout.comparison import Comparison
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from tests.support.branching_programs import CONTRACT, OTHER, SENDER, Calls, calls, link

UNHURRIED = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
COUNTERS = (
    "new_coverage",
    "comparisons_count",
    "watched_event",
    "volatile_read",
    "dirty",
    "failed_return",
)


def side_of(machine: Machine, cell: CoverageCell) -> tuple[int, int] | None:
    """Code and place of a coverage cell, wherever this machine keeps it."""
    for number, code in enumerate(machine.codes):
        place = pointer(cell) - code.cells.ctypes.data
        if 0 <= place < code.cells.nbytes:
            return number, place
    return None


def observe(kernel: Kernel, scenario: Calls, *, compiled: bool, fork: str = "cancun") -> list[object]:
    """Everything that a campaign can see of the transactions."""
    machine = Machine(kernel, Host, fork=fork)
    if compiled:
        CompiledCodes(machine).compile_everything()
    machine.context.reader = 2
    machine.context.comparisons_on = True
    machine.set_account(CONTRACT, code=scenario.main, balance=1000, storage={3: 9})
    machine.set_account(OTHER, code=scenario.other, balance=7)
    seen: list[object] = []
    for data, gas in scenario.transactions:
        seen.append(machine.transact(sender=SENDER, to=CONTRACT, data=data, value=5, gas=gas))
        seen.append([getattr(machine.context, name) for name in COUNTERS])
        seen.append([side_of(machine, each) for each in (machine.context.last_side, machine.context.failed_side)])
        seen.append([(code.map, code.cells.tolist()) for code in machine.codes])
        seen.append([machine.get_storage(each, key) for each in (CONTRACT, OTHER) for key in range(8)])
        seen.append([machine.get_balance(each) for each in (CONTRACT, OTHER, SENDER)])
        seen.append(read_bytes(pointer(machine.context.comparisons), 64 * Comparison.SIZE))
        seen.append(machine.context.read_count)
    return seen


@settings(UNHURRIED, max_examples=60)
@given(scenario=calls)
def test_compiled_code_does_what_the_interpreter_does(compiled: Kernel, scenario: Calls) -> None:
    """Results, gas, logs, state, coverage cells, comparisons and read marks, also where gas runs out."""
    assert observe(compiled, scenario, compiled=True) == observe(compiled, scenario, compiled=False)


@pytest.mark.nightly
@settings(UNHURRIED, max_examples=5_000)
@given(scenario=calls)
def test_compiled_code_does_what_the_interpreter_does_many_times(compiled: Kernel, scenario: Calls) -> None:
    """The same, 5,000 scenarios."""
    assert observe(compiled, scenario, compiled=True) == observe(compiled, scenario, compiled=False)


# Between the parts gas may run out, memory grows, internal functions are called from two places, and a loop is left.
COUNTED = (
    "@back1 3 @twice JUMP :back1 0 MSTORE @back2 5 @twice JUMP :back2 32 MSTORE "
    "4 :loop DUP1 1 SSTORE 1 SWAP1 SUB DUP1 @loop JUMPI POP 64 0 KECCAK256 2 SSTORE 1 SLOAD 2 SLOAD 64 0 LOG2 "
    "0 0 0 0 0 0x07e4 GAS CALL 3 SSTORE 96 0 RETURN :twice DUP1 ADD SWAP1 JUMP"
)
PRICED = "2 7 EXP 0 MSTORE 300 31 MCOPY 0 0 200 CALLDATACOPY 3 5 DIV 7 MOD 0 TLOAD ADD SELFBALANCE TIMESTAMP 9 0 REVERT"
# A frame that fails at a header failed in the block before it, also where regions meet.
CROSSED = "@back @function JUMP :back 1 JUMP :function CALLVALUE 0 MUL @inner ADD JUMP INVALID :inner 1 2 ADD POP JUMP"
# Panics are told apart by the side of a branch, here of the second or of the first, and by where the helper was called.
PANICS = (
    "CALLDATASIZE @first JUMPI @back1 @panic JUMP :back1 STOP :first CALLVALUE @second JUMPI STOP "
    ":second @back2 @panic JUMP :back2 STOP :panic 36 0 REVERT"
)
GAS_LIMITS = (*range(400), *range(400, 120_000, 487))


@pytest.mark.parametrize("program", [COUNTED, PRICED, CROSSED], ids=["counted", "priced", "crossed"])
def test_gas_may_run_out_anywhere(compiled: Kernel, program: str) -> None:
    """Every gas limit up to what is needed fails, or not, as in the interpreter, with the same blocks counted."""
    scenario = Calls(link(program), link("1 1 SSTORE STOP"), tuple((b"", gas) for gas in GAS_LIMITS))
    assert observe(compiled, scenario, compiled=True) == observe(compiled, scenario, compiled=False)


def test_failures_have_the_places_that_the_interpreter_tells(compiled: Kernel) -> None:
    """The branch taken last, and the caller of the function that fails, though compiled code seldom writes them."""
    scenario = Calls(link(PANICS), link("STOP"), ((b"", 100_000), (b"1", 100_000)))
    seen = observe(compiled, scenario, compiled=True)
    assert seen == observe(compiled, scenario, compiled=False)
    places = [each[-1] for each in seen if isinstance(each, list) and len(each) == len(COUNTERS)]
    assert len(set(places)) == len(places)
    assert all(places)


@pytest.mark.parametrize("fork", ["istanbul", "berlin", "shanghai", "osaka"])
def test_every_fork_has_its_gas_schedule(compiled: Kernel, fork: str) -> None:
    """What a fork says of gas is in the decoded code and in the context, and neither is compiled in wrongly."""
    scenario = Calls(link(COUNTED), link("1 1 SSTORE STOP"), tuple((b"", gas) for gas in (30_000, 90_000, 400_000)))
    assert observe(compiled, scenario, compiled=True, fork=fork) == observe(
        compiled, scenario, compiled=False, fork=fork
    )

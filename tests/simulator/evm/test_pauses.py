"""Calls that pause in their middle, to continue or to be given up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from simulator.errors import CallStoppedError
from simulator.evm.assembly import assemble
from simulator.evm.compiled.installation import CompiledCodes
from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from tests.support.patience import PATIENCE, POLL_SECONDS

SENDER, CONTRACT = 0xAAAA, 0xC0DE
FOR_YEARS = 2**62
ENDLESS = "1 7 SSTORE 0 JUMPDEST 1 ADD 7 JUMP"
"""Writes a slot, then counts until the gas is gone."""


def rounds(count: int) -> str:
    """A loop that returns how often it was executed."""
    return f"0 JUMPDEST 1 ADD DUP1 {count} GT 2 JUMPI 0 MSTORE 32 0 RETURN"


def machine_with(kernel: Kernel, program: str, *, compiled: bool) -> Machine:
    machine = Machine(kernel, Host)
    if compiled:
        CompiledCodes(machine).compile_everything()
    machine.set_account(CONTRACT, code=assemble(program))
    return machine


@contextmanager
def pausing(machine: Machine) -> Iterator[None]:
    """Another thread asks for pauses, again and again."""
    ended = threading.Event()

    def ask() -> None:
        while not ended.wait(POLL_SECONDS):
            machine.context.wants_pause = True

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(PATIENCE)


@pytest.mark.parametrize("where", ["plain", "interpreted", "compiled"])
def test_a_call_that_never_ends_is_stopped_and_undone(compiled: Kernel, plain: Kernel, where: str) -> None:
    """In each twin; the machine then executes the next call as if nothing had been."""
    machine = machine_with(plain if where == "plain" else compiled, ENDLESS, compiled=where == "compiled")
    mark = machine.mark()
    machine.is_stopped = lambda: True
    with pausing(machine), pytest.raises(CallStoppedError):
        machine.transact(sender=SENDER, to=CONTRACT, gas=FOR_YEARS)
    machine.rollback(mark)
    assert machine.get_storage(CONTRACT, 7) == 0
    machine.is_stopped, machine.context.wants_pause = lambda: False, False
    assert machine.transact(sender=SENDER, to=CONTRACT, gas=50_000).gas_used == 50_000


@pytest.mark.parametrize("where", ["plain", "interpreted", "compiled"])
def test_a_pause_changes_nothing_of_a_call(compiled: Kernel, plain: Kernel, where: str) -> None:
    """Output, gas and coverage are those of a call in one go. The first block pauses always, others as it happens."""
    kernel, is_compiled = plain if where == "plain" else compiled, where == "compiled"
    count = 1_000 if where == "plain" else 1_000_000
    whole = machine_with(kernel, rounds(count), compiled=is_compiled)
    expected = whole.transact(sender=SENDER, to=CONTRACT, gas=FOR_YEARS)
    paused = machine_with(kernel, rounds(count), compiled=is_compiled)
    looks: list[int] = []
    paused.is_stopped = lambda: bool(looks.append(paused.context.gas))
    paused.context.wants_pause = True
    with pausing(paused):
        assert paused.transact(sender=SENDER, to=CONTRACT, gas=FOR_YEARS) == expected
    assert int.from_bytes(expected.output, "big") == count
    assert looks[0] == FOR_YEARS
    assert [code.cells.tolist() for code in paused.codes] == [code.cells.tolist() for code in whole.codes]


def test_a_wish_to_stop_holds_for_what_begins_next(compiled: Kernel) -> None:
    """A hundred executions that follow each other do not each run until they are asked again."""
    machine = machine_with(compiled, ENDLESS, compiled=False)
    mark = machine.mark()
    machine.is_stopped = lambda: True
    machine.context.wants_pause = True
    for _ in range(2):
        with pytest.raises(CallStoppedError):
            machine.transact(sender=SENDER, to=CONTRACT, gas=FOR_YEARS)
        machine.rollback(mark)

"""The sequence that a worker executes, as its supervisor reads it from shared memory."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.fuzz.sharing import shared_memory
from simulator.fuzz.sharing.running_sequence import running_sequence
from simulator.fuzz.sharing.shared_header import SharedHeader
from simulator.fuzz.sharing.shared_memory import DESCRIPTOR_VARIABLE, SharedMemory, inherited_memory, make_shared_memory
from simulator.transaction import Transaction, wei_bytes

SOURCE = """
interface Vm { function fee(uint256 base) external; }
contract Sleeper {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 private touched;
    function touch(uint256 n) public { touched = n; }
    function sleep(bytes calldata dream) public payable { touched = dream.length; vm.fee(1); }
}
"""


@pytest.fixture
def descriptor() -> Iterator[int]:
    made = make_shared_memory()
    assert made is not None
    yield made
    os.close(made)


transactions = st.builds(
    Transaction,
    sender=st.binary(min_size=20, max_size=20),
    to=st.binary(min_size=20, max_size=20),
    data=st.binary(max_size=200),
    value=st.integers(0, 2**256 - 1).map(wei_bytes),
    seconds=st.integers(0, 2**60),
    blocks=st.integers(0, 2**60),
    gas=st.integers(0, 2**62),
)
waits = st.builds(Transaction, sender=st.binary(min_size=20, max_size=20), to=st.just(b""), seconds=st.integers(1, 9))


@given(sequence=st.lists(transactions | waits, min_size=1, max_size=5).map(tuple))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_held_sequence_is_read_as_it_is(descriptor: int, sequence: tuple[Transaction, ...]):
    """Within the block, and nothing after it."""
    memory = SharedMemory(descriptor)
    with memory.holding(sequence):
        assert running_sequence(descriptor) == sequence
    assert running_sequence(descriptor) == ()


def test_the_loop_tells_what_it_executes_up_to_the_current_call(make_worker, descriptor: int):
    """Whether it was built from nothing, from the corpus, or given; between two sequences there is none."""
    worker = make_worker(SOURCE, test_mode="exploration", memory=SharedMemory(descriptor))
    seen = []
    serve = worker.machine.host.serve

    def look() -> None:
        seen.append(running_sequence(descriptor))
        serve()

    worker.machine.host.serve = look
    worker.engine.fuzz(2_000)
    built = seen[0]
    worker.engine.add_to_corpus(built)
    while len(seen) < 200:
        worker.engine.fuzz(worker.engine.calls + 200)
    assert running_sequence(descriptor) == ()
    assert all(seen)
    selectors = {target.function.name: target.selector for target in worker.engine.targets}
    assert all(sequence[-1].data.startswith(selectors["sleep"]) for sequence in seen)
    assert any(sequence[: len(built)] == built and len(sequence) > len(built) for sequence in seen)
    seen.clear()
    worker.engine.execute(built, check=True)
    assert seen[-1] == built
    seen.clear()
    worker.replayer.replay(built, None, trace=True)
    assert seen[0] == built


@given(noise=st.binary(max_size=400), place=st.integers(0, 400), numbers=st.lists(st.integers(-(2**63), 2**63 - 1)))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_dying_worker_left_is_read_or_refused(descriptor: int, noise: bytes, place: int, numbers: list[int]):
    """Addresses outside, absurd counts, noise: no sequence, and no error."""
    memory = SharedMemory(descriptor)
    sequence = (Transaction(bytes(20), b"\x01" * 20, b"\x02" * 40),)
    with memory.holding(sequence):
        for index, number in enumerate(numbers[: SharedHeader.SIZE // 8]):
            os.pwrite(descriptor, number.to_bytes(8, "little", signed=True), 8 * index)
        os.pwrite(descriptor, noise, place)
        assert isinstance(running_sequence(descriptor), tuple)


def test_what_does_not_fit_the_shared_memory_is_of_the_worker_alone(descriptor: int, monkeypatch: pytest.MonkeyPatch):
    """The worker continues; its sequence is then not known."""
    memory = SharedMemory(descriptor)
    huge = tuple(Transaction(bytes(20), b"\x01" * 20, bytes(40_000)) for _ in range(40))
    with memory.holding(huge):
        assert running_sequence(descriptor) == ()
    first = memory.arena(1_000)
    monkeypatch.setattr(shared_memory, "SHARED_SIZE", 0)
    second = memory.arena(1_000)
    second.write(0, b"own")
    assert second.read(0, 3) == b"own"
    assert abs(second.address - first.address) > 1_000


def test_memory_that_is_not_there_costs_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path):
    """A worker that was started without, or with something else, works all the same."""
    monkeypatch.delenv(DESCRIPTOR_VARIABLE, raising=False)
    assert inherited_memory() is None
    with (tmp_path / "empty").open("wb") as file:
        for number in ("", "nonsense", "99999", str(file.fileno())):
            monkeypatch.setenv(DESCRIPTOR_VARIABLE, number)
            assert inherited_memory() is None
            assert DESCRIPTOR_VARIABLE not in os.environ

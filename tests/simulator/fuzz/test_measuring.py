"""Measuring what one sequence covers, on the compiled kernel."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.fuzz.checking.replay import Replayer
from simulator.fuzz.feedback.features import FeatureSet, numbered_features
from simulator.fuzz.feedback.measuring import Measurer
from simulator.transaction import Transaction

pytestmark = pytest.mark.integration

SOURCE = """
contract Box { uint256 public size; constructor(uint256 s) { size = s; } function grow() public { size += 1; } }
contract Maker {
    uint256 public count;
    function add(uint256 n) public { require(n < 10, "too much"); if (count > 3) count += n; else count += 1; }
    function make(uint256 n) public { Box box = new Box(n); box.grow(); }
    function echidna_true() public view returns (bool) { return true; }
}
"""


def call(worker, signature: str, *values: int) -> Transaction:
    target = next(t for t in worker.functions if t.function.signature == signature)
    return Transaction(
        worker.settings.senders[0], worker.settings.contract_address, target.function.encode_call(values)
    )


def measurer_of(worker) -> Measurer:
    return Measurer(Replayer(worker.machine, worker.settings), lambda: worker.machine.codes)


def as_sets(measure) -> dict[int, set[int]]:
    return {code: set(np.frombuffer(features, "<u4").tolist()) for code, features in measure.features}


def test_a_measure_is_what_an_execution_alone_covers(make_worker):
    """The features are those that the native loop sets when nothing else ran; they depend on the sequence only."""
    worker = make_worker(SOURCE)
    measurer = measurer_of(worker)
    sequence = (call(worker, "add(uint256)", 3), call(worker, "add(uint256)", 99), call(worker, "make(uint256)", 1))
    worker.engine.execute(sequence, check=False)  # codes that appear get their cells while they run for the first time
    for covered in worker.machine.codes:
        covered.cells[:] = 0
    worker.engine.execute(sequence, check=False)
    native = {
        number: set(np.frombuffer(numbered_features(covered.map, covered.cells), "<u4").tolist())
        for number, covered in enumerate(worker.machine.codes)
    }
    assert as_sets(measurer.measure(sequence)) == {code: found for code, found in native.items() if found}
    assert measurer.measure(sequence) == measurer.measure(sequence)


def test_a_measure_leaves_no_trace(make_worker):
    """Counts, flags and what counts as new are as before; so is the state."""
    worker = make_worker(SOURCE)
    measurer, features = measurer_of(worker), FeatureSet(lambda: worker.machine.codes)
    worker.engine.execute((call(worker, "add(uint256)", 1),), check=False)
    features.take_new()
    before = [covered.cells.copy() for covered in worker.machine.codes]
    measurer.measure((call(worker, "add(uint256)", 5),) * 5 + (call(worker, "make(uint256)", 1),))
    after = [covered.cells for covered in worker.machine.codes]
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=False))
    assert features.take_new() == {}


def test_gas_is_told_for_each_transaction(make_worker):
    """What execution takes, without the 21,000 of every transaction; a wait uses none, a refused call little."""
    worker = make_worker(SOURCE)
    wait = Transaction(worker.settings.senders[0], b"", seconds=5)
    measure = measurer_of(worker).measure((call(worker, "add(uint256)", 1), wait, call(worker, "add(uint256)", 50)))
    assert measure.gas[1] == 0
    assert 20_000 < measure.gas[0] < 30_000, "a store into a fresh slot"
    assert 0 < measure.gas[2] < 2_000


def test_subsets_of_a_sequence_cover_subsets(make_worker):
    """What the first call covers, the whole sequence covers."""
    worker = make_worker(SOURCE)
    measurer = measurer_of(worker)
    whole = (call(worker, "add(uint256)", 1),) * 6
    first, all_of_it = as_sets(measurer.measure(whole[:1])), as_sets(measurer.measure(whole))
    assert all(found <= all_of_it[code] for code, found in first.items())
    assert sum(map(len, first.values())) < sum(map(len, all_of_it.values()))

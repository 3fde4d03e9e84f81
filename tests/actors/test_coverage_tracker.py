"""The coverage tracker: unions over workers and over the processes of one worker."""

from __future__ import annotations

import struct

import hypothesis.strategies as st
import pytest
from hypothesis import given

from actors.coverage.tracker import CoverageTracker
from simulator.coverage.code_coverage import COUNT_MASK
from simulator.coverage.code_map import CodeMap
from simulator.errors import FrameError
from simulator.transaction import Transaction
from simulator.worker.reports import Coverage, FunctionCounts, FunctionInfo, Ready
from tests.support.fake_worker import CODE

OTHER = CodeMap("Other.sol:Other", "runtime", (0,), (4,), ())


def cell(count: int, depths: int = 0, outcomes: int = 0) -> int:
    return count | depths << 48 | outcomes << 56


def frame(cells: dict[int, int], code: int = 0) -> Coverage:
    return Coverage(code, struct.pack(f"<{len(cells)}I", *cells), struct.pack(f"<{len(cells)}Q", *cells.values()))


def counts(tracker: CoverageTracker, code: int = 0) -> tuple[int, ...]:
    return tracker.snapshot().codes()[code].counts


def test_counts_of_workers_add_up():
    """Totals are per worker; a later total of the same worker replaces its earlier one."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE,))
    tracker.begin(1, (CODE,))
    tracker.absorb(0, frame({0: 5, 3: 1}))
    tracker.absorb(1, frame({0: 7}))
    tracker.absorb(0, frame({0: 6}))
    assert counts(tracker)[:4] == (13, 0, 0, 1)


def test_a_replaced_process_starts_at_zero_without_loss():
    """What the lost process counted stays, and its successor counts from there."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE,))
    tracker.absorb(0, frame({0: 5}))
    tracker.begin(0, (CODE,))
    assert counts(tracker)[0] == 5
    tracker.absorb(0, frame({0: 2}))
    assert counts(tracker)[0] == 7
    tracker.retire(0)
    assert counts(tracker)[0] == 7


def test_masks_unite():
    """Depths and outcomes of the kernel's cells are united, never added."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE,))
    tracker.begin(1, (CODE,))
    tracker.absorb(0, frame({0: cell(1, depths=1, outcomes=1)}))
    tracker.absorb(1, frame({0: cell(1, depths=1, outcomes=2)}))
    coverage = tracker.snapshot().codes()[0]
    assert (coverage.counts[0], coverage.outcomes[0]) == (2, 3)


def test_points_count_what_is_new_to_all():
    """A cell seen by two workers is one point; another depth or outcome of it is another."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE,))
    tracker.begin(1, (CODE,))
    tracker.absorb(0, frame({0: cell(1, depths=1), 8: 1}))
    tracker.absorb(1, frame({0: cell(9, depths=1), 8: 4}))
    assert tracker.statistics().points == 2
    tracker.absorb(1, frame({0: cell(9, depths=3, outcomes=2)}))
    assert tracker.statistics().points == 4


def test_workers_may_number_codes_differently():
    """A code is known by its map, not by a worker's number."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE, OTHER))
    tracker.begin(1, (OTHER,))
    tracker.add_code(1, 1, CODE)
    tracker.absorb(0, frame({0: 1}, code=1))
    tracker.absorb(1, frame({0: 2}, code=0))
    assert counts(tracker, 1) == (3,)
    assert tracker.statistics().known == 2


def test_functions_are_counted_over_processes():
    """Calls and reverts add up over workers and former processes."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE,))
    tracker.count_functions(0, FunctionCounts((3, 4), (1, 0)))
    tracker.begin(0, (CODE,))
    tracker.count_functions(0, FunctionCounts((1, 1), (1, 1)))
    tracker.begin(1, (CODE,))
    tracker.count_functions(1, FunctionCounts((10, 0), (0, 0)))
    assert tracker.function_counts() == ((14, 2), (5, 1))
    tracker.retire(1)
    tracker.retire(1)
    assert tracker.function_counts() == ((14, 2), (5, 1))


@pytest.mark.parametrize(
    "bad",
    [frame({99: 1}), frame({0: 1}, code=7), Coverage(0, b"abc", b""), Coverage(0, bytes(4), bytes(4))],
    ids=["no such cell", "no such code", "odd bytes", "lengths differ"],
)
def test_frames_that_contradict_the_maps_are_refused(bad: Coverage):
    """A worker that sends nonsense is told apart before it harms the totals."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE,))
    with pytest.raises(FrameError):
        tracker.absorb(0, bad)


def test_functions_know_calls_reverts_and_last_coverage():
    """Absolute per process, so a restart counts nothing twice; coverage is credited to the last call's function."""
    tracker = CoverageTracker()
    functions = (
        FunctionInfo("A", "f()", b"ffff", False),
        FunctionInfo("B", "f()", b"ffff", False),
        FunctionInfo("A", "g()", b"gggg", False),
    )
    ready = Ready((), functions, (CODE,), ((b"\x0a" * 20, "src/A.sol:A"), (b"\x0b" * 20, "B")))
    for _ in range(2):
        tracker.begin(0, (CODE,), ready)
        tracker.count_functions(0, FunctionCounts((1, 2, 3), (0, 1, 0)))
        tracker.count_functions(0, FunctionCounts((2, 2, 3), (0, 1, 0)))
    tracker.cover_function(Transaction(b"\x01" * 20, b"\x0b" * 20, b"ffff" + bytes(32)), 5.0)
    tracker.cover_function(Transaction(b"\x01" * 20, b"\x99" * 20, b"gggg"), 6.0)
    tracker.cover_function(Transaction(b"\x01" * 20, b"\x99" * 20, b"ffff"), 7.0)
    assert [(each.contract, each.calls, each.reverts, each.last_coverage) for each in tracker.functions()] == [
        ("A", 4, 0, None),
        ("B", 4, 2, 5.0),
        ("A", 6, 0, 6.0),
    ]


def test_features_have_one_number_whichever_worker_measures_them():
    """Two workers that number codes differently mean the same features."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE, OTHER))
    tracker.begin(1, (OTHER, CODE))
    first = tracker.feature_set(0, ((0, struct.pack("<2I", 0, 33)), (1, struct.pack("<I", 0))))
    assert first == 0b111
    assert tracker.feature_set(1, ((0, struct.pack("<I", 0)), (1, struct.pack("<2I", 33, 34)))) == 0b1110
    assert tracker.features_at(CODE, 2) == (1, 3)
    assert tracker.features_at(OTHER, 0) == (2,)
    assert tracker.statistics().features == 4


@pytest.mark.parametrize(
    "features", [((0, b"abc"),), ((0, struct.pack("<I", 16 * CODE.cells)),), ((7, bytes(4)),)], ids=str
)
def test_features_that_contradict_the_maps_are_refused(features):
    """Odd bytes, cells that do not exist, codes that nobody introduced."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE,))
    with pytest.raises(FrameError):
        tracker.feature_set(0, features)


def test_a_snapshot_is_of_one_moment():
    """What is counted later, or by a process that ends later, does not change it."""
    tracker = CoverageTracker()
    tracker.begin(0, (CODE,))
    tracker.absorb(0, frame({0: 5}))
    snapshot = tracker.snapshot()
    tracker.absorb(0, frame({0: 50, 1: 1}))
    tracker.begin(0, (CODE,))
    assert snapshot.codes()[0].counts[:2] == (5, 0)
    assert snapshot.frames == 1


@given(st.lists(st.tuples(st.integers(0, 2), st.dictionaries(st.integers(0, 15), st.integers(0, 2**64 - 1)))))
def test_the_union_is_that_of_a_plain_model(frames):
    """Points and cells of any frames from any workers agree with Python integers, one by one."""
    tracker = CoverageTracker()
    live: dict[int, dict[int, int]] = {}
    seen = [0] * CODE.cells
    for worker in range(3):
        tracker.begin(worker, (CODE,))
    for worker, cells in frames:
        cells = dict(sorted(cells.items()))
        tracker.absorb(worker, frame(cells))
        live.setdefault(worker, {}).update(cells)
        for index, value in cells.items():
            seen[index] |= (value >> 47) & 0x1FFFE | bool(value)
    expected = [0] * CODE.cells
    for cells in live.values():
        for index, value in cells.items():
            count = min((expected[index] & COUNT_MASK) + (value & COUNT_MASK), COUNT_MASK)
            expected[index] = count | (expected[index] | value) & ~COUNT_MASK
    assert counts(tracker) == tuple(value & COUNT_MASK for value in expected)
    points = sum(
        (mask & 1 and max(1, (mask >> 1 & 0xFF).bit_count())) + (mask >> 9 & 0xFF).bit_count() for mask in seen
    )
    assert tracker.statistics().points == points

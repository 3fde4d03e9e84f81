"""The coverage tracker: unions over workers and over the processes of one worker."""

from __future__ import annotations

import struct

import pytest
from fake_worker import CODE

from actors.coverage_tracker import CoverageTracker
from simulator.coverage.code_map import CodeMap
from simulator.errors import FrameError
from simulator.worker.protocol import Coverage, FunctionCounts

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

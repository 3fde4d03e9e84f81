"""Line coverage while the campaign runs, for people who watch: computed in a thread, seldom, only when it changed."""

from __future__ import annotations

from collections.abc import Callable

import trio

from actors.coverage_tracker import CoverageSnapshot, CoverageTracker
from simulator.coverage.line_coverage import CoverageMapper
from simulator.errors import CompileError
from simulator.project import Project

INTERVAL = 3.0
MOST_SHARE = 0.02


async def watch_lines(project: Project, tracker: CoverageTracker, tell: Callable[[int, int], None]) -> None:
    """Until cancelled, `tell(covered, total)` lines soon after coverage has grown, spending at most `MOST_SHARE` of a
    core on it. Ends early when the project's source maps cannot be read; the final report says why."""
    mapper = CoverageMapper(project)
    points = -1
    pause = INTERVAL
    while True:
        await trio.sleep(pause)
        now = tracker.statistics().points
        if now == points:
            continue
        points, began = now, trio.current_time()
        try:
            covered, total = await trio.to_thread.run_sync(_count, mapper, tracker.snapshot())
        except CompileError:
            return
        tell(covered, total)
        pause = max(INTERVAL, (trio.current_time() - began) / MOST_SHARE)


def _count(mapper: CoverageMapper, snapshot: CoverageSnapshot) -> tuple[int, int]:
    files = mapper.files(snapshot.codes())
    return sum(file.lines_hit for file in files), sum(file.lines_found for file in files)

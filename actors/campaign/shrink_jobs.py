"""Shrinks that workers are executing: of which tests, by how many workers, within how many attempts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

MAX_SHRINKERS = 8
"""Workers that shrink one test at the same time, each in an order of its own."""


@dataclass(frozen=True)
class ShrinkJob:
    """One slice: attempts of earlier jobs, and whether any progress was reported. `helpers` are those that joined the
    first worker, `busy` those of all that are not done."""

    before: int
    granted: int
    used: int = 0
    confirmed: bool = False
    helpers: int = 0
    busy: int = 1


class ShrinkJobs:
    """Jobs by test. Plain state; the table of tests owns it."""

    def __init__(self) -> None:
        self._jobs: dict[int, ShrinkJob] = {}
        self._shrinkers: dict[int, int] = {}  # by test: the worker that is in the middle of it

    def __contains__(self, test: int) -> bool:
        return test in self._jobs

    def get(self, test: int) -> ShrinkJob | None:
        return self._jobs.get(test)

    def can_begin(self, test: int, worker: int | None) -> bool:
        """Return whether no worker shrinks this test, and no other worker is in the middle of it."""
        return test not in self._jobs and (worker is None or self._shrinkers.get(test, worker) == worker)

    def begin(self, test: int, before: int, granted: int, worker: int | None) -> None:
        self._jobs[test] = ShrinkJob(before, granted)
        if worker is not None:
            self._shrinkers[test] = worker

    def to_help(self, is_shrinking: Callable[[int], bool]) -> int | None:
        """The test that the fewest workers shrink, of those that another may join: none where one is done, as the
        campaign would end the later."""
        open_tests = (test for test, job in self._jobs.items() if _takes_help(job) and is_shrinking(test))
        return min(open_tests, key=lambda each: self._jobs[each].busy, default=None)

    def join(self, test: int) -> ShrinkJob:
        """One worker more shrinks this test."""
        job = self._jobs[test]
        self._jobs[test] = replace(job, helpers=job.helpers + 1, busy=job.busy + 1)
        return self._jobs[test]

    def confirm(self, test: int, attempts: int) -> int:
        """A worker has reported progress after so many attempts. Returns those of the test so far, in all jobs."""
        job = self._jobs[test]
        self._jobs[test] = replace(job, used=max(job.used, attempts), confirmed=True)
        return job.before + min(self._jobs[test].used, job.granted)

    def leave(self, test: int) -> ShrinkJob:
        """One worker fewer shrinks this test; the job is over when it was the last."""
        job = replace(self._jobs[test], busy=self._jobs[test].busy - 1)
        if job.busy:
            self._jobs[test] = job
        else:
            del self._jobs[test]
        return job

    def drop(self, test: int) -> ShrinkJob | None:
        """A worker's process is dead; another may continue. Returns the job that it leaves."""
        self._shrinkers.pop(test, None)
        return self.leave(test) if test in self._jobs else None

    def clear(self) -> None:
        self._jobs.clear()


def _takes_help(job: ShrinkJob) -> bool:
    return job.busy == job.helpers + 1 and job.busy < MAX_SHRINKERS

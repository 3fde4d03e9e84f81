"""A campaign at one moment, as the live view, the status line and other readers see it. Plain, frozen values only."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from simulator.coverage.summary import ContractCoverage

Phase = Literal["compiling", "deploying", "replaying", "fuzzing", "shrinking", "idle", "reporting", "finished"]
TestState = Literal["open", "shrinking", "solved", "passed", "skipped", "error"]
WorkerState = Literal["starting", "replaying", "fuzzing", "shrinking", "idle", "restarting", "stopped", "failed"]


STALE_SECONDS = 5.0


class TestSnapshot(msgspec.Struct, frozen=True):
    """One test. `solved` is falsified with its shrink finished, `shrinking` falsified with its shrink ahead or under
    way. `detail` is short text for users: a reason, or the best value of an optimization."""

    __test__: ClassVar[bool] = False  # pytest takes a class of this name for a test case

    name: str
    state: TestState
    detail: str = ""

    @property
    def falsified(self) -> bool:
        return self.state in ("shrinking", "solved")


class WorkerSnapshot(msgspec.Struct, frozen=True):
    """One worker. `resident_memory` is in bytes, 0 while unknown; `restarts` counts processes lost so far;
    `age` is how many seconds ago it was heard of while it has work; `node` is its machine, empty for this one."""

    index: int
    state: WorkerState
    calls_per_second: float = 0.0
    resident_memory: int = 0
    restarts: int = 0
    age: float = 0.0
    node: str = ""


class ShrinkSnapshot(msgspec.Struct, frozen=True):
    """A shrink under way: executions used of those allowed, and the calls left in the smallest failing sequence."""

    test: str
    worker: int
    attempts: int
    limit: int
    sequence_length: int


class FindingSnapshot(msgspec.Struct, frozen=True):
    """One failure of a test: its place, empty for the test as a whole, and the calls of the shortest sequence found."""

    test: str
    site: str
    reason: str
    calls: tuple[str, ...]


class CampaignSnapshot(msgspec.Struct, frozen=True):
    """`elapsed` counts seconds since the command started, `fuzzing_seconds` those that count for the time limit;
    `calls_per_second` is the rate of about the last second and `mean_calls_per_second` that since fuzzing began. `age`
    is how many seconds ago the worker that is silent longest was heard of. A limit is None when the campaign has none,
    `lines_total` while the source lines are unknown, `seconds_since_coverage` before the first coverage. `messages`
    holds the latest events for users, oldest first, at most a few dozen. `activity` says what a phase is doing, such
    as the compiler's version. `message_count` counts all messages so far, so that a reader finds those it has not seen.
    `wanted_workers` are those that are to run; `contracts` is what of each is covered.
    """

    target: str
    mode: str
    phase: Phase
    seed: int
    elapsed: float = 0.0
    fuzzing_seconds: float = 0.0
    activity: str = ""
    calls: int = 0
    call_limit: int | None = None
    time_limit: float | None = None
    calls_per_second: float = 0.0
    age: float = 0.0
    mean_calls_per_second: float = 0.0
    coverage_points: int = 0
    lines_covered: int | None = None
    lines_total: int | None = None
    seconds_since_coverage: float | None = None
    corpus_sequences: int = 0
    tests: tuple[TestSnapshot, ...] = ()
    workers: tuple[WorkerSnapshot, ...] = ()
    shrinks: tuple[ShrinkSnapshot, ...] = ()
    messages: tuple[str, ...] = ()
    message_count: int = 0
    paused: bool = False
    wanted_workers: int = 0
    contracts: tuple[ContractCoverage, ...] = ()

    @property
    def is_stale(self) -> bool:
        """A worker has been silent for so long that the figures may be of the past."""
        return self.age >= STALE_SECONDS

    @property
    def falsified_tests(self) -> int:
        return sum(test.falsified for test in self.tests)

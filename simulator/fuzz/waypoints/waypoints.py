"""Waypoints: sequences that cover nothing new, but came nearer to something, and what is tried from them.

A property that reaches code it never reached, a comparison of a property or before a failure whose sides come closer
than ever, a greater value of an optimization test: each makes a sequence a waypoint. It is cut to the calls that matter,
built upon, and solved: with numbers of its calls changed, and with other calls appended. So a conjunction of conditions
is met one after the other, while those that hold are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from simulator.evm.kernel.records import pointer
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.comparisons.effort import Effort
from simulator.fuzz.comparisons.solving import ComparisonSolver
from simulator.fuzz.feedback.features import Cells, FeatureSet
from simulator.fuzz.feedback.trimming import Trimmer, drop_calls
from simulator.fuzz.loop.engine import Comparison, FuzzEngine
from simulator.fuzz.loop.near import Near, NearKind
from simulator.fuzz.waypoints.call_pool import CallPool
from simulator.fuzz.waypoints.climbing import climb
from simulator.fuzz.waypoints.distance import distance_class
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence

MAX_TASKS = 256
MAX_TRIMMING = 64
EXTENSIONS = 8
RECENT = 3
FIRST_LOOK, LEAST_STEP = 1024, 2048
REWARD = 96
"""Executions that a waypoint earns."""


@dataclass(frozen=True)
class Task:
    """A sequence to solve: in its last call alone where that was appended to a waypoint. With an oracle, arguments
    are followed while the value of that optimization test grows."""

    sequence: Sequence
    is_extension: bool = False
    climbs: int = -1


class Waypoints:
    """What is tried depends on the seed and the course of the calls alone."""

    def __init__(
        self,
        engine: FuzzEngine,
        settings: CampaignSettings,
        features: FeatureSet,
        trimmer: Trimmer,
        solver: ComparisonSolver,
        effort: Effort,
        oracles: list[Oracle],
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._features = features
        self._trimmer = trimmer
        self._solver = solver
        self._effort = effort
        self._oracles = {oracle.id: oracle for oracle in oracles}
        self._tasks: deque[Task] = deque(maxlen=MAX_TASKS)
        self._recent: deque[Sequence] = deque(maxlen=RECENT)
        self._known: set[Sequence] = set()
        self.pool = CallPool(engine)
        self.next_look = FIRST_LOOK

    @property
    def has_tasks(self) -> bool:
        """Whether there is anything to try. Looks whether it is time again to go on from the last waypoints."""
        if self._engine.calls >= self.next_look:
            self.next_look = self._engine.calls + max(LEAST_STEP, self._engine.calls // 4)
            for base in (*reversed(self._recent), ()):
                self._extend(base)
        if self._tasks and self._effort.is_spent:
            self._tasks.clear()
        return bool(self._tasks)

    def next_variants(self) -> Iterator[Sequence]:
        """Sequences to execute and to book, for the next task."""
        task = self._tasks.popleft()
        if task.climbs >= 0:
            yield from climb(self._engine, self._settings, self._effort, task.sequence, task.climbs)
            return
        yield task.sequence
        yield from self._solver.variants_through_state(task.sequence, only_last=task.is_extension)

    def keep(self, whole: Sequence, near: Near, new: dict[int, Cells]) -> None:
        """A sequence is a waypoint. `new` are the features that it brought."""
        if self._engine.waypoints.is_full or self._effort.is_spent:
            return
        trimmed = self._trim(whole[: near.at + 1], near, new)
        if trimmed and trimmed not in self._known:
            self._hold(trimmed)
            if near.kind is not NearKind.FAILURE:
                self._recent.append(trimmed)
                self._extend(trimmed)
            self._tasks.appendleft(Task(trimmed))

    def keep_better(self, sequence: Sequence, oracle: int) -> None:
        """A sequence brought a greater value of an optimization test."""
        if self._engine.waypoints.is_full or sequence in self._known:
            return
        self._hold(sequence)
        self._tasks.appendleft(Task(sequence, climbs=oracle))

    def _hold(self, sequence: Sequence) -> None:
        self._known.add(sequence)
        self._effort.earn(REWARD)
        self._engine.add_waypoint(sequence)

    def _extend(self, base: Sequence) -> None:
        for call in reversed(self.pool.offer(EXTENSIONS)):
            if len(base) < self._settings.sequence_length:
                self._tasks.appendleft(Task((*base, call), is_extension=True))

    # --- trimming ----------------------------------------------------------------------------------------------------

    def _trim(self, sequence: Sequence, near: Near, new: dict[int, Cells]) -> Sequence | None:
        """The calls that matter, None where the sequence does not come near again."""
        match near.kind:
            case NearKind.COVERAGE:
                return self._trim_to_coverage(sequence, self._oracles[near.oracle], new)
            case NearKind.PROPERTY:
                return self._trim_to_distances(sequence, self._oracles[near.oracle])
            case NearKind.FAILURE:
                return self._trim_to_failure(sequence, near.side)

    def _trim_to_coverage(self, sequence: Sequence, oracle: Oracle, new: dict[int, Cells]) -> Sequence | None:
        asked = self._engine.property_call(oracle)
        trimmed = self._trimmer.trim((*sequence, asked), new)
        return trimmed[:-1] if trimmed is not None and trimmed[-1] == asked else None

    def _trim_to_distances(self, sequence: Sequence, oracle: Oracle) -> Sequence:
        asked = self._engine.property_call(oracle)

        def distances(tried: Sequence) -> dict[tuple[int, int], int]:
            self._effort.spend()
            return _distances(self._engine.observe((*tried, asked), 1)[1])

        wanted = distances(sequence)

        def is_enough(shorter: Sequence) -> bool:
            found = distances(shorter)
            return all(key in found and found[key] <= wanted[key] for key in wanted)

        return drop_calls(sequence, is_enough, MAX_TRIMMING)

    def _trim_to_failure(self, sequence: Sequence, side: int) -> Sequence | None:
        if not self._features.is_other_side_open(side):
            return None
        last = sequence[-1]

        def distance(tried: Sequence) -> int | None:
            self._effort.spend()
            found = self._engine.observe(tried, 1)[1]
            if not found or pointer(self._engine.machine.context.failed_side) != side:
                return None
            return distance_class(found[-1].left, found[-1].right)

        wanted = distance(sequence)
        if wanted is None:
            return None

        def is_enough(shorter: Sequence) -> bool:
            found = distance(shorter) if shorter[-1] == last else None
            return found is not None and found <= wanted

        return drop_calls(sequence, is_enough, MAX_TRIMMING)


def _distances(comparisons: list[Comparison]) -> dict[tuple[int, int], int]:
    """How close the sides of each comparison came; those that are equal are left out."""
    found: dict[tuple[int, int], int] = {}
    for each in comparisons:
        if each.left != each.right:
            key = (each.code, each.program_counter)
            distance = distance_class(each.left, each.right)
            found[key] = min(distance, found.get(key, distance))
    return found

"""Waypoints: sequences that cover nothing new, but came nearer to something, and what is tried from them.

A property that reaches code it never reached, a comparison of a property or of an open branch whose sides come closer
than ever, a greater value of an optimization test: each makes a sequence a waypoint. It is cut to the calls that
matter, built upon, and solved: with numbers of its calls changed, and with other calls added. So a conjunction of
conditions is met one after the other, while those that hold are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from simulator.fuzz.comparisons.effort import Effort
from simulator.fuzz.comparisons.solving import ComparisonSolver
from simulator.fuzz.feedback.features import Cells
from simulator.fuzz.feedback.open_blocks import OpenBlocks
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.fuzz.loop.near import Near, NearKind
from simulator.fuzz.waypoints.agreeing import with_arguments_of
from simulator.fuzz.waypoints.call_pool import CallPool
from simulator.fuzz.waypoints.climbing import Climber
from simulator.fuzz.waypoints.digests import DigestArguments
from simulator.fuzz.waypoints.halted_calls import HaltedCalls
from simulator.fuzz.waypoints.hashed_keys import HashedKeys
from simulator.fuzz.waypoints.judging import Approach, GreatestValue
from simulator.fuzz.waypoints.paring import Paring
from simulator.fuzz.waypoints.resting import Rest
from simulator.fuzz.waypoints.signing import Signer
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence

MAX_TASKS = 256
ADDED_CALLS = 8
RECENT = 3
ENTRIES = 2
"""Of the corpus, in turn, that are continued at a time."""
SIGNED_CALLS = 4
FIRST_LOOK, LEAST_STEP = 1024, 2048
REWARD = 160
"""Executions that a waypoint earns."""
CALLS_OF_EXTRA = 64
"""Calls of the native loop for each call that it takes to cut a waypoint for which nothing is left."""
DEEPER = 1024
"""Executions that one earns where a property reached more of its code."""

Work = Literal["solve", "climb"]


@dataclass(frozen=True)
class Task:
    """Numbers of a sequence to change: all, or those of the call with index `only`. `near` is what it came nearer to,
    `oracle` the optimization test whose value it raised."""

    sequence: Sequence
    work: Work = "solve"
    only: int | None = None
    near: Near | None = None
    oracle: int = -1


class Waypoints:
    """Sequences that came nearer. What is tried depends on the seed and the order of the calls alone."""

    def __init__(
        self,
        engine: FuzzEngine,
        settings: CampaignSettings,
        paring: Paring,
        solver: ComparisonSolver,
        signer: Signer,
        effort: Effort,
        open_blocks: OpenBlocks,
    ) -> None:
        self._engine = engine
        self._length = settings.sequence_length
        self._paring = paring
        self._solver = solver
        self._signer = signer
        self._digests = DigestArguments(engine, settings)
        self._effort = effort
        self._climber = Climber(engine, settings, effort)
        self._keys = HashedKeys(engine)
        self._pool = CallPool(engine)
        self._tasks: deque[Task] = deque(maxlen=MAX_TASKS)
        self._bases: deque[Sequence] = deque(maxlen=RECENT)
        self._deeper: deque[Sequence] = deque(maxlen=RECENT)
        self._halted = HaltedCalls(engine, effort, open_blocks)
        self._unsigned: deque[Sequence] = deque(maxlen=MAX_TASKS)
        self._entries: deque[Sequence] = deque(maxlen=MAX_TASKS)
        self._known: set[Sequence] = set()
        self._look_at = FIRST_LOOK
        self._rest = Rest(engine)
        self._next_extra = 0
        self._wants_digests = False

    @property
    def next_look(self) -> int:
        """The number of calls after which there may be something to try again."""
        return min(self._look_at, self._rest.until) if self._tasks else self._look_at

    @property
    def has_tasks(self) -> bool:
        """Return whether there is anything to try. Looks whether it is time again to continue from the last
        waypoints."""
        if self._engine.calls >= self._look_at:
            self._look_at = self._engine.calls + max(LEAST_STEP, self._engine.calls // 4)
            self._look_again()
        if self._tasks and self._effort.is_spent:
            self._tasks.clear()
        return bool(self._unsigned) or self._wants_digests or (bool(self._tasks) and not self._rest.is_due())

    def next_variants(self) -> Iterator[Sequence]:
        """Sequences to execute and to book, for the next task."""
        if self._unsigned:
            yield from self._signer.variants(self._unsigned.popleft())
            return
        if self._wants_digests:
            self._wants_digests = False
            yield from self._with_digests()
            return
        task = self._tasks.popleft()
        if task.work == "solve":
            yield task.sequence
            if task.only is None:
                yield from self._solver.variants_through_state(task.sequence)
            else:
                yield from self._solver.variants_of_call(task.sequence, task.only)
        elif task.oracle >= 0:
            yield from self._climber.climb(task.sequence, GreatestValue(self._engine, task.oracle).is_better)
        elif task.near is not None:
            yield from self._climber.climb(task.sequence, Approach(self._paring, task.sequence, task.near).is_better)

    def _with_digests(self) -> Iterator[Sequence]:
        """Yield variants in which one call takes what another has hashed."""
        calls = [call for call in self._pool.calls() if self._may_be((call, call))]
        for variant in self._digests.variants(calls):
            self._effort.earn(REWARD)
            yield variant
            yield from self._solver.variants_of_call(variant, len(variant) - 1)

    def learn(self, sequence: Sequence) -> None:
        """A sequence came into the corpus."""
        self._pool.learn(sequence)
        self._entries.appendleft(sequence)
        self._sign(sequence)
        if not self._effort.is_spent:
            for halted in self._halted.learn(sequence):
                self._insert(halted)

    def keep(self, whole: Sequence, near: Near, new: dict[int, Cells]) -> None:
        """A sequence is a waypoint. `new` are the features that it brought."""
        is_extra = self._effort.is_spent
        if self._engine.waypoints.is_full or (is_extra and self._engine.calls < self._next_extra):
            return
        given = self._engine.given_calls
        trimmed = self._paring.pare(whole[: near.at + 1], near, new)
        if is_extra:
            self._put_off_extra(self._engine.given_calls - given)
        if not trimmed or trimmed in self._known:
            return
        self._hold(trimmed)
        if near.kind is NearKind.BRANCH:
            self._halted.hold(near.place, trimmed)
            self._sign(trimmed)
            self._append(trimmed)
            self._insert(trimmed)
        elif near.kind is NearKind.COVERAGE:
            self._effort.earn_deeper(DEEPER)
            self._deeper.append(trimmed)
            self._append(trimmed)
        else:
            self._bases.append(trimmed)
            self._append(trimmed)
        if near.kind is not NearKind.COVERAGE:
            self._later(Task(trimmed, "climb", near=near))
        self._tasks.appendleft(Task(trimmed))
        self._repeat(trimmed)

    def _put_off_extra(self, took: int) -> None:
        """Where everything earned is spent, now and then one more is kept: it may be worth more than those before."""
        self._next_extra = self._engine.calls + max(LEAST_STEP, self._engine.calls // 8, CALLS_OF_EXTRA * took)

    def keep_better(self, sequence: Sequence, oracle: int) -> None:
        """A sequence brought a greater value of an optimization test."""
        if not self._engine.waypoints.is_full and sequence not in self._known:
            self._hold(sequence)
            self._tasks.appendleft(Task(sequence, "climb", oracle=oracle))

    def _hold(self, sequence: Sequence) -> None:
        self._known.add(sequence)
        self._effort.earn(REWARD)
        self._engine.add_waypoint(sequence)

    def _later(self, task: Task) -> None:
        """Climbing comes when nothing is left that may be solved at once."""
        if len(self._tasks) < MAX_TASKS:
            self._tasks.append(task)

    def _look_again(self) -> None:
        self._keys.learn()
        self._wants_digests = True
        newer, self._tasks = self._tasks, deque(maxlen=MAX_TASKS)
        for halted in self._halted.turn(RECENT):
            self._sign(halted)
            self._insert(halted)
        for base in ((), *self._bases, *self._deeper, *list(self._entries)[:ENTRIES]):  # the last come first
            self._append(base)
        self._entries.rotate(-ENTRIES)
        self._tasks.extendleft(reversed(newer))

    def _sign(self, sequence: Sequence) -> None:
        """Look for signatures that the last calls ask for. What that takes is bounded by itself."""
        for length in range(len(sequence), max(0, len(sequence) - SIGNED_CALLS), -1):
            if self._signer.may_sign(sequence[length - 1]):
                self._unsigned.append(sequence[:length])

    def _append(self, base: Sequence) -> None:
        """Try other calls behind a sequence, and solve for what they bring."""
        for call in reversed(self._pool.offer(ADDED_CALLS)):
            self._try((*base, call), len(base))
            if base and (agreeing := with_arguments_of(self._engine, call, base[-1])) is not None:
                self._try((*base, agreeing), len(base))

    def _repeat(self, base: Sequence) -> None:
        """Try the last call, and the last two, once more: what came nearer by one round may come nearer by another."""
        for length in (2, 1):
            if len(base) >= length:
                self._try((*base, *base[-length:]), len(base))

    def _insert(self, halted: Sequence) -> None:
        """Try other calls before the last one, which waits for something."""
        for call in reversed(self._pool.offer(ADDED_CALLS)):
            self._try((*halted[:-1], call, halted[-1]), len(halted) - 1)
            if (agreeing := with_arguments_of(self._engine, call, halted[-1])) is not None:
                self._try((*halted[:-1], agreeing, halted[-1]), len(halted) - 1)

    def _try(self, sequence: Sequence, added: int) -> None:
        """Soon, where a sequence may be like that."""
        if self._may_be(sequence):
            self._tasks.appendleft(Task(sequence, only=added))

    def _may_be(self, sequence: Sequence) -> bool:
        """Return whether the campaign makes such sequences: as long as others, without what is excluded, and without
        others beside what stands alone."""
        targets = [self._engine.target_of(call) for call in sequence]
        return len(sequence) <= self._length and not any(
            target is not None
            and (self._engine.functions.records[target.index].excluded or (target.alone and len(sequence) > 1))
            for target in targets
        )

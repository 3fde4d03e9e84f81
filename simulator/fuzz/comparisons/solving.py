"""Solving comparisons: which number in a call would make the two sides of a comparison equal.

One number of the last call is changed by one step, and what that does to the difference of the two sides tells how far
to go: exactly so for copies, sums, multiples and their combinations modulo 2**256, and for exclusive or. (Related work:
REDQUEEN, NDSS 2019, for copies; Angora, S&P 2018, for descent along comparisons.) What is not linear is approached by
secants, and two hashes are compared by what was hashed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import Protocol

import msgspec

from simulator.fuzz.comparisons.effort import Effort
from simulator.fuzz.comparisons.lengths import LengthPlace
from simulator.fuzz.comparisons.places import ArgumentPlace, places_of
from simulator.fuzz.comparisons.preimages import Preimages
from simulator.fuzz.loop.comparisons import Comparison
from simulator.fuzz.loop.engine import ExecutedSequence, FuzzEngine
from simulator.settings import CampaignSettings
from simulator.transaction import WORD_MAX, Sequence, Transaction

MODULUS = WORD_MAX + 1
MAX_COMPARISONS = 96
TRIES_PER_COMPARISON = 24
EARLIER_CALLS = 8
MAX_CHANGED = 6
DEPTH = 3
LATER_CALLS = 2
MAX_SECANTS = 8
MAX_SENDERS = 8
HASHED = 1 << 20
"""Added for each word of what two compared hashes were made from, to tell it from the hashes."""
FEW, FEW_TRIED, FEW_STEP = 0xFF, 12, 37
STEPS = (1, 1 << 16, 1 << 64)
TARGETS = (0, 1, -1)
"""Differences worth reaching: equality, and both sides of it for the sake of < and >."""

Key = tuple[int, int, int]
"""Code id, program counter, and which time in the calls that are looked at."""

Notice = Callable[[Sequence, ExecutedSequence, Sequence], None]
"""A sequence, what it brought with the property calls after it, and these."""


class Compared(Protocol):
    """Two operands, wherever they were compared."""

    @property
    def left(self) -> int: ...
    @property
    def right(self) -> int: ...


@dataclass(frozen=True)
class ObservedOperands:
    left: int
    right: int


def _ignore(sequence: Sequence, executed: ExecutedSequence, asked: Sequence) -> None:
    """Ignore what observing brought besides the comparisons."""


class ComparisonSolver:
    """Proposes variants of a sequence whose last call, or a property after it, should take the other side of a
    comparison.

    The number that is changed may be one of an earlier call: then the operand went through state. A comparison (by code
    and program counter) is worked on a bounded number of times in a campaign, so that the effort goes to what is new.
    `notice` hears of each sequence that was executed only to see what it compares; `watch` sees those comparisons.
    """

    def __init__(
        self,
        engine: FuzzEngine,
        settings: CampaignSettings,
        effort: Effort | None = None,
        notice: Notice = _ignore,
        watch: Callable[[Iterable[Comparison]], None] = lambda _: None,
    ) -> None:
        self._watch = watch
        self._engine = engine
        self._settings = settings
        self._effort = effort or Effort(lambda: engine.gas)
        self._notice = notice
        self._tries: Counter[tuple[int, int]] = Counter()
        self._preimages = Preimages(engine)

    def variants(self, sequence: Sequence) -> Iterator[Sequence]:
        """Variants of `sequence` to execute; each differs from it in one number of one call."""
        yield from self._variants(sequence, self._engine.properties.calls(), (len(sequence) - 1,), TRIES_PER_COMPARISON)
        if not self._effort.is_spent:
            yield from self.variants_through_state(sequence)

    def variants_through_state(self, sequence: Sequence) -> Iterator[Sequence]:
        """Variants in which one number of any call is changed, the last calls first."""
        last = len(sequence) - 1
        indexes = range(last, max(-1, last - EARLIER_CALLS), -1)
        yield from self._variants(sequence, self._engine.properties.calls(), indexes, 0)

    def variants_of_call(self, sequence: Sequence, index: int, depth: int = DEPTH) -> Iterator[Sequence]:
        """Variants in which numbers of one call are changed: one, and another of it or of a later call where the first
        leads to a comparison that was not reached before."""
        asked = self._engine.properties.calls()
        reached = {key[:2] for key in self._observe(sequence, asked, index)}
        for variant in self._variants(sequence, asked, (index,), 0):
            yield variant
            if depth > 1 and not self._effort.is_spent:
                further = {key[:2] for key in self._observe(variant, asked, index)} - reached
                if further:
                    reached |= further
                    for later in range(index, min(len(sequence), index + LATER_CALLS)):
                        yield from self.variants_of_call(variant, later, depth - 1)

    def _variants(self, sequence: Sequence, asked: Sequence, indexes: Iterable[int], tries: int) -> Iterator[Sequence]:
        """With `tries`, the comparisons of the last call that have not been tried so often; else all, those of the call
        that is changed among them where it is one."""
        indexes = tuple(indexes)
        start = indexes[0] if len(indexes) == 1 else len(sequence) - 1
        before = self._observe(sequence, () if tries else asked, start, for_coverage=bool(tries))
        keys = [key for key in before if not tries or self._tries[key[:2]] < tries]
        if not keys:
            return
        if tries:
            self._tries.update({key[:2] for key in keys})
        else:
            keys.reverse()
        for index in indexes:
            call = sequence[index]
            target = self._engine.target_of(call)
            seen: set[Transaction] = {call}
            joint: dict[Key, list[Transaction]] = {}
            for place in () if target is None else places_of(call, target.function, self._settings):
                if not tries and self._effort.is_spent:
                    return
                trial = SolvingTrial(sequence, index, place, () if tries else asked, not tries, start)
                for variant in self._variants_at(trial, before, keys, joint):
                    if variant not in seen:
                        seen.add(variant)
                        self._spend(for_coverage=bool(tries))
                        yield trial.with_call(variant)
            for calls in joint.values():
                if len(calls) > 1 and calls[-1] not in seen:
                    self._spend(for_coverage=bool(tries))
                    yield (*sequence[:index], calls[-1], *sequence[index + 1 :])
            if target is not None and not target.alone:
                for sender in self._settings.senders[:MAX_SENDERS]:
                    if sender != call.sender:
                        self._spend(for_coverage=bool(tries))
                        other = msgspec.structs.replace(call, sender=sender)
                        yield (*sequence[:index], other, *sequence[index + 1 :])

    def _variants_at(
        self,
        trial: SolvingTrial,
        before: dict[Key, Comparison],
        keys: list[Key],
        joint: dict[Key, list[Transaction]],
    ) -> Iterator[Transaction]:
        """Calls with another number at one place. `joint` takes up calls in which the words behind two hashes are made
        equal, one after the other, since the hashes tell of no word by itself."""
        call, place = trial.sequence[trial.index], trial.place
        number = place.get(call)
        for factor in STEPS if trial.is_thorough and _is_large(place) else STEPS[:1]:
            moved = _moved(place, call, number, factor)
            if moved is None:
                return
            step, nudged = moved
            after = self._observe(trial.with_call(nudged), trial.asked, trial.start, for_coverage=not trial.is_thorough)
            changed = [key for key in keys if key in after and after[key] != before[key]]
            for key in changed:
                if key[2] >= HASHED:
                    _join(joint.setdefault((*key[:2], key[2] % HASHED), []), trial, step, before[key], after[key])
            for key in changed[:MAX_CHANGED]:
                for wanted in solutions(number, step, before[key], after[key]):
                    variant = place.put(call, wanted)
                    if variant is not None:
                        yield variant
                if trial.is_thorough:
                    yield from self._secants(trial, number, step, before[key], after[key], key)
            if changed:
                break
        if trial.is_thorough and isinstance(place, ArgumentPlace) and place.kind == "word" and place.limit <= FEW:
            for other in range(1, FEW_TRIED + 1):
                variant = place.put(call, (number + FEW_STEP * other) % (place.limit + 1))
                if variant is not None:
                    yield variant

    def _secants(
        self, trial: SolvingTrial, number: int, step: int, first: Comparison, second: Comparison, key: Key
    ) -> Iterator[Transaction]:
        """Numbers where the line through the last two observations meets zero, while they come closer to it."""
        call = trial.sequence[trial.index]
        points = [(number, _signed(_difference(first))), (number + step, _signed(_difference(second)))]
        for _ in range(MAX_SECANTS):
            (last, before), (newest, after) = points
            if after in (0, before) or self._effort.is_spent:
                return
            wanted = newest - after * (newest - last) // (after - before)
            tried = trial.place.put(call, wanted % MODULUS) if wanted != newest else None
            if tried is None:
                return
            yield tried
            seen = self._observe(trial.with_call(tried), trial.asked, trial.start).get(key)
            if seen is None or abs(_signed(_difference(seen))) >= abs(after):
                return
            points = [(newest, after), (wanted, _signed(_difference(seen)))]

    def _spend(self, for_coverage: bool) -> None:
        """What the tries of each comparison bound has an account of its own, to leave something for waypoints."""
        if for_coverage:
            self._effort.spend_for_coverage()
        else:
            self._effort.spend()

    def _observe(
        self, sequence: Sequence, asked: Sequence, start: int, *, for_coverage: bool = False
    ) -> dict[Key, Comparison]:
        """The comparisons of the calls from `start` on, and of the properties `asked` after them, in the order of their
        first execution. Behind them come those of what hashes among them were made from."""
        counts: dict[tuple[int, int], int] = {}
        found: dict[Key, Comparison] = {}
        # A number that a user has bound changes nothing, so that nothing is solved for it.
        sequence = self._engine.clamps.within(sequence)
        calls = len(sequence) - start + len(asked)
        executed, comparisons = self._engine.observe((*sequence, *asked), calls)
        self._spend(for_coverage)
        comparisons = comparisons[: MAX_COMPARISONS * calls]
        behind = self._preimages.behind(comparisons)
        hashed: dict[Key, Comparison] = {}
        self._watch(comparisons)
        for comparison in comparisons:
            site = (comparison.code, comparison.program_counter)
            before = counts.get(site, 0)
            found[(*site, before)] = comparison
            for number, pair in enumerate(behind.get((comparison.left, comparison.right), ()), 1):
                hashed[(*site, before + number * HASHED)] = Comparison(*pair, *site)
            counts[site] = before + 1
        if executed.last_new >= 0:
            self._notice(sequence, executed, asked)
        return found | hashed


@dataclass(frozen=True)
class SolvingTrial:
    """One number of one call of a sequence, and the property calls that are looked at after it."""

    sequence: Sequence
    index: int
    place: ArgumentPlace | LengthPlace
    asked: Sequence
    is_thorough: bool
    """Whether to take larger steps where the smallest has no effect, as before a division, and to try some values of
    small types, which may go through a hash."""
    start: int
    """The first call that is looked at."""

    def with_call(self, call: Transaction) -> Sequence:
        return (*self.sequence[: self.index], call, *self.sequence[self.index + 1 :])


def _is_large(place: ArgumentPlace | LengthPlace) -> bool:
    return (
        isinstance(place, ArgumentPlace)
        and place.kind in ("word", "value")
        and place.limit > STEPS[-1]
        and place.step == 1
    )


def _moved(
    place: ArgumentPlace | LengthPlace, call: Transaction, number: int, factor: int
) -> tuple[int, Transaction] | None:
    """A step up or down, `factor` times the smallest, and the call with it."""
    for step in (place.step * factor, -place.step * factor):
        nudged = place.put(call, (number + step) % MODULUS)
        if nudged is not None:
            return step, nudged
    return None


def _difference(compared: Compared) -> int:
    return (compared.left - compared.right) % MODULUS


def solutions(number: int, step: int, before: Compared, after: Compared) -> Iterator[int]:
    """Numbers that should bring the difference of the two sides to one of `TARGETS`.

    `after` is what was seen with `number + step`. Assumes that one side is linear in the number, or its exclusive or
    with a constant; wrong assumptions only cost an execution.
    """
    distance = _difference(before)
    slope = (_difference(after) - distance) % MODULUS
    for target in TARGETS:
        count = _divide((target - distance) % MODULUS, slope)
        if count is not None:
            yield (number + step * count) % MODULUS
    yield (number + _estimate(before, slope, step)) % MODULUS
    yield number ^ before.left ^ before.right
    if step == 1:
        yield before.left
        yield before.right


def _estimate(before: Compared, slope: int, step: int) -> int:
    """Estimate the step to equality as if both sides were real numbers: near it where divisions round."""
    signed_slope = _signed(slope)
    if signed_slope == 0:
        return 0
    return -_signed(_difference(before)) * step // signed_slope


def _join(calls: list[Transaction], trial: SolvingTrial, step: int, before: Comparison, after: Comparison) -> None:
    """Solve for one word in what was solved for others."""
    call = trial.sequence[trial.index]
    distance = _difference(before)
    count = _divide(-distance % MODULUS, (_difference(after) - distance) % MODULUS)
    if count:
        solved = trial.place.put(calls[-1] if calls else call, (trial.place.get(call) + step * count) % MODULUS)
        if solved is not None:
            calls.append(solved)


def _signed(number: int) -> int:
    return number - MODULUS if number > WORD_MAX // 2 else number


def _divide(distance: int, slope: int) -> int | None:
    """x with slope * x = distance modulo 2**256, None when there is none."""
    if slope == 0:
        return None
    common = gcd(slope, MODULUS)
    if distance % common:
        return None
    modulus = MODULUS // common
    return (distance // common) * pow(slope // common, -1, modulus) % modulus

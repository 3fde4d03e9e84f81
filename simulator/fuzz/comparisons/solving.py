"""Solving comparisons: which number in a call would make the two sides of a comparison equal.

One number of the last call is changed by one step, and what that does to the difference of the two sides tells how far
to go: exactly so for copies, sums, multiples and their combinations modulo 2**256, and for exclusive or. (Related work:
REDQUEEN, NDSS 2019, for copies; Angora, S&P 2018, for descent along comparisons.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import gcd

from simulator.fuzz.comparisons.places import Place, places_of
from simulator.fuzz.loop.engine import Comparison, FuzzEngine
from simulator.settings import CampaignSettings
from simulator.transaction import WORD_MAX, Sequence, Transaction

MODULUS = WORD_MAX + 1
MAX_COMPARISONS = 96
TRIES_PER_COMPARISON = 24
TARGETS = (0, 1, -1)
"""Differences worth reaching: equality, and both sides of it for the sake of < and >."""

Key = tuple[int, int, int]
"""Code id, program counter, and which time in the call."""


@dataclass(frozen=True)
class Observed:
    left: int
    right: int

    @property
    def difference(self) -> int:
        return (self.left - self.right) % MODULUS


class ComparisonSolver:
    """Proposes variants of a sequence whose last call should take the other side of a comparison.

    A comparison (by code and program counter) is worked on a bounded number of times in a campaign, so that the effort
    goes to what is new. `watch` sees the comparisons of each call that is looked at.
    """

    def __init__(
        self,
        engine: FuzzEngine,
        settings: CampaignSettings,
        watch: Callable[[Iterable[Comparison]], None] = lambda _: None,
    ) -> None:
        self._watch = watch
        self._engine = engine
        self._settings = settings
        self._tries: Counter[tuple[int, int]] = Counter()

    def variants(self, sequence: Sequence) -> Iterator[Sequence]:
        """Variants of `sequence` to execute; each differs from it in one number of the last call."""
        last = sequence[-1]
        target = self._engine.target_of(last)
        if target is None:
            return
        before = self._observe(sequence)
        open_keys = [key for key in before if self._tries[key[:2]] < TRIES_PER_COMPARISON]
        if not open_keys:
            return
        self._tries.update({key[:2] for key in open_keys})
        seen: set[Transaction] = {last}
        for place in places_of(last, target.function, self._settings):
            for call in self._variants_at(place, sequence, before, open_keys):
                if call not in seen:
                    seen.add(call)
                    yield (*sequence[:-1], call)

    def _variants_at(
        self, place: Place, sequence: Sequence, before: dict[Key, Observed], keys: list[Key]
    ) -> Iterator[Transaction]:
        last = sequence[-1]
        number = place.get(last)
        moved = self._moved(place, last, number)
        if moved is None:
            return
        step, nudged = moved
        after = self._observe((*sequence[:-1], nudged))
        for key in keys:
            if key in after and after[key] != before[key]:
                for wanted in solutions(number, step, before[key], after[key]):
                    call = place.put(last, wanted)
                    if call is not None:
                        yield call

    def _moved(self, place: Place, last: Transaction, number: int) -> tuple[int, Transaction] | None:
        for step in (place.step, -place.step):
            call = place.put(last, (number + step) % MODULUS)
            if call is not None:
                return step, call
        return None

    def _observe(self, sequence: Sequence) -> dict[Key, Observed]:
        """The comparisons of the last call that did not hold with equality, in the order of their first execution."""
        counts: Counter[tuple[int, int]] = Counter()
        found: dict[Key, Observed] = {}
        comparisons = self._engine.comparisons_of_last_call(sequence)[:MAX_COMPARISONS]
        self._watch(comparisons)
        for comparison in comparisons:
            site = (comparison.code, comparison.program_counter)
            found[(*site, counts[site])] = _observed(comparison)
            counts[site] += 1
        return found


def _observed(comparison: Comparison) -> Observed:
    return Observed(comparison.left, comparison.right)


def solutions(number: int, step: int, before: Observed, after: Observed) -> Iterator[int]:
    """Numbers that should bring the difference of the two sides to one of `TARGETS`.

    `after` is what was seen with `number + step`. Assumes that one side is linear in the number, or its exclusive or
    with a constant; wrong assumptions only cost an execution.
    """
    slope = (after.difference - before.difference) % MODULUS
    for target in TARGETS:
        count = _divide((target - before.difference) % MODULUS, slope)
        if count is not None:
            yield (number + step * count) % MODULUS
    yield number ^ before.left ^ before.right
    if step == 1:
        yield before.left
        yield before.right


def _divide(distance: int, slope: int) -> int | None:
    """x with slope * x = distance modulo 2**256, None when there is none."""
    if slope == 0:
        return None
    common = gcd(slope, MODULUS)
    if distance % common:
        return None
    modulus = MODULUS // common
    return (distance // common) * pow(slope // common, -1, modulus) % modulus

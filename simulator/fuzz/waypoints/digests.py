"""Hashes that a call has made, as arguments of a call after it: keys of mappings, orders, commitments."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.fuzz.comparisons.places import ArgumentPlace, places_of
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.settings import CampaignSettings
from simulator.transaction import WORD_MAX, Sequence, Transaction

MAX_DIGESTS, MAX_PLACES = 2, 3
MOST = 128
"""Executions at a time."""


class DigestArguments:
    """Puts what one call hashes into another call after it, where that changes what this compares. Pairs of known calls
    are tried in turn; what that takes is bounded for each time."""

    def __init__(self, engine: FuzzEngine, settings: CampaignSettings) -> None:
        self._engine = engine
        self._settings = settings
        self._digests: dict[Transaction, list[int]] = {}
        self._tried: set[tuple[Transaction, Transaction]] = set()
        self._left = 0

    def variants(self, calls: list[Transaction]) -> Iterator[Sequence]:
        """Pairs of these calls, which may stand beside each other, the second with one argument changed."""
        self._left = MOST
        for first in calls:
            digests = self._digests_of(first)
            for second in calls if digests else ():
                if self._left <= 0:
                    return
                if (first, second) not in self._tried:
                    self._tried.add((first, second))
                    yield from self._with_digests(first, second, digests)

    def _digests_of(self, call: Transaction) -> list[int]:
        if call not in self._digests:
            self._left -= 1
            self._digests[call] = self._engine.digests_of((call,))[:MAX_DIGESTS]
        return self._digests[call]

    def _with_digests(self, first: Transaction, second: Transaction, digests: list[int]) -> Iterator[Sequence]:
        target = self._engine.target_of(second)
        if target is None:
            return
        places = [each for each in places_of(second, target.function, self._settings) if _is_word(each)][:MAX_PLACES]
        known = self._compared((first, second)) if places else set()
        for place in places:
            for digest in digests:
                call = place.put(second, digest)
                if call is not None and self._compared((first, call)) - known - {digest}:
                    yield first, call

    def _compared(self, sequence: Sequence) -> set[int]:
        self._left -= 1
        compared = self._engine.comparisons_of_last_call(sequence)
        return {operand for each in compared for operand in (each.left, each.right)}


def _is_word(place: object) -> bool:
    """Return whether any word fits there."""
    return (
        isinstance(place, ArgumentPlace) and place.kind == "word" and place.limit == WORD_MAX and not place.signed_bits
    )

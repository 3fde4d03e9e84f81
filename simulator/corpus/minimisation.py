"""Minimisation: a small set of entries of a corpus that is enough: a small set that covers all that the whole corpus
covers.

Weighted set cover, greedily: always the entry with the most features still missing for each of its transactions, until
nothing is missing; then entries that later choices made superfluous go. Finding the smallest set is NP-hard; greedy
is within a factor of ln n of it (Chvátal 1979).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import msgspec
import numpy as np

from simulator.corpus.feature_index import feature_numbers


class Candidate(msgspec.Struct, frozen=True):
    """An entry: its number, features as bits, length in transactions. Fixed ones stay whatever they cover."""

    entry: int
    features: int
    length: int
    fixed: bool = False


def superfluous(candidates: Sequence[Candidate]) -> tuple[int, ...]:
    """Numbers of the entries that can go, in the order given: without them the others cover the same features. No
    fixed entry is among them; of equals the shorter stays, then the one that came first. Takes about a second for
    10,000 entries."""
    kept = {candidate.entry for candidate in candidates if candidate.fixed}
    covered = 0
    for candidate in candidates:
        if candidate.fixed:
            covered |= candidate.features
    chosen = _choose([candidate for candidate in candidates if not candidate.fixed], covered)
    kept |= {candidate.entry for candidate in _without_repetition(chosen, covered)}
    return tuple(candidate.entry for candidate in candidates if candidate.entry not in kept)


def _choose(candidates: list[Candidate], covered: int) -> list[Candidate]:
    """Lazy greedy: what an entry adds only shrinks as others are chosen, so an outdated estimate that is looked at
    again and stays at the top is the best."""
    heap = [_ranked(position, candidate, covered) for position, candidate in enumerate(candidates)]
    heapq.heapify(heap)
    chosen: list[Candidate] = []
    while heap:
        _, _, position = heapq.heappop(heap)
        candidate = candidates[position]
        current = _ranked(position, candidate, covered)
        if current[0] == 0.0:
            continue
        if heap and heap[0] < current:
            heapq.heappush(heap, current)
            continue
        chosen.append(candidate)
        covered |= candidate.features
    return chosen


def _ranked(position: int, candidate: Candidate, covered: int) -> tuple[float, int, int]:
    gain = (candidate.features & ~covered).bit_count()
    return -gain / max(1, candidate.length), candidate.length, position


def _without_repetition(chosen: list[Candidate], covered: int) -> list[Candidate]:
    """Drop chosen entries, the longest first, all of whose features others have. `covered` features are had anyway."""
    numbers = {candidate.entry: feature_numbers(candidate.features & ~covered) for candidate in chosen}
    size = max((int(own[-1]) + 1 for own in numbers.values() if own.size), default=0)
    holders = np.zeros(size, np.int64)
    for own in numbers.values():
        holders[own] += 1
    dropped: set[int] = set()
    for candidate in sorted(chosen, key=lambda each: -each.length):
        own = numbers[candidate.entry]
        if (holders[own] > 1).all():
            holders[own] -= 1
            dropped.add(candidate.entry)
    return [candidate for candidate in chosen if candidate.entry not in dropped]

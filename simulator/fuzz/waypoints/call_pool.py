"""Calls worth appending to a waypoint: those that lately wrote what properties read, and those of the corpus."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from simulator.fuzz.loop.engine import FuzzEngine
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction

EACH = 4
"""Calls of one function that are remembered from the corpus, and that are offered at a time."""


class CallPool:
    """Offers other calls each time, in turn by function, and those that write what properties read first."""

    def __init__(self, engine: FuzzEngine) -> None:
        self._engine = engine
        self._held: dict[tuple[bytes, bytes], deque[Transaction]] = {}
        self._turn = 0

    def learn(self, sequence: Sequence) -> None:
        """The calls of a sequence that the corpus took up."""
        for call in sequence:
            if not call.is_wait:
                self._held.setdefault(_function(call), deque(maxlen=EACH)).append(call)

    def calls(self) -> list[Transaction]:
        """All that are remembered from the corpus, the newest first."""
        return [call for calls in self._held.values() for call in reversed(calls)]

    def offer(self, most: int) -> list[Transaction]:
        """At most so many calls."""
        writers = _by_function(self._engine.recent_writers.read())
        others = [list(reversed(calls)) for function, calls in self._held.items() if function not in writers]
        found = _in_turn([*writers.values(), *others])
        if not found:
            return []
        self._turn = (self._turn + most) % len(found)
        return list(dict.fromkeys((found[self._turn :] + found)[:most]))


def _function(call: Transaction) -> tuple[bytes, bytes]:
    return call.to, call.data[:SELECTOR_SIZE]


def _by_function(calls: Iterable[Transaction]) -> dict[tuple[bytes, bytes], list[Transaction]]:
    found: dict[tuple[bytes, bytes], list[Transaction]] = {}
    for call in dict.fromkeys(calls):
        own = found.setdefault(_function(call), [])
        if len(own) < EACH:
            own.append(call)
    return found


def _in_turn(groups: list[list[Transaction]]) -> list[Transaction]:
    """The first of each group, then the second of each, ..."""
    return [group[index] for index in range(EACH) for group in groups if index < len(group)]

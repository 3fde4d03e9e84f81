"""Calls that wait for something: they revert, or compare something before a branch with a side never taken."""

from __future__ import annotations

from simulator.fuzz.comparisons.effort import Effort
from simulator.fuzz.feedback.open_blocks import OpenBlocks
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.transaction import SELECTOR_SIZE, Sequence

MAX_LENGTHS = 8
MAX_PLACES = 256
Place = tuple[int, int]
"""Code id and program counter of a comparison; -1 and the selector for a call that reverts without one."""


class HaltedCalls:
    """For each place, the shortest or the last of the sequences whose last call halts there. Offered in turn, so that
    no place is forgotten for those that came later."""

    def __init__(self, engine: FuzzEngine, effort: Effort, open_blocks: OpenBlocks) -> None:
        self._engine = engine
        self._effort = effort
        self._open_blocks = open_blocks
        self._held: dict[Place, Sequence] = {}

    def learn(self, sequence: Sequence) -> list[Sequence]:
        """Look where the calls of a sequence halt, the last ones first. Returns the beginnings of it that end at a
        place which was not known, or was known for longer ones only."""
        found = []
        for length in range(len(sequence), max(0, len(sequence) - MAX_LENGTHS), -1):
            if self._effort.is_spent:
                break
            start = sequence[:length]
            places = [place for place in self._places(start) if self._is_shorter(place, start)]
            for place in places:
                self.hold(place, start)
            if places:
                found.append(start)
        return found

    def hold(self, place: Place, sequence: Sequence) -> None:
        """From now on this sequence stands for the place."""
        if place in self._held or len(self._held) < MAX_PLACES:
            self._held[place] = sequence

    def turn(self, most: int) -> list[Sequence]:
        """At most so many, others each time. Places that are decided both ways are left out from now on."""
        self._held = {
            place: held for place, held in self._held.items() if place[0] < 0 or self._open_blocks.is_open(*place)
        }
        found: list[Sequence] = []
        for place in list(self._held):
            if len(found) >= most:
                break
            held = self._held.pop(place)
            self._held[place] = held  # at the end
            if held not in found:
                found.append(held)
        return found

    def _is_shorter(self, place: Place, sequence: Sequence) -> bool:
        return place not in self._held or len(sequence) < len(self._held[place])

    def _places(self, sequence: Sequence) -> list[Place]:
        self._effort.spend()
        executed, compared = self._engine.observe(sequence, 1)
        sites = dict.fromkeys((each.code, each.program_counter) for each in compared)
        found = [site for site in sites if self._open_blocks.is_open(*site)]
        if not executed.succeeded and not found:
            found.append((-1, int.from_bytes(sequence[-1].data[:SELECTOR_SIZE], "big")))
        return found

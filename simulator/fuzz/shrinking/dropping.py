"""Passes that make a sequence shorter: calls dropped, merged, replaced by one with a larger value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import msgspec

from simulator.abi.types import AbiType, Array, Bytes, Int, String, UInt
from simulator.fuzz.shrinking.attempts import Attempts
from simulator.fuzz.shrinking.calls import Calls, later, with_call, with_values
from simulator.fuzz.shrinking.integers import find_integer
from simulator.fuzz.shrinking.places import NumberPlace, Places
from simulator.transaction import SELECTOR_SIZE, WORD_MAX, Sequence, Transaction, wei_bytes

IDENTIFIERS = range(1, 256)
"""Numbers that may count things."""
MAX_PAIRED = 24
MAX_RAISED = 8
MAX_MERGED = 8
"""Calls of a sequence up to which pairs of calls are dropped, others raised instead of a call, all pairs merged."""
RAISES = (1, 2, 4, 8, 16)
"""Shifts of a number that is to do another call's work."""


class Dropping:
    """Each method is a pass over the best sequence of `attempts`. `is_forward` drops the first calls first."""

    def __init__(self, attempts: Attempts, calls: Calls, *, is_forward: bool = False) -> None:
        self._is_forward = is_forward
        self._attempts = attempts
        self._calls = calls
        self._places = Places(calls)

    @property
    def _best(self) -> Sequence:
        return self._attempts.best

    # --- dropping ----------------------------------------------------------------------------------------------------

    def drop_calls(self) -> None:
        """Delta debugging: chunks of halving size, from the end, until no single call can be dropped."""
        chunk = len(self._best)
        while chunk >= 1:
            if self._is_forward:
                self._drop_forward(chunk)
            else:
                self._drop_backward(chunk)
            chunk = min(chunk // 2, len(self._best)) if chunk > 1 else 0

    def _drop_backward(self, chunk: int) -> None:
        start = len(self._best)
        while start > 0:
            start = max(0, start - chunk)
            self._drop_chunk(start, chunk)

    def _drop_forward(self, chunk: int) -> None:
        start = 0
        while start < len(self._best):
            before = len(self._best)
            self._drop_chunk(start, chunk)
            start += chunk if len(self._best) == before else 0

    def _drop_chunk(self, start: int, chunk: int) -> None:
        kept, dropped = self._best[:start], self._best[start : start + chunk]
        rest = self._best[start + chunk :]
        if not kept and not rest:
            return
        if self._attempts.attempt(kept + rest) or self._moves_delay(kept, dropped, rest):
            return
        if chunk == 1 and rest:
            self._drop_counted(kept, dropped[0], rest)

    def _moves_delay(self, kept: Sequence, dropped: Sequence, rest: Sequence) -> bool:
        seconds, blocks = sum(t.seconds for t in dropped), sum(t.blocks for t in dropped)
        if not seconds and not blocks:
            return False
        delay = msgspec.structs.replace(dropped[0], seconds=seconds, blocks=blocks)
        if rest:
            return self._attempts.attempt((*kept, later(rest[0], delay), *rest[1:]))
        return self._attempts.attempt((*kept[:-1], later(kept[-1], delay)))

    def _drop_counted(self, kept: Sequence, dropped: Transaction, rest: Sequence) -> None:
        """Drop a call whose like are counted: those behind it name what they use by a number that is one less then.
        Calls of the same function make such things, so that their own numbers may be of another kind."""
        renumbered = tuple(map(self._with_smaller_identifiers, rest))
        if self._attempts.attempt(kept + renumbered):
            return
        made = dropped.data[:SELECTOR_SIZE]
        pairs = zip(rest, renumbered, strict=True)
        self._attempts.attempt(kept + tuple(old if old.data[:SELECTOR_SIZE] == made else new for old, new in pairs))

    def _with_smaller_identifiers(self, call: Transaction) -> Transaction:
        decoded = self._calls.decode(call)
        if decoded is None:
            return call
        types, values = decoded
        items = [
            value - 1 if isinstance(abi_type, UInt) and value in IDENTIFIERS else value
            for abi_type, value in zip(types, values, strict=True)
        ]
        return with_values(call, types, items)

    def drop_pairs(self) -> None:
        """Two calls that undo each other, or that only both may go."""
        length = len(self._best)
        if length > MAX_PAIRED:
            return
        for first, second in combinations(range(length), 2):
            without = (*self._best[:first], *self._best[first + 1 : second], *self._best[second + 1 :])
            if without and self._attempts.attempt(without):
                return

    # --- merging -----------------------------------------------------------------------------------------------------

    def merge_calls(self) -> None:
        """Let one call do the work of two of the same function: with the sum of their arguments, or its type's limit.
        In long sequences a call is merged with the nearest one alone."""
        last = len(self._best) - 1
        while last > 0:
            alike = [index for index in range(last) if _is_alike(self._best[index], self._best[last])]
            for earlier in alike if len(self._best) <= MAX_MERGED else alike[-1:]:
                if self._merge(earlier, last):
                    break
            last = min(last, len(self._best)) - 1

    def _merge(self, earlier: int, last: int) -> bool:
        first, second = self._best[earlier], self._best[last]
        without = self._best[:earlier] + self._best[earlier + 1 :]
        between = self._best[earlier + 1 : last]
        for call in dict.fromkeys((*self._merged(second, first), *self._merged(first, second))):
            if self._attempts.attempt(with_call(without, last - 1, call)):
                return True
            if between and self._attempts.attempt((*self._best[:earlier], call, *between, *self._best[last + 1 :])):
                return True
        return False

    def _merged(self, base: Transaction, other: Transaction) -> Iterator[Transaction]:
        """`base` with what the other one did: all of it, then one argument alone."""
        base = later(base, other)
        paid = msgspec.structs.replace(base, value=wei_bytes(min(base.wei + other.wei, WORD_MAX)))
        one, two = self._calls.decode(base), self._calls.decode(other)
        if one is None or two is None:
            if paid != base:
                yield paid
            return
        types, values = one
        sums = [_together(kind, *pair) for kind, *pair in zip(types, values, two[1], strict=True)]
        yield with_values(paid, types, sums)
        for position in range(len(types)):
            yield with_values(paid, types, [*values[:position], sums[position], *values[position + 1 :]])

    def raise_others(self, known: tuple[int, ...]) -> None:
        """Drop a call and let another number, made larger, do its work."""
        if not 1 < len(self._best) <= MAX_RAISED:
            return
        pinned = {place for place in self._places.of(self._best) if self._is_pinned(place)}
        for index in range(len(self._best)):
            alone = (self._best[index],)
            dropped = sum(self._places.get(alone, place) for place in self._places.of(alone))
            kept = self._best[:index] + self._best[index + 1 :]
            for place in self._places.of(kept):
                is_pinned = _moved(place, index) in pinned
                raised = self._raised(kept, place, dropped, () if is_pinned else known, 0 if is_pinned else len(RAISES))
                if any(self._attempts.attempt(each) for each in raised):
                    return

    def _is_pinned(self, place: NumberPlace) -> bool:
        """Return whether it must not be larger, as with a constant that a contract asks for: it makes up for no
        other call, unless by what that call held."""
        number = self._places.get(self._best, place)
        larger = (number + 1, (number or 1) << RAISES[0], (number or 1) << RAISES[-1])
        return not any(
            self._attempts.fails(self._places.put(self._best, place, min(each, place.largest)))
            for each in dict.fromkeys(larger)
            if number < place.largest
        )

    def _raised(
        self, kept: Sequence, place: NumberPlace, more: int, known: tuple[int, ...], shifts: int
    ) -> Iterator[Sequence | None]:
        number = self._places.get(kept, place)
        wanted = [number + more, *((number or 1) << shift for shift in RAISES[:shifts])]
        wanted += [near for value in known for near in (value, value + 1)]
        for larger in dict.fromkeys(min(each, place.largest) for each in wanted):
            if larger > number:
                yield self._places.put(kept, place, larger)

    def fill_groups(self) -> None:
        """Drop calls of a function while the others of it have the largest argument there was, or that there is."""
        for group in self._places.alike(self._best):
            if len(group) > 1 and any(self._fill(group, level) for level in self._levels(group)):
                return

    def _levels(self, group: list[NumberPlace]) -> list[int]:
        largest = max(self._places.get(self._best, place) for place in group)
        return list(dict.fromkeys((largest, group[0].largest)))

    def _fill(self, group: list[NumberPlace], level: int) -> bool:
        start = self._best

        def filled(count: int) -> bool:
            raised: Sequence | None = start
            for place in group[count:]:
                raised = self._places.put(raised, place, level)
            gone = {place.index for place in group[:count]}
            return raised is not None and self._attempts.attempt(
                tuple(call for index, call in enumerate(raised) if index not in gone)
            )

        return find_integer(filled, len(group) - 1) > 0

    # --- order -------------------------------------------------------------------------------------------------------

    def move_delays(self) -> None:
        """Let time pass as late as possible, so that equal failures look alike."""
        for index, call in enumerate(self._best[:-1]):
            for goal in reversed(range(index + 1, len(self._best))) if call.seconds or call.blocks else ():
                moved = list(self._best)
                moved[index] = msgspec.structs.replace(call, seconds=0, blocks=0)
                moved[goal] = later(moved[goal], call)
                if self._attempts.attempt(tuple(moved)):
                    break

    def swap_calls(self) -> None:
        """Put the simpler of two calls of one function first."""
        for index in range(len(self._best) - 1):
            first, second = self._best[index : index + 2]
            if _is_alike(first, second):
                self._attempts.attempt((*self._best[:index], second, first, *self._best[index + 2 :]))


def _moved(place: NumberPlace, dropped: int) -> NumberPlace:
    """The place that this one was before a call was dropped."""
    return replace(place, index=place.index + 1) if place.index >= dropped else place


def _is_alike(one: Transaction, other: Transaction) -> bool:
    """Calls of the same function, or both waits."""
    return one.to == other.to and one.data[:SELECTOR_SIZE] == other.data[:SELECTOR_SIZE]


def _together(abi_type: AbiType, one: Any, other: Any) -> Any:
    match abi_type:
        case UInt(bits=bits):
            return min(one + other, (1 << bits) - 1)
        case Int(bits=bits):
            return max(-(1 << (bits - 1)), min(one + other, (1 << (bits - 1)) - 1))
        case Bytes() | String():
            return other + one
        case Array(length=None):
            return [*other, *one]
    return one

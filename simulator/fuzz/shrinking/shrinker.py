"""Shrinking of failing sequences: fewer calls, then simpler arguments, values, senders and delays.

The passes come in three depths. A deeper one begins where nothing of the depth before helps, and what it
achieves is taken up by the first again. Where nothing of any depth helps, the result is minimal: no call can be dropped
or merged, no number made smaller by itself, nor two of them at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from simulator.abi.types import AbiType, Array, Bytes, String, UInt
from simulator.errors import AbiError
from simulator.fuzz.shrinking.attempts import Attempts, AttemptsExhaustedError, Fails, Knowledge, Known
from simulator.fuzz.shrinking.calls import Calls, DecodeArguments, blobs_of, telling, with_blob, with_call, with_values
from simulator.fuzz.shrinking.chains import MAX_FOLLOWING, Chains
from simulator.fuzz.shrinking.dropping import Dropping
from simulator.fuzz.shrinking.effects import Observer
from simulator.fuzz.shrinking.integers import QUICK, Guide, minimize_integer
from simulator.fuzz.shrinking.pairs import Pairs
from simulator.fuzz.shrinking.places import Places
from simulator.fuzz.shrinking.rewriting import repeated_numbers, with_number, with_senders
from simulator.fuzz.shrinking.values import ValueGuide, byte_size, minimize_bytes, minimize_value
from simulator.transaction import WORD_MAX, Sequence, Transaction, wei_bytes

MAX_VALUES = 24
MAX_DEEP_VALUES = 96
MAX_OFFSETS = 12
ADDRESS_BITS = 160
SCAN = 16
DEEP_SCAN = 128
DEEP_SMALL = 48
POWERS = tuple(10**exponent for exponent in (3, 4, 5, 6, 8, 9, 12, 18, 27))


@dataclass(frozen=True)
class ShrinkResult:
    """The simplest failing sequence found; `minimal` is false when the attempts ran out before that was proven."""

    sequence: Sequence
    attempts: int
    minimal: bool


class Shrinker:
    """Shrinks one sequence.

    `fails` executes a candidate from the initial state and says whether the test still fails; it must be deterministic
    and true for `sequence`. `decode` gives a call's argument types and values, or None for calldata without an ABI;
    they need not encode to that calldata, which is then replaced by their encoding where that fails as well. `is_raw`
    says of the others which are no call of a function, so that their bytes may become fewer. `senders` are in order of
    preference. Each `variant` goes through calls in another order; 0 is the plain one. With what is `known` of an
    earlier shrinker that had too few executions, on its result, this one continues where that one was.
    """

    def __init__(
        self,
        sequence: Sequence,
        fails: Fails,
        decode: DecodeArguments,
        senders: tuple[bytes, ...],
        limit: int,
        is_raw: Callable[[Transaction], bool] = lambda _: False,
        knowledge: Knowledge | None = None,
        variant: int = 0,
        known: Known | None = None,
    ) -> None:
        self._knowledge = knowledge or Knowledge()
        self._calls = Calls(decode, senders, self._knowledge.addresses)
        self._attempts = Attempts(sequence, fails, self._knowledge, self._calls, limit, known)
        self._places = Places(self._calls)
        self._dropping = Dropping(self._attempts, self._calls, is_forward=variant % 2 == 1)
        self._observer = Observer(self._attempts, self._places)
        self._pairs = Pairs(self._attempts, self._places, self._observer)
        self._chains = Chains(self._attempts, self._places, self._observer)
        self._random = Random(variant) if variant else None
        self._is_raw = is_raw
        self._senders = senders
        self._guide = ValueGuide(QUICK, self._calls.addresses)

    def run(self) -> ShrinkResult:
        """Executes candidates until the sequence is minimal or `limit` executions are used."""
        try:
            self._run_depths()
        except AttemptsExhaustedError:
            return self.progress()
        return ShrinkResult(self._best, self._attempts.count, minimal=True)

    def progress(self) -> ShrinkResult:
        """Return the best sequence so far, also after `fails` has raised."""
        return ShrinkResult(self._best, self._attempts.count, minimal=False)

    @property
    def _best(self) -> Sequence:
        return self._attempts.best

    def _run_depths(self) -> None:
        depths = (self._simplify, self._search, self._search_deeper)
        depth = 0
        while depth < len(depths):
            before = self._best
            depths[depth]()
            depth = depth + 1 if self._best == before else 0

    # --- depths ------------------------------------------------------------------------------------------------------

    def _simplify(self) -> None:
        self._guide = ValueGuide(QUICK, self._calls.addresses)
        self._dropping.drop_calls()
        self._dropping.merge_calls()
        self._rename_senders()
        self._pairs.lower_groups()  # before each alone: of two that bound each other, each would stop at the other
        self._simplify_calls()
        self._simplify_linked(QUICK)

    def _search(self) -> None:
        """Search by the comparisons of numbers, by two numbers at once, by two calls at once."""
        self._dropping.fill_groups()
        self._dropping.move_delays()
        self._pairs.slide(deep=False)
        self._shorten_together()
        guide = self._observed_guide(deep=False)
        self._guide = ValueGuide(guide, self._calls.addresses)
        self._simplify_calls()
        self._simplify_linked(guide)
        self._dropping.swap_calls()

    def _search_deeper(self) -> None:
        guide = self._observed_guide(deep=True)
        for expensive in (
            self._chains.repair,
            self._dropping.drop_pairs,
            lambda: self._dropping.raise_others(guide.values[:MAX_VALUES]),
            lambda: self._pairs.slide(deep=True),
            self._chains.slide_three,
            lambda: self._chains.repair(following=MAX_FOLLOWING),
        ):
            before = self._best
            expensive()
            if self._best != before:
                return
        self._guide = ValueGuide(guide, self._calls.addresses)
        self._simplify_calls(deep=True)
        self._simplify_linked(guide)

    def _observed_guide(self, *, deep: bool) -> Guide:
        compared = self._attempts.observe(self._best).values()
        operands = (number for pair in compared for number in pair)
        known = dict.fromkeys(signed for number in operands for signed in (number, (-number) % (WORD_MAX + 1)))
        offsets = dict.fromkeys(abs(left - right) for left, right in compared if left != right)
        constants = self._knowledge.constants if deep else ()
        values = [number for number in (*known, *constants) if 1 < number < WORD_MAX]
        return Guide(
            DEEP_SMALL if deep else QUICK.small,
            DEEP_SCAN if deep else SCAN,
            tuple(values[: MAX_DEEP_VALUES if deep else MAX_VALUES]),
            tuple(offsets)[:MAX_OFFSETS],
            (*self._knowledge.constants[:MAX_DEEP_VALUES], *POWERS) if deep else (),
            self._observer.pinned(),
        )

    # --- senders -----------------------------------------------------------------------------------------------------

    def _rename_senders(self) -> None:
        """Let preferred senders take the place of others everywhere, arguments included, as when one pays itself."""
        for used in dict.fromkeys(transaction.sender for transaction in self._best):
            for preferred in self._senders:
                if (
                    preferred == used
                    or self._try_senders({used: preferred})
                    or self._try_senders({used: preferred, preferred: used})
                ):
                    break

    def _try_senders(self, changes: dict[bytes, bytes]) -> bool:
        return self._attempts.attempt_readable(tuple(with_senders(call, changes) for call in self._best))

    def _simplify_sender(self, index: int) -> None:
        for sender in self._senders:
            if sender == self._best[index].sender or self._replace(index, sender=sender):
                return

    # --- one call ----------------------------------------------------------------------------------------------------

    def _simplify_calls(self, *, deep: bool = False) -> None:
        indexes = telling(self._best) if deep else list(range(len(self._best)))
        if self._random is not None:
            self._random.shuffle(indexes)
        for index in indexes:
            self._simplify_sender(index)
            self._simplify_number(index, "wei", lambda wei: {"value": wei_bytes(wei)})
            self._simplify_delay(index)
            self._simplify_arguments(index)

    def _replace(self, index: int, **changes: Any) -> bool:
        return self._attempts.attempt(
            with_call(self._best, index, msgspec.structs.replace(self._best[index], **changes))
        )

    def _simplify_number(self, index: int, name: str, change: Callable[[int], dict[str, Any]]) -> None:
        number = getattr(self._best[index], name)
        minimize_integer(number, lambda smaller: self._replace(index, **change(smaller)), self._guide.numbers)

    def _simplify_delay(self, index: int) -> None:
        transaction = self._best[index]
        if (transaction.seconds or transaction.blocks) and self._replace(index, seconds=0, blocks=0):
            return
        self._simplify_number(index, "seconds", lambda seconds: {"seconds": seconds})
        self._simplify_number(index, "blocks", lambda blocks: {"blocks": blocks})

    def _simplify_arguments(self, index: int) -> None:
        call = self._best[index]
        decoded = self._calls.decode(call)
        if decoded is None:
            if self._is_raw(call):
                minimize_bytes(call.data, lambda data: self._replace(index, data=data))
            return
        types, values = decoded
        items = list(values)
        if not self._try_values(index, types, items):
            return  # what fails is not these values: bytes between, behind or in the padding of them
        for position, abi_type in enumerate(types):

            def still_fails(value: Any, position: int = position) -> bool:
                candidate = [*items[:position], value, *items[position + 1 :]]
                return self._try_values(index, types, candidate)

            items[position] = minimize_value(abi_type, items[position], still_fails, self._guide)

    def _try_values(self, index: int, types: tuple[AbiType, ...], values: list[Any]) -> bool:
        try:
            call = with_values(self._best[index], types, values)
        except AbiError:  # such as the least number of a signed type without its sign
            return False
        return self._attempts.attempt(with_call(self._best, index, call))

    # --- several places ----------------------------------------------------------------------------------------------

    def _simplify_linked(self, guide: Guide) -> None:
        """Change equal numbers together: amounts that must match, identifiers, a value and the argument naming it."""
        for number in repeated_numbers(self._best):
            still_fails = self._try_number(self._best, number)
            if number.bit_length() > ADDRESS_BITS or not any(map(still_fails, (0, *self._calls.addresses))):
                minimize_integer(number, still_fails, guide)
        self._simplify_blobs()

    def _simplify_blobs(self) -> None:
        """Change equal strings and byte strings together, such as a name that is given and looked up."""
        decoded = [arguments for arguments in map(self._calls.decode, self._best) if arguments is not None]
        counts = Counter(blob for _, values in decoded for blob in blobs_of(values))
        for blob in [blob for blob, count in counts.items() if count > 1 and len(blob) > 0]:
            kind: AbiType = String() if isinstance(blob, str) else Bytes()
            minimize_value(kind, blob, self._try_blob(self._best, blob))

    def _try_blob(self, sequence: Sequence, old: bytes | str) -> Callable[[bytes | str], bool]:
        return lambda new: self._attempts.attempt(self._with_blob(sequence, old, new))

    def _with_blob(self, sequence: Sequence, old: bytes | str, new: bytes | str) -> Sequence | None:
        changed = []
        for call in sequence:
            decoded = self._calls.decode(call)
            try:
                changed.append(
                    call if decoded is None else with_values(call, decoded[0], with_blob(decoded[1], old, new))
                )
            except AbiError:  # bytes of a fixed size
                return None
        return tuple(changed)

    def _try_number(self, sequence: Sequence, number: int) -> Callable[[int], bool]:
        return lambda smaller: self._attempts.attempt_readable(with_number(sequence, number, smaller))

    def _shorten_together(self) -> None:
        """Lists of one length lose the same element, a number that names a length follows."""
        for index in range(len(self._best)):
            decoded = self._calls.decode(self._best[index])
            if decoded is not None:
                while any(self._try_values(index, decoded[0], each) for each in _shortened(*decoded)):
                    decoded = self._calls.decode(self._best[index]) or decoded


def _shortened(types: tuple[Any, ...], values: Any) -> Iterator[list[Any]]:
    """Arguments of which all that have one length, or are that length, are less long by as much."""
    lengths = {position: len(values[position]) for position, kind in enumerate(types) if _is_list(kind)}
    for length in sorted(set(lengths.values()) - {0}):
        lists = [position for position in lengths if lengths[position] == length]
        named = {length, *(_size(values[position]) for position in lists)}
        counts = [each for each, kind in enumerate(types) if isinstance(kind, UInt) and values[each] in named]
        for chosen in dict.fromkeys((tuple(counts), ())):
            if len(lists) + len(chosen) >= 2:
                for start, end in _chunks(length):
                    yield _without(values, lists, chosen, start, end)


def _without(values: Any, lists: list[int], counts: tuple[int, ...], start: int, end: int) -> list[Any]:
    shorter = list(values)
    for position in lists:
        shorter[position] = values[position][:start] + values[position][end:]
    gone = _size(values[lists[0]]) - _size(shorter[lists[0]])
    for position in counts:
        shorter[position] = max(0, values[position] - gone)
    return shorter


def _chunks(length: int) -> Iterator[tuple[int, int]]:
    """Chunks of halving size, from the end."""
    size = length
    while size:
        yield from ((max(0, end - size), end) for end in range(length, 0, -size))
        size //= 2


def _size(value: Any) -> int:
    """The length that a contract sees: that of a string is in bytes."""
    return byte_size(value) if isinstance(value, str) else len(value)


def _is_list(kind: Any) -> bool:
    return isinstance(kind, Bytes | String) or (isinstance(kind, Array) and kind.length is None)

"""Shrinking of failing sequences: delta debugging over calls, then arguments, values, senders and delays.

The passes repeat until a whole round changes nothing, so the result is locally minimal: no call can be dropped and no
single value made simpler without losing the failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from simulator.abi.codec import encode
from simulator.abi.types import AbiType, UInt
from simulator.fuzz.shrinking.rewriting import (
    repeated_numbers,
    with_number,
    with_sender,
)
from simulator.fuzz.shrinking.values import minimize_bytes, minimize_integer, minimize_value
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction, wei_bytes

Fails = Callable[[Sequence], bool]
Arguments = tuple[tuple[AbiType, ...], tuple[Any, ...]]
DecodeArguments = Callable[[Transaction], Arguments | None]


@dataclass(frozen=True)
class ShrinkResult:
    """The smallest failing sequence found; `minimal` is false when the attempts ran out before that was proven."""

    sequence: Sequence
    attempts: int
    minimal: bool


IDENTIFIERS = range(1, 256)
"""Numbers that may count things."""


class _AttemptsExhaustedError(Exception):
    """Internal: unwinds the passes when the budget is used."""


class Shrinker:
    """Shrinks one sequence.

    `fails` executes a candidate from the initial state and says whether the test still fails; it must be deterministic
    and true for `sequence`. `decode` gives a call's argument types and values, or None for calldata without an ABI;
    they need not encode to that calldata, which is then replaced by their encoding where that fails as well. `is_raw`
    says of the others which are no call of a function, so that their bytes may become fewer. `senders` are in order of
    preference.
    """

    def __init__(
        self,
        sequence: Sequence,
        fails: Fails,
        decode: DecodeArguments,
        senders: tuple[bytes, ...],
        limit: int,
        is_raw: Callable[[Transaction], bool] = lambda _: False,
    ) -> None:
        self._best = sequence
        self._fails = fails
        self._decode = decode
        self._is_raw = is_raw
        self._senders = senders
        self._limit = limit
        self._attempts = 0

    def run(self) -> ShrinkResult:
        """Executes candidates until the sequence is locally minimal or `limit` executions are used."""
        try:
            while self._round():
                pass
        except _AttemptsExhaustedError:
            return self.progress()
        return ShrinkResult(self._best, self._attempts, minimal=True)

    def progress(self) -> ShrinkResult:
        """What there is so far, also after `fails` has raised."""
        return ShrinkResult(self._best, self._attempts, minimal=False)

    def _round(self) -> bool:
        before = self._best
        self._drop_calls()
        self._merge_calls()
        self._rename_senders()
        for index in range(len(self._best)):
            self._simplify_sender(index)
            self._simplify_value(index)
            self._simplify_delay(index)
            self._simplify_arguments(index)
        self._simplify_linked()
        return self._best != before

    def _try(self, candidate: Sequence) -> bool:
        """Execute a candidate and keep it when it still fails."""
        if candidate == self._best:
            return True
        if self._attempts >= self._limit:
            raise _AttemptsExhaustedError
        self._attempts += 1
        if not self._fails(candidate):
            return False
        self._best = candidate
        return True

    def _try_rewritten(self, candidate: Sequence) -> bool:
        """As `_try`, unless a word that was rewritten was an offset or a length: then nobody could read the call."""
        known = frozenset(self._best)
        return all(call in known or self._is_encoding(call) for call in candidate) and self._try(candidate)

    def _is_encoding(self, call: Transaction) -> bool:
        decoded = self._decode(call)
        return decoded is None or call.data[SELECTOR_SIZE:] == encode(*decoded)

    def _drop_calls(self) -> None:
        chunk = len(self._best)
        while chunk >= 1:
            start = len(self._best)
            while start > 0:
                start = max(0, start - chunk)
                self._drop_chunk(start, chunk)
            chunk = min(chunk // 2, len(self._best)) if chunk > 1 else 0

    def _drop_chunk(self, start: int, chunk: int) -> None:
        kept, dropped = self._best[:start], self._best[start : start + chunk]
        rest = self._best[start + chunk :]
        if not kept and not rest:
            return
        if self._try(kept + rest) or not rest:
            return
        seconds, blocks = sum(t.seconds for t in dropped), sum(t.blocks for t in dropped)
        if seconds or blocks:
            late = msgspec.structs.replace(rest[0], seconds=rest[0].seconds + seconds, blocks=rest[0].blocks + blocks)
            if self._try((*kept, late, *rest[1:])):
                return
        if chunk == 1:
            self._drop_counted(kept, dropped[0], rest)

    def _drop_counted(self, kept: Sequence, dropped: Transaction, rest: Sequence) -> None:
        """Drop a call whose like are counted: those behind it name what they use by a number that is one less then.
        Calls of the same function make such things, so that their own numbers may be of another kind."""
        renumbered = tuple(map(self._with_smaller_identifiers, rest))
        if self._try(kept + renumbered):
            return
        made = dropped.data[:SELECTOR_SIZE]
        pairs = zip(rest, renumbered, strict=True)
        self._try(kept + tuple(old if old.data[:SELECTOR_SIZE] == made else new for old, new in pairs))

    def _with_smaller_identifiers(self, call: Transaction) -> Transaction:
        decoded = self._decode(call)
        if decoded is None:
            return call
        types, values = decoded
        items = [
            value - 1 if isinstance(abi_type, UInt) and value in IDENTIFIERS else value
            for abi_type, value in zip(types, values, strict=True)
        ]
        return msgspec.structs.replace(call, data=call.data[:SELECTOR_SIZE] + encode(types, items))

    def _rename_senders(self) -> None:
        """Let preferred senders take the place of others everywhere, arguments included, as when one pays itself."""
        for used in dict.fromkeys(transaction.sender for transaction in self._best):
            for preferred in self._senders:
                if preferred == used or self._try_rewritten(
                    tuple(with_sender(call, used, preferred) for call in self._best)
                ):
                    break

    def _merge_calls(self) -> None:
        """Let one call do the work of two of the same function: with the sum of an argument, or its type's limit."""
        later = len(self._best) - 1
        while later > 0:
            for earlier in range(later):
                if self._try_merged(earlier, later):
                    break
            later = min(later, len(self._best)) - 1

    def _try_merged(self, earlier: int, later: int) -> bool:
        first, second = self._best[earlier], self._best[later]
        if first.to != second.to or first.data[:SELECTOR_SIZE] != second.data[:SELECTOR_SIZE]:
            return False
        one, other = self._decode(first), self._decode(second)
        if one is None or other is None:
            return False
        for position, abi_type in enumerate(other[0]):
            if isinstance(abi_type, UInt):
                items = list(other[1])
                items[position] = min(items[position] + one[1][position], (1 << abi_type.bits) - 1)
                merged = msgspec.structs.replace(second, data=second.data[:SELECTOR_SIZE] + encode(other[0], items))
                if self._try(
                    (*self._best[:earlier], *self._best[earlier + 1 : later], merged, *self._best[later + 1 :])
                ):
                    return True
        return False

    def _simplify_linked(self) -> None:
        """Change equal numbers together: amounts that must match, identifiers, a value and the argument naming it."""
        for number in repeated_numbers(self._best):
            minimize_integer(number, self._try_number(self._best, number))

    def _try_number(self, sequence: Sequence, number: int) -> Callable[[int], bool]:
        return lambda smaller: self._try_rewritten(with_number(sequence, number, smaller))

    def _replace(self, index: int, **changes: Any) -> bool:
        changed = msgspec.structs.replace(self._best[index], **changes)
        return self._try((*self._best[:index], changed, *self._best[index + 1 :]))

    def _simplify_sender(self, index: int) -> None:
        for sender in self._senders:
            if sender == self._best[index].sender or self._replace(index, sender=sender):
                return

    def _simplify_value(self, index: int) -> None:
        minimize_integer(self._best[index].wei, lambda wei: self._replace(index, value=wei_bytes(wei)))

    def _simplify_delay(self, index: int) -> None:
        transaction = self._best[index]
        if (transaction.seconds or transaction.blocks) and self._replace(index, seconds=0, blocks=0):
            return
        minimize_integer(self._best[index].seconds, lambda seconds: self._replace(index, seconds=seconds))
        minimize_integer(self._best[index].blocks, lambda blocks: self._replace(index, blocks=blocks))

    def _simplify_arguments(self, index: int) -> None:
        decoded = self._decode(self._best[index])
        if decoded is None:
            if self._is_raw(self._best[index]):
                minimize_bytes(self._best[index].data, lambda data: self._replace(index, data=data))
            return
        types, values = decoded
        selector = self._best[index].data[:SELECTOR_SIZE]
        items = list(values)
        if not self._replace(index, data=selector + encode(types, items)):
            return  # what fails is not these values: bytes between, behind or in the padding of them
        for position, abi_type in enumerate(types):

            def still_fails(value: Any, position: int = position) -> bool:
                candidate = [*items[:position], value, *items[position + 1 :]]
                return self._replace(index, data=selector + encode(types, candidate))

            items[position] = minimize_value(abi_type, items[position], still_fails)

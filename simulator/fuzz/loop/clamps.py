"""Clamps of functions: what users bind arguments and senders to, in the form that native code reads, and for sequences
that Python makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from simulator.abi.argument_paths import argument_place
from simulator.errors import AbiError
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel.records import Records, Words
from simulator.fuzz.arena import WORD_BYTES, MemoryBlock, words
from simulator.fuzz.generation.call_templates import FunctionTable
from simulator.fuzz.native.layout.clamp_record import ClampRecord
from simulator.fuzz.targets.target import TargetFunction
from simulator.transaction import SELECTOR_SIZE, WORD_MAX, Sequence, Transaction, address_int


@dataclass(frozen=True)
class ArgumentClamp:
    """The argument at `path`, of the ABI type `canonical`, is one of `values`, or one of `low`..`high` where there are
    none. All of them are words as they stand in calldata."""

    path: str
    canonical: str
    values: tuple[int, ...] = ()
    low: int = 0
    high: int = WORD_MAX

    def holds(self, word: int) -> bool:
        if self.values:
            return word in self.values
        return (word - self.low) & WORD_MAX <= self.span

    @property
    def span(self) -> int:
        return (self.high - self.low) & WORD_MAX

    @property
    def mask(self) -> int:
        """The bits of `span`, all set."""
        return (1 << self.span.bit_length()) - 1

    def repaired(self, word: int) -> int:
        """A word that holds; the same one for the same word."""
        if self.values:
            return self.values[word % len(self.values)]
        place = (word - self.low) & self.mask
        return (self.low + (place - self.span - 1 if place > self.span else place)) & WORD_MAX


@dataclass(frozen=True)
class FunctionClamp:
    """Clamps of the functions that `TargetFunction.is_named` understands by `function`. Arguments that an overload
    does not have in that type do not concern it; without `senders` no sender is excluded."""

    function: str
    arguments: tuple[ArgumentClamp, ...] = ()
    senders: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class _Bound:
    """The clamps of one function, by where the arguments stand in calldata."""

    arguments: tuple[tuple[int, ArgumentClamp], ...]
    senders: tuple[bytes, ...]

    def admits(self, call: Transaction) -> bool:
        if self.senders and call.sender not in self.senders:
            return False
        return all(_has(call, at) and clamp.holds(_word(call, at)) for at, clamp in self.arguments)

    def repaired(self, call: Transaction) -> Transaction | None:
        data = call.data
        for at, clamp in self.arguments:
            if not _has(call, at):
                return None
            word = _word(call, at)
            if not clamp.holds(word):
                data = data[:at] + clamp.repaired(word).to_bytes(WORD_BYTES, "big") + data[at + WORD_BYTES :]
        sender = call.sender
        if self.senders and sender not in self.senders:
            sender = self.senders[address_int(sender) % len(self.senders)]
        return Transaction(sender, call.to, data, call.value, call.seconds, call.blocks, call.gas)


def _has(call: Transaction, at: int) -> bool:
    return len(call.data) >= at + WORD_BYTES


def _word(call: Transaction, at: int) -> int:
    return int.from_bytes(call.data[at : at + WORD_BYTES], "big")


class ClampTable:
    """Owns the clamp records of a campaign's functions."""

    def __init__(self, functions: FunctionTable, target_of: Callable[[Transaction], TargetFunction | None]) -> None:
        self._functions = functions
        self._target_of = target_of
        self._clamps: tuple[FunctionClamp, ...] = ()
        self._bound: dict[int, _Bound] = {}
        self._kept: dict[int, tuple[MemoryBlock, ...]] = {}

    def __bool__(self) -> bool:
        """Return whether any function is bound."""
        return bool(self._bound)

    def replace(self, clamps: tuple[FunctionClamp, ...], targets: Iterable[TargetFunction]) -> None:
        """Hold these clamps instead of those before. Of two for the same argument the later holds."""
        for index in self._bound:
            self._functions.unclamp(index)
        self._clamps = clamps
        self._bound.clear()
        self._kept.clear()
        self.add(targets)

    def add(self, targets: Iterable[TargetFunction]) -> None:
        """These functions are called too; what was said of their names holds for them."""
        for target in targets if self._clamps else ():
            bound = self._of(target)
            if bound.arguments or bound.senders:
                self._bound[target.index] = bound
                self._write(target.index, bound)

    def within(self, sequence: Sequence) -> Sequence:
        """The sequence as the clamps want it: calls that break one are repaired, the same way each time. Calls that
        have no word where the argument belongs are left out."""
        if not self._bound:
            return sequence
        repaired = (self._repaired(call) for call in sequence)
        return tuple(call for call in repaired if call is not None)

    def admits(self, sequence: Sequence) -> bool:
        """Return whether no call breaks a clamp."""
        return all(bound.admits(call) for call in sequence if (bound := self._of_call(call)) is not None)

    def _repaired(self, call: Transaction) -> Transaction | None:
        bound = self._of_call(call)
        return call if bound is None or bound.admits(call) else bound.repaired(call)

    def _of_call(self, call: Transaction) -> _Bound | None:
        if not self._bound or call.is_wait:
            return None
        target = self._target_of(call)
        return None if target is None else self._bound.get(target.index)

    def _of(self, target: TargetFunction) -> _Bound:
        arguments: dict[int, ArgumentClamp] = {}
        senders: tuple[bytes, ...] = ()
        for clamp in self._clamps:
            if not target.is_named(clamp.function):
                continue
            senders = clamp.senders or senders
            for argument in clamp.arguments:
                try:
                    place = argument_place(target.function, argument.path)
                except AbiError:
                    continue
                if place.type.canonical == argument.canonical:
                    arguments[SELECTOR_SIZE + place.offset] = argument
        # What stands alone is called by the sender of properties, whatever else is wanted.
        return _Bound(tuple(arguments.items()), () if target.alone else senders)

    def _write(self, index: int, bound: _Bound) -> None:
        values = [MemoryBlock(max(WORD_BYTES, WORD_BYTES * len(clamp.values))) for _, clamp in bound.arguments]
        table = MemoryBlock(max(1, len(values)) * ClampRecord.SIZE)
        records = view(Records[ClampRecord], table.address)
        for number, ((at, clamp), arena) in enumerate(zip(bound.arguments, values, strict=True)):
            arena.write(0, words(list(clamp.values)))
            record = records[number]
            record.offset = at
            record.count = len(clamp.values)
            record.values = view(Words, arena.address)
            record.low, record.span, record.mask = as_word(clamp.low), as_word(clamp.span), as_word(clamp.mask)
        senders = MemoryBlock(max(WORD_BYTES, WORD_BYTES * len(bound.senders)))
        senders.write(0, words([address_int(sender) for sender in bound.senders]))
        self._kept[index] = (table, senders, *values)
        self._functions.clamp(index, records, len(values), view(Words, senders.address), len(bound.senders))

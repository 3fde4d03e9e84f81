"""The corpus in memory: entries by content, their order, what is known of each, and the indexes over them.

Plain state without clock or input; the corpus keeper owns it. Entries are numbered in the order in which they came and
never lose their number; a superseded one only leaves the indexes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from actors.corpus.messages import EntrySummary, Measure, Origin
from simulator.corpus.feature_index import FeatureIndex
from simulator.corpus.identity import sequence_hash
from simulator.corpus.minimisation import Candidate
from simulator.corpus.transaction_index import CallPlace, TransactionIndex
from simulator.transaction import Sequence


@dataclass(slots=True)
class Entry:
    """One sequence. `gas` is empty until it is measured; `came` is the keeper's clock when it came."""

    id: str
    sequence: Sequence
    finder: int
    origin: Origin
    gas: tuple[int, ...] = ()
    superseded: bool = False
    came: float = 0.0


@dataclass(frozen=True, slots=True)
class Indexes:
    """The entries that count, and the indexes over them."""

    active: list[int]
    transactions: TransactionIndex
    features: FeatureIndex


class CorpusEntries:
    """All entries of a campaign. Searches of `transactions` may run in threads while entries are added."""

    def __init__(self) -> None:
        self.transactions = TransactionIndex()
        self.features = FeatureIndex()
        self._entries: list[Entry] = []
        self._numbers: dict[str, int] = {}
        self._active: list[int] = []
        self._kept_always = 0

    def __len__(self) -> int:
        return len(self._active)

    def __contains__(self, identity: str) -> bool:
        return identity in self._numbers

    @property
    def cursor(self) -> int:
        """Behind the last entry, for `since`."""
        return len(self._entries)

    @property
    def kept_always(self) -> int:
        return self._kept_always

    @property
    def superseded(self) -> int:
        return len(self._entries) - len(self._active)

    def add(
        self, finder: int, sequence: Sequence, origin: Origin, measure: Measure | None = None, came: float = 0.0
    ) -> bool:
        """Add a sequence; False when it was there. One that was there becomes `failed` or `injected` when it comes as
        such, and is part of the corpus again if it was superseded."""
        identity = sequence_hash(sequence)
        number = self._numbers.get(identity)
        is_new = number is None
        if number is None:
            number = self._numbers[identity] = len(self._entries)
            self._entries.append(Entry(identity, sequence, finder, origin, came=came))
            self._kept_always += origin != "coverage"
            self._activate(number)
        elif origin != "coverage":
            self._keep_always(number, origin)
        if measure is not None:
            self.measure(identity, measure)
        return is_new

    def measure(self, identity: str, measure: Measure) -> None:
        """Note what an entry covers. The first measure counts; one of an entry that is not there is left out."""
        number = self._numbers.get(identity)
        if number is None or number in self.features:
            return
        entry = self._entries[number]
        if len(measure.gas) == len(entry.sequence):
            entry.gas = measure.gas
        if not entry.superseded:
            self.features.add(number, measure.features, len(entry.sequence))

    def is_measured(self, sequence: Sequence) -> bool:
        """True if it is known what this sequence covers, or it is no entry of the corpus."""
        number = self._numbers.get(sequence_hash(sequence))
        return number is None or number in self.features

    def since(self, cursor: int, but: int | None = None) -> tuple[Sequence, ...]:
        """Sequences that came after a cursor and are still in the corpus, without those that `but` found."""
        entries = self._entries[cursor:]
        return tuple(entry.sequence for entry in entries if not entry.superseded and entry.finder != but)

    def by_failure(self) -> tuple[tuple[Sequence, ...], tuple[Sequence, ...]]:
        """The corpus in the order in which it came: what fails a test, and the rest."""
        entries = [entry for entry in self._entries if not entry.superseded]
        return (
            tuple(entry.sequence for entry in entries if entry.origin == "failed"),
            tuple(entry.sequence for entry in entries if entry.origin != "failed"),
        )

    def candidates(self) -> tuple[Candidate, ...]:
        """The measured entries, for minimisation."""
        return tuple(
            Candidate(number, features, len(self._entries[number].sequence), self._entries[number].origin != "coverage")
            for number, features in self.features.features.items()
        )

    def sequence(self, number: int) -> Sequence:
        return self._entries[number].sequence

    def indexes_without(self, numbers: Collection[int]) -> Indexes:
        """Copy without these entries. Changes nothing, so that it may run in a thread while others read."""
        active = [number for number in self._active if number not in numbers]
        transactions = TransactionIndex()
        for number in active:
            transactions.add(number, self._entries[number].sequence)
        return Indexes(active, transactions, self.features.without(numbers))

    def supersede(self, numbers: Collection[int], rest: Indexes) -> None:
        """Take these entries out of the corpus; `rest` is `indexes_without` them, and nothing was added since."""
        for number in numbers:
            self._entries[number].superseded = True
        self._active, self.transactions, self.features = rest.active, rest.transactions, rest.features

    def reading_of(self, place: CallPlace) -> tuple[str, int | None]:
        """Id of the entry that a transaction belongs to, and the gas it used, where that is known."""
        entry = self._entries[place.entry]
        return entry.id, entry.gas[place.position] if entry.gas else None

    def numbers(self, offset: int, limit: int) -> list[int]:
        """The numbers of the entries at these positions."""
        return self._active[offset : offset + limit]

    def summary(self, number: int, position: int) -> EntrySummary:
        """An entry without its rarity, which costs more than all the rest."""
        entry = self._entries[number]
        first = -1 if entry.superseded else self.transactions.first(number)
        return EntrySummary(entry.id, position, first, len(entry.sequence), entry.origin, entry.finder, None)

    def came(self, number: int) -> float:
        """The keeper's clock when an entry came."""
        return self._entries[number].came

    def number(self, identity: str) -> int | None:
        """The number of the entry with this id."""
        return self._numbers.get(identity)

    def position(self, number: int) -> int:
        """Position of an entry among those of the corpus, -1 for a superseded one."""
        return -1 if self._entries[number].superseded else self._active.index(number)

    def identity(self, number: int) -> str:
        return self._entries[number].id

    def find(self, identity: str) -> Sequence | None:
        """The sequence with this id, superseded ones included."""
        number = self._numbers.get(identity)
        return None if number is None else self._entries[number].sequence

    def _activate(self, number: int) -> None:
        self._active.append(number)
        self.transactions.add(number, self._entries[number].sequence)

    def _keep_always(self, number: int, origin: Origin) -> None:
        entry = self._entries[number]
        if entry.origin == "coverage":
            entry.origin = origin
            self._kept_always += 1
        if entry.superseded:
            entry.superseded = False
            self._activate(number)

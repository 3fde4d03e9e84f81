"""Requests to the corpus keeper and its answers: frozen values."""

from __future__ import annotations

from typing import Literal

import msgspec

from actors.events.types import CorpusMinimised
from actors.runtime.mailbox import MailboxStatistics
from simulator.corpus.call_reading import ReadableTransaction
from simulator.corpus.feature_index import EntryRarity
from simulator.transaction import Sequence

FROM_FOLDER = -1
"""The finder of entries that were loaded, and of sequences that came from outside of the workers."""

Origin = Literal["coverage", "failed", "injected", "foreign"]
"""Why an entry is in the corpus: it brought coverage, it fails a test, somebody injected it, another fuzzer's file
holds it. All but the first stay whatever they cover."""


class Stored(msgspec.Struct, frozen=True):
    """A sequence of the folder."""

    sequence: Sequence
    origin: Origin


class Loaded(msgspec.Struct, frozen=True):
    """A folder's sequences in the order to replay them, and one sentence for each file that was left alone."""

    entries: tuple[Stored, ...]
    problems: tuple[str, ...]


class Measure(msgspec.Struct, frozen=True):
    """Coverage of a sequence when executed alone, as bits of the campaign's feature numbers, and the gas of each
    of its transactions."""

    features: int
    gas: tuple[int, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """A sequence that brought coverage."""

    sequence: Sequence
    measure: Measure | None = None


class EntryMeasured(msgspec.Struct, frozen=True):
    """A worker's measurement of the entry with this id (`sequence_hash`)."""

    entry: str
    measure: Measure


class Kept(msgspec.Struct, frozen=True):
    """Result of adding one sequence. Totals are those of the corpus after it; `problem` says why it could not be
    written, where that is news. `minimised` lists what was set aside because of this item.
    """

    new: bool
    sequences: int
    transactions: int
    problem: str | None
    minimised: CorpusMinimised | None = None


class News(msgspec.Struct, frozen=True):
    """Entries and dictionary words of others; fetch again with these cursors."""

    sequences: tuple[Sequence, ...]
    words: tuple[bytes, ...]
    entry_cursor: int
    word_cursor: int


class CorpusStatistics(msgspec.Struct, frozen=True):
    """`sequences` and `transactions` of the corpus, that is of what a restart loads. `unsaved` writes that the disk
    refused; `measured` entries whose coverage is known, `features` that they cover; `kept_always` entries that
    minimisation never takes, `superseded` ones that it took. `minimising` while it is at work."""

    sequences: int
    transactions: int
    words: int
    unsaved: int
    mailbox: MailboxStatistics
    measured: int = 0
    features: int = 0
    kept_always: int = 0
    superseded: int = 0
    minimising: bool = False


class CorpusPage(msgspec.Struct, frozen=True):
    """Transactions by flat index, and how many the corpus holds at that moment."""

    transactions: tuple[ReadableTransaction, ...]
    total: int


class CorpusMatches(msgspec.Struct, frozen=True):
    """The first matches in the order of the index, and the true number of them."""

    matches: tuple[ReadableTransaction, ...]
    count: int


class EntrySummary(msgspec.Struct, frozen=True):
    """An entry: its id, position among the entries, flat index of its first transaction; `finder` is a worker or
    `FROM_FOLDER`; `rarity` None while no worker has measured it."""

    id: str
    position: int
    first_transaction: int
    transactions: int
    origin: Origin
    finder: int
    rarity: EntryRarity | None


class EntryPage(msgspec.Struct, frozen=True):
    """Entries in the order in which they came, and how many there are."""

    entries: tuple[EntrySummary, ...]
    total: int


# --- messages --------------------------------------------------------------------------------------------------------


class KeepItems(msgspec.Struct, frozen=True):
    worker: int
    items: tuple[Found | EntryMeasured, ...]


class KeepInjected(msgspec.Struct, frozen=True):
    sequences: tuple[Sequence, ...]


class KeepReproducer(msgspec.Struct, frozen=True):
    sequence: Sequence
    shrunk: bool


class KeepWords(msgspec.Struct, frozen=True):
    worker: int
    words: tuple[bytes, ...]


class LoadFolder(msgspec.Struct, frozen=True):
    """Read the folder; answered with the problems."""


class SaveRest(msgspec.Struct, frozen=True):
    """Try again to write what could not be written; answered with the number still unwritten."""


class RestoreFolder(msgspec.Struct, frozen=True):
    """Write again what was removed with its folder; answered with the number of sequences."""


class Minimise(msgspec.Struct, frozen=True):
    """Set aside what others cover; answered with `CorpusMinimised`, None while files could not be written."""


KeeperMessage = KeepItems | Minimise | KeepInjected | KeepReproducer | KeepWords | LoadFolder | SaveRest | RestoreFolder

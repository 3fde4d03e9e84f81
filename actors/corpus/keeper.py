"""The corpus keeper: every sequence worth keeping, once, on disk before it is announced.

The corpus is what a restart loads: sequences that brought coverage, that fail a test (shrunk), that were injected, and
those of other fuzzers' files. Entries are known by a hash of their content, so delivery twice is harmless. Workers do
not get entries pushed: before each piece of work they fetch `news`, everything since their last fetch that came from
another worker. Nothing can be lost on the way, and a slow worker delays no other. When the folder cannot be written the
entry is kept in memory, the first asker gets the reason (those after it do not, until a write has succeeded), and
`save_rest` tries again.

Minimisation sets entries aside whose coverage others have. It begins when as many entries as `minimise_from` have been
measured, and again each time their number has grown by half: a rule of counts, not of the clock, so that one worker
and one seed keep giving the same campaign. The files go to another folder; nothing is deleted.
"""

from __future__ import annotations

import math
from functools import partial

import trio

from actors.corpus.entries import CorpusEntries
from actors.corpus.files import CorpusFiles, CorpusFolder, Write
from actors.corpus.messages import (
    FROM_FOLDER,
    CorpusStatistics,
    EntryMeasured,
    Found,
    KeeperMessage,
    KeepInjected,
    KeepItems,
    KeepReproducer,
    KeepWords,
    Kept,
    Loaded,
    LoadFolder,
    Measure,
    Minimise,
    News,
    Origin,
    RestoreFolder,
    SaveRest,
    Stored,
)
from actors.events.types import CorpusMinimised
from actors.runtime.errors import MailboxClosed
from actors.runtime.mailbox import Ask, Mailbox, ask
from simulator.corpus.identity import sequence_hash
from simulator.corpus.minimisation import superfluous
from simulator.transaction import Sequence

__all__ = ["FROM_FOLDER", "CorpusFolder", "CorpusKeeper", "CorpusStatistics", "Kept", "Loaded", "News", "Stored"]

MAX_WORDS = 65_536
MINIMISE_FROM = 256


class CorpusKeeper:
    """Actor. `folder` None keeps the corpus in memory."""

    def __init__(
        self, folder: CorpusFolder | None = None, capacity: int = 64, minimise_from: int = MINIMISE_FROM
    ) -> None:
        self._files = CorpusFiles(folder)
        self._mailbox: Mailbox[Ask[KeeperMessage, object] | KeepWords] = Mailbox("corpus keeper", capacity)
        self._entries = CorpusEntries()
        self._words: dict[bytes, int] = {}
        self._word_list: list[bytes] = []
        self._least_measured = minimise_from
        self._next_minimisation = minimise_from
        self._minimising = False

    # --- for other actors --------------------------------------------------------------------------------------------

    async def keep(self, worker: int, sequences: tuple[Sequence, ...]) -> tuple[Kept, ...]:
        """Take sequences that brought coverage; returns once they are on disk (or could not be written)."""
        return await self.take(worker, tuple(map(Found, sequences)))

    async def take(self, worker: int, items: tuple[Found | EntryMeasured, ...]) -> tuple[Kept, ...]:
        """Take what a worker found and measured, in its order; one answer for each item, as of `keep`."""
        kept: tuple[Kept, ...] = await ask(self._mailbox, KeepItems(worker, items))
        return kept

    async def keep_injected(self, sequences: tuple[Sequence, ...]) -> tuple[Kept, ...]:
        """Take sequences that stay whether or not they bring coverage; all workers get them as news."""
        kept: tuple[Kept, ...] = await ask(self._mailbox, KeepInjected(sequences))
        return kept

    async def keep_reproducer(self, sequence: Sequence, *, shrunk: bool) -> str | None:
        """Write a failing sequence; returns the problem, if there was one. A shrunk one joins the corpus for good."""
        problem: str | None = await ask(self._mailbox, KeepReproducer(sequence, shrunk))
        return problem

    async def load(self) -> tuple[str, ...]:
        """Read the folder into the corpus, again at any time; returns one sentence for each file that was left alone
        and was not reported before."""
        problems: tuple[str, ...] = await ask(self._mailbox, LoadFolder())
        return problems

    async def save_rest(self, seconds: float = math.inf) -> int:
        """Write what could not be written before; returns how many files still could not."""
        unsaved: int = await ask(self._mailbox, SaveRest(), seconds)
        return unsaved

    async def restore_folder(self) -> int:
        """Rewrite the entries of a removed folder; returns how many sequences."""
        restored: int = await ask(self._mailbox, RestoreFolder())
        return restored

    async def minimise(self) -> CorpusMinimised | None:
        """Set aside the measured entries whose coverage others have, now. None while files wait to be written: what is
        set aside must be on disk."""
        done: CorpusMinimised | None = await ask(self._mailbox, Minimise())
        return done

    def keep_words(self, worker: int, words: tuple[bytes, ...]) -> None:
        """Dictionary words for the other workers. Never waits: when the keeper is busy they are dropped and counted."""
        self._mailbox.post(KeepWords(worker, words))

    def news(self, worker: int, entry_cursor: int, word_cursor: int) -> News:
        """Entries that others found since these cursors (0: everything)."""
        words = self._word_list[word_cursor:]
        return News(
            self._entries.since(entry_cursor, but=worker),
            tuple(word for word in words if self._words[word] != worker),
            self._entries.cursor,
            len(self._word_list),
        )

    def sequences(self) -> tuple[Sequence, ...]:
        """The whole corpus in the order of discovery."""
        return self._entries.since(0)

    def to_replay(self) -> tuple[tuple[Sequence, ...], ...]:
        """The whole corpus in two parts: first what fails a test, then the rest."""
        return self._entries.by_failure()

    @property
    def entries(self) -> CorpusEntries:
        """For `CorpusReader`, which only reads."""
        return self._entries

    def is_measured(self, sequence: Sequence) -> bool:
        """False for an entry of which it would help to know what it covers."""
        return self._entries.is_measured(sequence)

    def statistics(self) -> CorpusStatistics:
        entries = self._entries
        return CorpusStatistics(
            sequences=len(entries),
            transactions=len(entries.transactions),
            words=len(self._word_list),
            unsaved=self._files.unsaved,
            mailbox=self._mailbox.statistics(),
            measured=len(entries.features),
            features=entries.features.covered,
            kept_always=entries.kept_always,
            superseded=entries.superseded,
            minimising=self._minimising,
        )

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve until cancelled. Callers that wait for an answer then get `MailboxClosed`."""
        current: Ask[KeeperMessage, object] | KeepWords | None = None
        try:
            while True:
                current = await self._mailbox.receive()
                if isinstance(current, KeepWords):
                    self._add_words(current)
                else:
                    current.reply.set(await self._answer(current.message))
        finally:
            self._leave(current)

    def _leave(self, current: Ask[KeeperMessage, object] | KeepWords | None) -> None:
        waiting = [current, *self._mailbox.receive_nowait(limit=1 << 20)]
        self._mailbox.abandon()
        for message in waiting:
            if isinstance(message, Ask):
                message.reply.fail(MailboxClosed("the corpus keeper has ended"))

    async def _answer(self, message: KeeperMessage) -> object:
        match message:
            case KeepItems():
                return await self._take(message)
            case KeepInjected():
                return await self._keep_injected(message)
            case KeepReproducer():
                return await self._keep_reproducer(message)
            case LoadFolder():
                return await self._load()
            case Minimise():
                return None if self._files.unsaved else await self._minimise()
            case SaveRest():
                return await self._files.write_rest()
            case RestoreFolder():
                return await self._files.restore()
            case KeepWords():
                self._add_words(message)
                return None

    async def _take(self, message: KeepItems) -> tuple[Kept, ...]:
        """Everything is written first, then taken in one by one, so that what is answered does not depend on how many
        items came together."""
        found = [item.sequence for item in message.items if isinstance(item, Found)]
        problem = await self._files.write(self._coverage_writes(found))
        kept: list[Kept] = []
        for item in message.items:
            match item:
                case Found():
                    new = self._add(message.worker, item.sequence, "coverage", item.measure)
                case EntryMeasured():
                    new = False
                    self._entries.measure(item.entry, item.measure)
            minimised = await self._minimise() if self._is_due() else None
            kept.append(self._kept(new, problem, minimised))
            await trio.lowlevel.checkpoint()
        return tuple(kept)

    def _coverage_writes(self, sequences: list[Sequence]) -> list[Write]:
        folder = self._files.folder
        fresh = {identity: one for one in sequences if (identity := sequence_hash(one)) not in self._entries}
        return [partial(folder.save_coverage, one) for one in fresh.values()] if folder is not None else []

    def _kept(self, new: bool, problem: str | None, minimised: CorpusMinimised | None = None) -> Kept:
        entries = self._entries
        return Kept(new, len(entries), len(entries.transactions), problem if new else None, minimised)

    async def _keep_injected(self, message: KeepInjected) -> tuple[Kept, ...]:
        folder = self._files.folder
        problem = None
        if folder is not None:
            problem = await self._files.write([partial(folder.save_injected, one) for one in message.sequences])
        return tuple(
            self._kept(self._add(FROM_FOLDER, sequence, "injected"), problem) for sequence in message.sequences
        )

    async def _keep_reproducer(self, message: KeepReproducer) -> str | None:
        folder, sequence = self._files.folder, message.sequence
        problem = None
        if folder is not None:
            problem = await self._files.write([partial(folder.save_reproducer, sequence, message.shrunk)])
        if message.shrunk:
            self._add(FROM_FOLDER, sequence, "failed")
        return problem

    async def _load(self) -> tuple[str, ...]:
        loaded = await self._files.load()
        for stored in loaded.entries:
            self._add(FROM_FOLDER, stored.sequence, stored.origin)
            await trio.lowlevel.checkpoint()
        return loaded.problems

    def _add(self, finder: int, sequence: Sequence, origin: Origin, measure: Measure | None = None) -> bool:
        return self._entries.add(finder, sequence, origin, measure, trio.current_time())

    # --- minimisation ------------------------------------------------------------------------------------------------

    def _is_due(self) -> bool:
        return len(self._entries.features) >= self._next_minimisation and not self._files.unsaved

    async def _minimise(self) -> CorpusMinimised:
        """Set aside the entries whose coverage others have; unmeasured entries stay.

        The choice is made in a thread. Files are moved before the entries leave the corpus."""
        entries = self._entries
        self._minimising = True
        try:
            numbers = await trio.to_thread.run_sync(superfluous, entries.candidates())
            moved = await self._files.supersede([entries.sequence(number) for number in numbers])
            gone = frozenset(numbers[:moved])
            entries.supersede(gone, await trio.to_thread.run_sync(entries.indexes_without, gone))
        finally:
            self._minimising = False
        self._next_minimisation = max(self._least_measured, len(entries.features) * 3 // 2)
        return CorpusMinimised(moved, len(entries), len(entries.transactions))

    def _add_words(self, message: KeepWords) -> None:
        for word in message.words:
            if word not in self._words and len(self._word_list) < MAX_WORDS:
                self._words[word] = message.worker
                self._word_list.append(word)

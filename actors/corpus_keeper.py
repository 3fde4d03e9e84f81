"""The corpus keeper: every sequence that brought coverage, once, on disk before anybody is told.

Entries are known by a hash of their content, so delivery twice is harmless. Workers do not get entries pushed: before
each piece of work they fetch `news`, everything since their last fetch that came from somebody else. Nothing can be
lost on the way, and a slow worker holds nobody up. When the folder cannot be written the entry is kept in memory, the
first asker gets the reason (those after it do not, until a write has succeeded), and `save_rest` tries again.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Protocol

import msgspec
import trio

from actors.errors import MailboxClosed
from actors.mailbox import Ask, Mailbox, MailboxStatistics, ask
from simulator.errors import CorpusError
from simulator.transaction import Sequence

FROM_FOLDER = -1
"""The finder of entries that were loaded."""
MAX_WORDS = 65_536
_BATCH = 256


class CorpusFolder(Protocol):
    """Where entries are written: synchronous, called in threads, one call at a time. Raises `CorpusError`."""

    def load(self) -> tuple[tuple[Sequence, ...], tuple[str, ...]]:
        """All sequences to replay, failing ones first, and one sentence for each file that was left alone."""

    def save_coverage(self, sequence: Sequence) -> None:
        """Write an entry under its content's name, atomically; an existing file is left as it is."""

    def save_reproducer(self, sequence: Sequence, shrunk: bool) -> None:
        """The same for a failing sequence."""


class Kept(msgspec.Struct, frozen=True):
    """What became of one sequence. Totals are those of the corpus after it; `problem` says why it could not be written,
    where that is news."""

    new: bool
    sequences: int
    transactions: int
    problem: str | None


class News(msgspec.Struct, frozen=True):
    """Entries and dictionary words of others; fetch again with these cursors."""

    sequences: tuple[Sequence, ...]
    words: tuple[bytes, ...]
    entry_cursor: int
    word_cursor: int


class KeepSequences(msgspec.Struct, frozen=True):
    worker: int
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


KeeperMessage = KeepSequences | KeepReproducer | KeepWords | LoadFolder | SaveRest


class CorpusStatistics(msgspec.Struct, frozen=True):
    sequences: int
    transactions: int
    words: int
    unsaved: int
    mailbox: MailboxStatistics


class _Entry(msgspec.Struct, frozen=True):
    finder: int
    sequence: Sequence


def content_hash(sequence: Sequence) -> bytes:
    """16 bytes that name a sequence by its content."""
    return hashlib.blake2b(msgspec.msgpack.encode(sequence), digest_size=16).digest()


class CorpusKeeper:
    """Actor. `folder` None keeps the corpus in memory."""

    def __init__(self, folder: CorpusFolder | None = None, capacity: int = 64) -> None:
        self._folder = folder
        self._mailbox: Mailbox[Ask[KeeperMessage, object] | KeepWords] = Mailbox("corpus keeper", capacity)
        self._entries: list[_Entry] = []
        self._hashes: set[bytes] = set()
        self._transactions = 0
        self._words: dict[bytes, int] = {}
        self._word_list: list[bytes] = []
        self._unsaved: list[Callable[[], None]] = []
        self._failing = False

    # --- for other actors --------------------------------------------------------------------------------------------

    async def keep(self, worker: int, sequences: tuple[Sequence, ...]) -> tuple[Kept, ...]:
        """Take sequences that brought coverage; returns once they are on disk (or could not be written)."""
        kept: tuple[Kept, ...] = await ask(self._mailbox, KeepSequences(worker, sequences))
        return kept

    async def keep_reproducer(self, sequence: Sequence, *, shrunk: bool) -> str | None:
        """Write a failing sequence; returns the problem, if there was one."""
        problem: str | None = await ask(self._mailbox, KeepReproducer(sequence, shrunk))
        return problem

    async def load(self) -> tuple[str, ...]:
        """Read the folder into the corpus; returns one sentence for each file that was left alone."""
        problems: tuple[str, ...] = await ask(self._mailbox, LoadFolder())
        return problems

    async def save_rest(self, seconds: float = math.inf) -> int:
        """Write what could not be written before; returns how many files still could not."""
        unsaved: int = await ask(self._mailbox, SaveRest(), seconds)
        return unsaved

    def keep_words(self, worker: int, words: tuple[bytes, ...]) -> None:
        """Dictionary words for the other workers. Never waits: when the keeper is busy they are dropped and counted."""
        self._mailbox.post(KeepWords(worker, words))

    def news(self, worker: int, entry_cursor: int, word_cursor: int) -> News:
        """What others found since these cursors (0: everything)."""
        entries = self._entries[entry_cursor:]
        words = self._word_list[word_cursor:]
        return News(
            tuple(entry.sequence for entry in entries if entry.finder != worker),
            tuple(word for word in words if self._words[word] != worker),
            len(self._entries),
            len(self._word_list),
        )

    def sequences(self) -> tuple[Sequence, ...]:
        """The whole corpus in the order of discovery."""
        return tuple(entry.sequence for entry in self._entries)

    def statistics(self) -> CorpusStatistics:
        return CorpusStatistics(
            len(self._entries),
            self._transactions,
            len(self._word_list),
            len(self._unsaved),
            self._mailbox.statistics(),
        )

    # --- the actor ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve until cancelled. Whoever waits for an answer then gets `MailboxClosed`."""
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
            case KeepSequences():
                return await self._keep(message)
            case KeepReproducer():
                return await self._write_reproducer(message)
            case LoadFolder():
                return await self._load()
            case SaveRest():
                return await self._save_rest()
            case KeepWords():
                self._add_words(message)
                return None

    async def _keep(self, message: KeepSequences) -> tuple[Kept, ...]:
        fresh = [(sequence, content_hash(sequence)) for sequence in message.sequences]
        to_write = [sequence for sequence, digest in fresh if digest not in self._hashes]
        problem = await self._write([self._coverage_writer(sequence) for sequence in to_write])
        return tuple(self._add(message.worker, sequence, digest, problem) for sequence, digest in fresh)

    def _add(self, finder: int, sequence: Sequence, digest: bytes, problem: str | None) -> Kept:
        new = digest not in self._hashes
        if new:
            self._hashes.add(digest)
            self._entries.append(_Entry(finder, sequence))
            self._transactions += len(sequence)
        return Kept(new, len(self._entries), self._transactions, problem if new else None)

    async def _write_reproducer(self, message: KeepReproducer) -> str | None:
        folder = self._folder
        if folder is None:
            return None
        return await self._write([lambda: folder.save_reproducer(message.sequence, message.shrunk)])

    def _coverage_writer(self, sequence: Sequence) -> Callable[[], None]:
        folder = self._folder
        return lambda: folder.save_coverage(sequence) if folder is not None else None

    async def _write(self, writers: list[Callable[[], None]]) -> str | None:
        """Run the writers in order, in a thread. What fails is remembered for `save_rest`; returns the first reason,
        unless the writes before failed as well."""
        if self._folder is None or not writers:
            return None
        failed, problem = await trio.to_thread.run_sync(_run_writers, writers)
        self._unsaved += failed
        known, self._failing = self._failing, bool(failed)
        return None if known else problem

    async def _load(self) -> tuple[str, ...]:
        if self._folder is None:
            return ()
        try:
            sequences, problems = await trio.to_thread.run_sync(self._folder.load)
        except CorpusError as error:
            return (str(error),)
        for sequence in sequences:
            self._add(FROM_FOLDER, sequence, content_hash(sequence), None)
        return problems

    async def _save_rest(self) -> int:
        writers, self._unsaved = self._unsaved, []
        await self._write(writers)
        return len(self._unsaved)

    def _add_words(self, message: KeepWords) -> None:
        for word in message.words:
            if word not in self._words and len(self._word_list) < MAX_WORDS:
                self._words[word] = message.worker
                self._word_list.append(word)


def _run_writers(writers: list[Callable[[], None]]) -> tuple[list[Callable[[], None]], str | None]:
    failed: list[Callable[[], None]] = []
    problem: str | None = None
    for writer in writers:
        try:
            writer()
        except CorpusError as error:
            failed.append(writer)
            problem = problem or str(error)
    return failed, problem

"""The corpus keeper's way to its folder: in threads, in order, and tried again when the disk refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import trio

from actors.corpus.messages import Loaded
from simulator.errors import CorpusError
from simulator.transaction import Sequence

Write = Callable[[], None]


class CorpusFolder(Protocol):
    """Storage for entries: synchronous, called in threads, one call at a time. Raises `CorpusError`."""

    def load(self) -> Loaded:
        """All sequences to replay, failing ones first."""

    def save_coverage(self, sequence: Sequence) -> None:
        """Write an entry under its content's name, atomically; an existing file is left as it is."""

    def save_injected(self, sequence: Sequence) -> None:
        """The same for a sequence that is to stay whatever it covers."""

    def save_reproducer(self, sequence: Sequence, shrunk: bool) -> None:
        """The same for a failing sequence."""

    def supersede(self, sequence: Sequence) -> None:
        """Put the entry's file where it is kept and not loaded."""

    def restore(self) -> int:
        """Write again what stood in subfolders that are gone; returns how many sequences."""


class CorpusFiles:
    """`folder` None writes nothing. What could not be written is kept in memory for `write_rest`."""

    def __init__(self, folder: CorpusFolder | None) -> None:
        self.folder = folder
        self._unsaved: list[Write] = []
        self._failing = False
        self._told: set[str] = set()

    @property
    def unsaved(self) -> int:
        return len(self._unsaved)

    async def load(self) -> Loaded:
        """Read the folder. Each problem is reported once, however often the folder is read."""
        if self.folder is None:
            return Loaded((), ())
        try:
            loaded = await trio.to_thread.run_sync(self.folder.load)
        except CorpusError as error:
            loaded = Loaded((), (str(error),))
        problems = tuple(problem for problem in loaded.problems if problem not in self._told)
        self._told.update(problems)
        return Loaded(loaded.entries, problems)

    async def write(self, writes: list[Write]) -> str | None:
        """Write in order, in a thread; returns the first reason why something could not be written, unless the writes
        before failed as well."""
        if self.folder is None or not writes:
            return None
        failed, problem = await trio.to_thread.run_sync(_run, writes)
        self._unsaved += failed
        known, self._failing = self._failing, bool(failed)
        return None if known else problem

    async def write_rest(self) -> int:
        """Try again; returns how many files still could not be written."""
        writes, self._unsaved = self._unsaved, []
        await self.write(writes)
        return len(self._unsaved)

    async def restore(self) -> int:
        """Rewrite the entries of a removed folder; returns how many sequences. What the disk refuses is tried
        again the next time."""
        if self.folder is None:
            return 0
        try:
            return await trio.to_thread.run_sync(self.folder.restore)
        except CorpusError:
            return 0

    async def supersede(self, sequences: list[Sequence]) -> int:
        """Move the files of these entries; returns how many were moved before the disk refused."""
        folder = self.folder
        if folder is None:
            return len(sequences)
        return await trio.to_thread.run_sync(_supersede, folder, sequences)


def _run(writes: list[Write]) -> tuple[list[Write], str | None]:
    failed: list[Write] = []
    problem: str | None = None
    for write in writes:
        try:
            write()
        except CorpusError as error:
            failed.append(write)
            problem = problem or str(error)
    return failed, problem


def _supersede(folder: CorpusFolder, sequences: list[Sequence]) -> int:
    for moved, sequence in enumerate(sequences):
        try:
            folder.supersede(sequence)
        except CorpusError:
            return moved
    return len(sequences)

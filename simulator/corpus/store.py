"""The corpus folder, in Echidna's layout, with medusa's sequences read beside it.

`coverage/`, `injected/`, `reproducers/`, `reproducers-unshrunk/` and `reproducers-optimizations/` hold one sequence a
file, named by its hash; `superseded/` holds the files of `coverage/` that minimisation set aside; `foundry/` holds
tests. Files are written whole or not at all, never overwritten and never removed, so several processes may share a
folder.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import count
from pathlib import Path
from typing import TypeAlias

from simulator.corpus.echidna_json import AbiLookup, parse_sequence, render_sequence
from simulator.corpus.identity import sequence_hash
from simulator.corpus.medusa_json import parse_medusa_sequence
from simulator.errors import CorpusError
from simulator.regular_file import NotRegularError, open_regular
from simulator.transaction import Sequence

MAX_FILE_SIZE = 8 << 20
MAX_FILES = 200_000


class Folder(Enum):
    """Subfolders of the corpus that hold sequences; the value is the name on disk."""

    COVERAGE = "coverage"
    INJECTED = "injected"
    SUPERSEDED = "superseded"
    REPRODUCERS = "reproducers"
    UNSHRUNK = "reproducers-unshrunk"
    OPTIMIZATIONS = "reproducers-optimizations"
    MEDUSA_SEQUENCES = "call_sequences"
    MEDUSA_RESULTS = "test_results"


# What earlier campaigns found to fail comes first.
LOADED = (Folder.REPRODUCERS, Folder.INJECTED, Folder.COVERAGE, Folder.MEDUSA_RESULTS, Folder.MEDUSA_SEQUENCES)
FOUNDRY_FOLDER = "foundry"
_HASHED = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class CorpusEntry:
    """A sequence read from `path`; `id` is its `sequence_hash`, whatever the file is called."""

    id: str
    folder: Folder
    path: Path
    sequence: Sequence


@dataclass(frozen=True)
class CorpusProblem:
    """A file that was left alone; `message` names it and says why."""

    path: Path
    message: str


class CorpusStore:
    """Writes below one folder, which is created when something is first saved. Every method blocks on the disk."""

    def __init__(self, root: Path, abi_of: AbiLookup) -> None:
        self.root = root
        self._abi_of = abi_of

    def save(self, folder: Folder, sequence: Sequence) -> Path:
        """Write a sequence unless it is there already; returns its file. Raises `CorpusError`."""
        path = self.root / folder.value / f"{sequence_hash(sequence)}.txt"
        if not path.exists():
            write_new(path, render_sequence(sequence, self._abi_of))
        return path

    def supersede(self, path: Path) -> None:
        """Move a file of `coverage/` to `superseded/`; one that is not there any more is left out. Raises
        `CorpusError`."""
        target = self.root / Folder.SUPERSEDED.value / path.name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                os.replace(path, _free_name(target))
        except OSError as error:
            raise CorpusError(f"{path}: cannot be moved to {target.parent}: {error.strerror}") from None


def _free_name(path: Path) -> Path:
    """A name that overwrites nothing; where the name is a hash of the content, what it overwrites is the same."""
    if _HASHED.fullmatch(path.stem):
        return path
    names = (path.with_stem(f"{path.stem}-{number}") if number else path for number in count())
    return next(name for name in names if not name.exists())


def load_corpus(root: Path) -> tuple[list[CorpusEntry], list[CorpusProblem]]:
    """Read the sequences of a corpus folder: reproducers first, then injected ones, then coverage, each sequence once,
    in an order that depends on the files alone. What is in `superseded/` is not read.

    A folder that does not exist is an empty corpus. Files that do not parse, are over 8 MiB, or are no regular files
    (links included) become problems. Raises `CorpusError` when a folder cannot be listed or holds over 200,000 files.
    """
    entries: dict[str, CorpusEntry] = {}
    problems: list[CorpusProblem] = []
    for folder in LOADED:
        parse = parse_medusa_sequence if folder.value.startswith(("call_", "test_")) else parse_sequence
        for path in _files(root, folder):
            try:
                entry = _read_entry(folder, path, str(path.relative_to(root)), parse)
            except CorpusError as error:
                problems.append(CorpusProblem(path, str(error)))
            else:
                entries.setdefault(entry.id, entry)
    return list(entries.values()), problems


Parser: TypeAlias = Callable[[bytes, str], Sequence]


def _read_entry(folder: Folder, path: Path, place: str, parse: Parser) -> CorpusEntry:
    sequence = parse(_read_bounded(path, place), place)
    return CorpusEntry(sequence_hash(sequence), folder, path, sequence)


def _files(root: Path, folder: Folder) -> Iterator[Path]:
    found: list[Path] = []
    try:
        # medusa 0.1 kept its sequences in `immutable/` and `mutable/` below `call_sequences/`.
        for directory in (root / folder.value, *(root / folder.value / name for name in ("immutable", "mutable"))):
            if directory.is_dir() and not directory.is_symlink():
                found += (path for path in directory.iterdir() if path.suffix in (".txt", ".json"))
    except OSError as error:
        raise CorpusError(f"{error.filename}: cannot be listed: {error.strerror}") from None
    if len(found) > MAX_FILES:
        raise CorpusError(f"{root / folder.value}: {len(found)} files; at most {MAX_FILES} are read")
    return iter(sorted(path for path in found if not path.name.startswith(".")))


def _read_bounded(path: Path, place: str) -> bytes:
    try:
        with open_regular(path) as file:
            content = file.read(MAX_FILE_SIZE + 1)
    except NotRegularError:
        raise CorpusError(f"{place}: not a regular file") from None
    except OSError as error:
        raise CorpusError(f"{place}: cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE_SIZE:
        raise CorpusError(f"{place}: over {MAX_FILE_SIZE} bytes")
    return content


def write_new(path: Path, content: bytes) -> None:
    """Write a file whole: under a hidden temporary name, synced, then put in place. A file that appeared there in the
    meantime stays as it is.

    Creates the parent folders. Raises `CorpusError` naming the file when the disk refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            os.chmod(name, 0o644)
            _put_in_place(name, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)
    except OSError as error:
        raise CorpusError(f"{path}: cannot be written: {error.strerror}") from None


def _put_in_place(name: str, path: Path) -> None:
    try:
        os.link(name, path)
    except FileExistsError:
        return
    except OSError:
        # File systems without hard links: content-hashed names make a lost race harmless.
        os.replace(name, path)

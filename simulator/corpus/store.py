"""The corpus folder, in Echidna's layout, with medusa's and forge's sequences beside it.

`coverage/`, `injected/`, `reproducers/`, `reproducers-unshrunk/` and `reproducers-optimizations/` hold one sequence a
file, named by its hash; `superseded/` holds the files of `coverage/` that minimisation set aside; `foundry/` holds
tests. Files are written whole or not at all, never overwritten and never removed, so several processes may share a
folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path
from typing import Literal, TypeAlias

from simulator.corpus.echidna_json import AbiLookup, parse_sequence, render_sequence
from simulator.corpus.forge_json import (
    FILE_NAME,
    forge_file_name,
    forge_folders,
    forge_tests,
    parse_forge_sequence,
    render_forge_sequence,
)
from simulator.corpus.identity import sequence_hash
from simulator.corpus.medusa_json import medusa_file_name, parse_medusa_sequence, render_medusa_sequence
from simulator.errors import CorpusError
from simulator.files.atomic_file import SHARED, write_atomically
from simulator.files.regular_file import NotRegularError, TooLargeError, read_at_most
from simulator.transaction import Sequence

MAX_FILE_SIZE = 8 << 20
MAX_FILES = 200_000

CorpusFormat = Literal["echidna", "medusa", "forge"]
"""The fuzzer whose files are written. Those of all are read."""


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
    FORGE = "<contract>/<test>"


# What earlier campaigns found to fail comes first.
LOADED = (
    *(Folder.REPRODUCERS, Folder.INJECTED, Folder.COVERAGE, Folder.MEDUSA_RESULTS, Folder.MEDUSA_SEQUENCES),
    Folder.FORGE,
)
_IN_MEDUSAS_FORMAT = {Folder.COVERAGE: Folder.MEDUSA_SEQUENCES, Folder.REPRODUCERS: Folder.MEDUSA_RESULTS}
_IN_FORGES_FORMAT = (Folder.COVERAGE, Folder.REPRODUCERS)
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

    def __init__(
        self,
        root: Path,
        abi_of: AbiLookup,
        corpus_format: CorpusFormat = "echidna",
        target: tuple[str, bytes] = ("", b""),
    ) -> None:
        """`target` is the plain name and the address of the fuzzed contract, for forge's folders. What a format has no
        folder for is written in Echidna's."""
        self.root = root
        self._abi_of = abi_of
        self._format = corpus_format
        self._target = target

    def save(self, folder: Folder, sequence: Sequence) -> Path:
        """Write a sequence unless it is there already; returns its file. Raises `CorpusError`."""
        paths, content = self._form(folder, sequence)
        for path in paths:
            if not path.exists():
                write_new(path, content())
        return paths[0]

    def _form(self, folder: Folder, sequence: Sequence) -> tuple[list[Path], Callable[[], bytes]]:
        """The files that hold a sequence, and what stands in them."""
        if self._format == "medusa" and folder in _IN_MEDUSAS_FORMAT:
            path = self.root / _IN_MEDUSAS_FORMAT[folder].value / medusa_file_name(sequence)
            return [path], lambda: render_medusa_sequence(sequence, self._abi_of)
        if self._format == "forge" and folder in _IN_FORGES_FORMAT:
            name, address = self._target
            if folders := forge_folders(name, forge_tests(sequence, self._abi_of(address))):
                paths = [self.root / each / forge_file_name(sequence) for each in folders]
                return paths, lambda: render_forge_sequence(sequence)
        path = self.root / folder.value / f"{sequence_hash(sequence)}.txt"
        return [path], lambda: render_sequence(sequence, self._abi_of)

    def stored_in(self, folder: Folder) -> Folder:
        """The folder that sequences of a kind are written to in this format."""
        if self._format == "forge" and folder in _IN_FORGES_FORMAT:
            return Folder.FORGE
        return _IN_MEDUSAS_FORMAT.get(folder, folder) if self._format == "medusa" else folder

    def directory(self, folder: Folder) -> Path:
        """Return the place of a folder's files; forge's are spread below the root."""
        return self.root if folder is Folder.FORGE else self.root / folder.value

    def supersede(self, path: Path) -> None:
        """Move a file of `coverage/` to `superseded/`; a missing one is left out. Raises
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


def load_corpus(root: Path, abi_of: AbiLookup = lambda _: None) -> tuple[list[CorpusEntry], list[CorpusProblem]]:
    """Read the sequences of a corpus folder: reproducers first, then injected ones, then coverage, each sequence once,
    in an order that depends on the files alone. What is in `superseded/` is not read. `abi_of` helps to read values of
    structs in medusa's files.

    A folder that does not exist is an empty corpus. Files that do not parse, are over 8 MiB, or are no regular files
    (links included) become problems. Raises `CorpusError` when a folder cannot be listed or holds over 200,000 files.
    """
    entries: dict[str, CorpusEntry] = {}
    problems: list[CorpusProblem] = []
    for folder in LOADED:
        parse = _parser(folder, abi_of)
        for path in _files(root, folder):
            try:
                entry = _read_entry(folder, path, str(path.relative_to(root)), parse)
            except CorpusError as error:
                problems.append(CorpusProblem(path, str(error)))
            else:
                entries.setdefault(entry.id, entry)
    return list(entries.values()), problems


Parser: TypeAlias = Callable[[bytes, str], Sequence]


def _parser(folder: Folder, abi_of: AbiLookup) -> Parser:
    if folder in (Folder.MEDUSA_SEQUENCES, Folder.MEDUSA_RESULTS):
        return lambda content, place: parse_medusa_sequence(content, place, abi_of)
    return parse_forge_sequence if folder is Folder.FORGE else parse_sequence


def _read_entry(folder: Folder, path: Path, place: str, parse: Parser) -> CorpusEntry:
    sequence = parse(read_bounded(path, place, MAX_FILE_SIZE), place)
    return CorpusEntry(sequence_hash(sequence), folder, path, sequence)


def _files(root: Path, folder: Folder) -> Iterator[Path]:
    found: list[Path] = []
    try:
        for directory in _directories(root, folder):
            if directory.is_dir() and not directory.is_symlink():
                found += (path for path in directory.iterdir() if _belongs(path, folder))
    except OSError as error:
        raise CorpusError(f"{error.filename}: cannot be listed: {error.strerror}") from None
    if len(found) > MAX_FILES:
        raise CorpusError(f"{root / folder.value}: {len(found)} files; at most {MAX_FILES} are read")
    return iter(sorted(path for path in found if not path.name.startswith(".")))


def _directories(root: Path, folder: Folder) -> Iterator[Path]:
    """The folders of that kind; those that other fuzzers spread over the tree are found by their shape, links left
    out."""
    if folder is Folder.FORGE:
        yield from _matching(root, ["*", "*"])
        yield from _matching(root, ["*", "*", "worker*", "corpus"])
        return
    yield root / folder.value
    # medusa 0.1 kept its sequences in `immutable/` and `mutable/` below `call_sequences/`.
    yield from (root / folder.value / name for name in ("immutable", "mutable"))


def _belongs(path: Path, folder: Folder) -> bool:
    if folder is Folder.FORGE:
        return FILE_NAME.fullmatch(path.name) is not None
    return path.suffix in (".txt", ".json")


def _matching(folder: Path, pattern: list[str]) -> Iterator[Path]:
    if not pattern:
        yield folder
        return
    if folder.is_symlink() or not folder.is_dir():
        return
    for child in sorted(folder.iterdir()):
        if fnmatchcase(child.name, pattern[0]) and child.is_dir() and not child.is_symlink():
            yield from _matching(child, pattern[1:])


def read_bounded(path: Path, place: str, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes. Raises `CorpusError`, which calls the file `place`."""
    try:
        return read_at_most(path, limit)
    except NotRegularError:
        raise CorpusError(f"{place}: not a regular file") from None
    except TooLargeError as error:
        raise CorpusError(f"{place}: {error.strerror}") from None
    except OSError as error:
        raise CorpusError(f"{place}: cannot be read: {error.strerror}") from None


def write_new(path: Path, content: bytes) -> None:
    """Write a file whole: under a hidden temporary name, synced, then put in place. A file that appeared there in the
    meantime stays as it is.

    Creates the parent folders. Raises `CorpusError` naming the file when the disk refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Names are hashes of the content: a file that is there already holds the same.
        write_atomically(path, content, durable=True, mode=SHARED, replace=False)
    except OSError as error:
        raise CorpusError(f"{path}: cannot be written: {error.strerror}") from None

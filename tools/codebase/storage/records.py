"""Records of a codebase, and the port to their storage."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from tools.codebase.chunking.chunk import Chunk
from tools.codebase.embedding import Vector
from tools.codebase.terms import Terms


class Codebase(msgspec.Struct, frozen=True):
    """`ingested` is of the form 2026-01-31T12:00:00Z; `languages` are sorted."""

    name: str
    path: str
    chunk_count: int
    file_count: int
    ingested: str
    languages: tuple[str, ...]


class LanguageCount(msgspec.Struct, frozen=True):
    language: str
    file_count: int
    chunk_count: int


class TypeCount(msgspec.Struct, frozen=True):
    type: str
    count: int


class Statistics(msgspec.Struct, frozen=True):
    """`size_bytes` is the sum of the sizes of the indexed files."""

    codebase: Codebase
    languages: tuple[LanguageCount, ...]
    types: tuple[TypeCount, ...]
    size_bytes: int


class IndexedFile(msgspec.Struct, frozen=True):
    """A file as it is to be kept, `vectors` with a row for each chunk."""

    path: str
    language: str
    digest: bytes
    text: str
    chunks: Sequence[Chunk]
    terms: Sequence[Terms]
    vectors: Vector


class StoredChunk(msgspec.Struct, frozen=True):
    """A chunk as a search finds it, with its text."""

    codebase: str
    path: str
    language: str
    chunk: Chunk
    content: str


class CodebaseSnapshot(msgspec.Struct, frozen=True):
    """All vectors of one generation of the index, ordered by codebase, path and line. Codebases and languages are given
    as indices into their names, `lines` is how many lines a chunk has."""

    generation: int
    ids: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.int8]
    codebases: npt.NDArray[np.int32]
    languages: npt.NDArray[np.int32]
    lines: npt.NDArray[np.int32]
    codebase_names: tuple[str, ...]
    language_names: tuple[str, ...]


class LexicalHits(msgspec.Struct, frozen=True):
    """Chunks that have a word of the question, with their BM25 (greater is better)."""

    ids: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]


class Writer(Protocol):
    """One ingestion. Nothing of it is seen before it ends well."""

    def digests(self) -> dict[str, bytes]:
        """The files that are kept, by path."""

    def put(self, file: IndexedFile) -> None:
        """Keep a file, instead of what was kept under its path."""

    def remove(self, path: str) -> None: ...

    def chunk_count(self) -> int: ...


class StoreReader(Protocol):
    """One consistent look at the index."""

    def generation(self) -> int: ...

    def snapshot(self, embedder: str, dimensions: int) -> CodebaseSnapshot:
        """The vectors that this embedder made; codebases that another one made have zeros until they are indexed
        again."""

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """Number of chunks that contain each of these words, if known."""

    def matching(self, words: Sequence[str]) -> LexicalHits: ...

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        """In the order of `ids`."""


class ChunkStore(Protocol):
    """Keeps codebases. All methods block; any number of readers may work concurrently with one writer. Raises
    `MemoryUnusable`.
    """

    def codebases(self) -> tuple[Codebase, ...]:
        """All of them, by name."""

    def statistics(self, name: str) -> Statistics:
        """Raises `UnknownCodebase`."""

    def digests(self, name: str) -> dict[str, bytes]:
        """The files of a codebase with the digests of what was indexed. Raises `UnknownCodebase`."""

    def writing(self, name: str, root: Path, embedder: str) -> AbstractContextManager[Writer]:
        """Begin an ingestion, which is kept when the block ends well and leaves no trace otherwise, not even when the
        process is killed. Raises `MemoryBusy` and, for a name that stands for another folder, `NameTaken`."""

    def reading(self) -> AbstractContextManager[StoreReader]: ...

    def rename(self, name: str, new_name: str) -> None:
        """Raises `UnknownCodebase`, `NameTaken` and `MemoryBusy`."""

    def remove(self, name: str) -> None:
        """Raises `UnknownCodebase` and `MemoryBusy`."""

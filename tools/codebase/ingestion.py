"""From a folder to its index: what has changed since the last time is read, cut, embedded and kept; all or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tools.codebase.chunking.chunk import lines_of
from tools.codebase.chunking.cut import chunks_of
from tools.codebase.chunking.languages import language_of
from tools.codebase.embedding import Embedder
from tools.codebase.errors import CodebaseFolderRefused, IngestionStopped
from tools.codebase.scanning.files import MAX_FILES, Scan, read_source, scan
from tools.codebase.storage.records import ChunkStore, IndexedFile, Writer
from tools.codebase.terms import terms_of

MAX_NAME_LENGTH = 100
Progress = Callable[[int, int, str], None]
"""Takes how many files are done, how many there are, and the one that is next."""


class IngestionReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Changes that an ingestion made or would make. Paths are relative to `path`; `skipped` gives a reason for each."""

    name: str
    path: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    skipped: dict[str, str]
    chunks_before: int
    chunks_after: int

    @property
    def files(self) -> int:
        """Number of indexed files."""
        return len(self.added) + len(self.changed) + self.unchanged


@dataclass(frozen=True, slots=True)
class Ingestion:
    """`stopping` is asked before each file; where it says so, the ingestion ends with `IngestionStopped`."""

    store: ChunkStore
    embedder: Embedder
    progress: Progress = lambda _done, _all, _path: None
    stopping: Callable[[], bool] = lambda: False
    max_files: int = MAX_FILES

    def run(self, root: Path, name: str) -> IngestionReport:
        """Bring the codebase `name` up to date with the folder `root`. Blocks, for seconds in large codebases.

        Raises `CodebaseFolderRefused`, `NameTaken`, `MemoryBusy`, `MemoryUnusable` and `IngestionStopped`; the index
        then is as it was.
        """
        root = root.resolve()
        checked_name(name)
        found = scan(root, self.max_files)
        with self.store.writing(name, root, self.embedder.identity) as writer:
            return self._update(writer, root, name, found)

    def _update(self, writer: Writer, root: Path, name: str, found: Scan) -> IngestionReport:
        sources, skipped = found.sources, dict(found.skipped)
        known = writer.digests()
        before = writer.chunk_count()
        added: list[str] = []
        changed: list[str] = []
        kept = set()
        for number, path in enumerate(sources):
            self.progress(number, len(sources), path)
            if self.stopping():
                raise IngestionStopped("the ingestion was stopped; the index is as it was")
            content = read_source(root, path)
            if isinstance(content, str):
                skipped[path] = content
                continue
            kept.add(path)
            digest = digest_of(content)
            if known.get(path) == digest:
                continue
            (changed if path in known else added).append(path)
            writer.put(self._file(path, content, digest))
        removed = sorted(known.keys() - kept)
        for path in removed:
            writer.remove(path)
        self.progress(len(sources), len(sources), "")
        return IngestionReport(
            name=name,
            path=str(root),
            added=tuple(added),
            changed=tuple(changed),
            removed=tuple(removed),
            unchanged=len(kept) - len(added) - len(changed),
            skipped=skipped,
            chunks_before=before,
            chunks_after=writer.chunk_count(),
        )

    def _file(self, path: str, content: bytes, digest: bytes) -> IndexedFile:
        text = content.decode("utf-8", "replace")
        chunks = chunks_of(path, text)
        terms = terms_of(path, lines_of(text), chunks)
        vectors = self.embedder.embed_chunks(terms)
        return IndexedFile(path, str(language_of(path)), digest, text, chunks, terms, vectors)


def digest_of(content: bytes) -> bytes:
    """Fingerprint of a version of a file."""
    return hashlib.blake2b(content, digest_size=20).digest()


def checked_name(name: str) -> str:
    """The name of a codebase. Raises `CodebaseFolderRefused` for one that cannot be shown on a line."""
    if not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise CodebaseFolderRefused(f"a codebase's name has 1 to {MAX_NAME_LENGTH} printable characters")
    return name


def stale_entries(store: ChunkStore, root: Path, name: str) -> IngestionReport:
    """Differences between a codebase's index and its folder. Raises `CodebaseFolderRefused` and `UnknownCodebase`."""
    root = root.resolve()
    chunks = store.statistics(name).codebase.chunk_count
    known = store.digests(name)
    found = scan(root)
    skipped = dict(found.skipped)
    current: dict[str, bytes] = {}
    for path in found.sources:
        content = read_source(root, path)
        if isinstance(content, str):
            skipped[path] = content
        else:
            current[path] = digest_of(content)
    changed = tuple(path for path, digest in current.items() if known.get(path, digest) != digest)
    return IngestionReport(
        name=name,
        path=str(root),
        added=tuple(path for path in current if path not in known),
        changed=changed,
        removed=tuple(sorted(known.keys() - current.keys())),
        unchanged=len(current.keys() & known.keys()) - len(changed),
        skipped=skipped,
        chunks_before=chunks,
        chunks_after=chunks,
    )

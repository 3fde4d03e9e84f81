"""The codebase memory as its users see it: tools, the manager's page, the command line, a starting campaign."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from simulator.files.user_folders import user_state_folder
from simulator.printable import one_line
from tools.codebase.embedding import Embedder, SubwordEmbedder
from tools.codebase.errors import CodebaseFolderRefused
from tools.codebase.ingestion import Ingestion, IngestionReport, Progress, checked_name, stale_entries
from tools.codebase.neural_embedding import NeuralEmbedder, SentenceEmbedder
from tools.codebase.scanning.files import MAX_FILES
from tools.codebase.search import CodeSearch, Query, SearchAnswer
from tools.codebase.storage.records import ChunkStore, Codebase, Statistics
from tools.codebase.storage.sqlite_store import SqliteStore

FILE_NAME = "codebases.sqlite"


@dataclass(frozen=True, slots=True)
class CodebaseMemory:
    """All methods block, may be called from any thread, and raise errors of `tools.codebase.errors`."""

    store: ChunkStore
    embedder: Embedder
    search: CodeSearch

    def codebases(self) -> tuple[Codebase, ...]:
        return self.store.codebases()

    def statistics(self, name: str) -> Statistics:
        return self.store.statistics(name)

    def root_of(self, name: str) -> Path:
        """The folder of a codebase."""
        return Path(self.store.statistics(name).codebase.path)

    def find(self, query: Query) -> SearchAnswer:
        return self.search.find(query)

    def ingest(
        self,
        root: Path,
        name: str,
        progress: Progress,
        stopping: Callable[[], bool],
        max_files: int = MAX_FILES,
    ) -> IngestionReport:
        """Index a folder, or bring its index up to date; see `Ingestion.run`."""
        return Ingestion(self.store, self.embedder, progress, stopping, max_files).run(root, name)

    def name_for(self, root: Path) -> str:
        """The name of the codebase of a folder: the one that it has, else the folder's own, else, when that stands for
        another folder, with its parent's name before it. Raises `CodebaseFolderRefused` for the root folder."""
        root = root.resolve()
        known = {codebase.name: codebase.path for codebase in self.codebases()}
        for name, path in known.items():
            if path == str(root):
                return name
        if not root.name:
            raise CodebaseFolderRefused("the root folder has no name; give one")
        own, above = one_line(root.name), one_line(root.parent.name)
        return own if own not in known else f"{above}-{own}"

    def stale(self, root: Path, name: str) -> IngestionReport:
        """Changes that an ingestion would make, without making them."""
        return stale_entries(self.store, root, name)

    def rename(self, name: str, new_name: str) -> None:
        self.store.rename(name, checked_name(new_name))

    def remove(self, name: str) -> int:
        """Forget a codebase; gives the number of its chunks. The sources stay untouched."""
        chunks = self.store.statistics(name).codebase.chunk_count
        self.store.remove(name)
        return chunks


def open_memory(
    path: Path, embedder: Embedder | None = None, clock: Callable[[], float] = time.monotonic
) -> CodebaseMemory:
    """The memory in the file `path`, which is made at the first use."""
    store = SqliteStore(path, _moment)
    chosen = embedder or SubwordEmbedder()
    return CodebaseMemory(store, chosen, CodeSearch(store, chosen, clock))


def embedder_of(name: Literal["subwords", "minilm", "fastembed"]) -> Embedder:
    """The embedder that a configuration names."""
    match name:
        case "fastembed":
            return NeuralEmbedder()
        case "minilm":
            return SentenceEmbedder()
        case "subwords":
            return SubwordEmbedder()


def default_memory_file() -> Path:
    """`codebases.sqlite` in this user's state folder."""
    return user_state_folder() / FILE_NAME


def _moment() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")

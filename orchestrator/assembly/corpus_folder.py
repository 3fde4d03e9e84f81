"""The corpus keeper's port to Echidna's folder layout."""

from __future__ import annotations

from pathlib import Path

from actors.corpus_messages import Loaded, Origin, Stored
from simulator.corpus.echidna_json import AbiLookup
from simulator.corpus.identity import sequence_hash
from simulator.corpus.store import CorpusStore, Folder, load_corpus
from simulator.transaction import Sequence

_ORIGINS: dict[Folder, Origin] = {
    Folder.REPRODUCERS: "failed",
    Folder.INJECTED: "injected",
    Folder.COVERAGE: "coverage",
}


class EchidnaCorpus:
    """Implements `actors.corpus_files.CorpusFolder`. `abi_of` decodes calls into the readable form of the files."""

    def __init__(self, root: Path, abi_of: AbiLookup, *, optimizing: bool = False) -> None:
        self._root = root
        self._store = CorpusStore(root, abi_of)
        self._optimizing = optimizing
        self._paths: dict[str, Path] = {}

    def load(self) -> Loaded:
        entries, problems = load_corpus(self._root)
        self._paths.update({entry.id: entry.path for entry in entries})
        return Loaded(
            tuple(Stored(entry.sequence, _ORIGINS.get(entry.folder, "foreign")) for entry in entries),
            tuple(problem.message for problem in problems),
        )

    def save_coverage(self, sequence: Sequence) -> None:
        self._paths[sequence_hash(sequence)] = self._store.save(Folder.COVERAGE, sequence)

    def save_injected(self, sequence: Sequence) -> None:
        self._store.save(Folder.INJECTED, sequence)

    def save_reproducer(self, sequence: Sequence, shrunk: bool) -> None:
        if shrunk:
            self._store.save(Folder.REPRODUCERS, sequence)
        else:
            self._store.save(Folder.OPTIMIZATIONS if self._optimizing else Folder.UNSHRUNK, sequence)

    def supersede(self, sequence: Sequence) -> None:
        path = self._paths.get(sequence_hash(sequence))
        if path is not None and path.parent.name == Folder.COVERAGE.value:
            self._store.supersede(path)

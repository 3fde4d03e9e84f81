"""The corpus keeper's port to Echidna's folder layout."""

from __future__ import annotations

from pathlib import Path

from simulator.corpus.echidna_json import AbiLookup
from simulator.corpus.store import CorpusStore, Folder, load_corpus
from simulator.transaction import Sequence


class EchidnaCorpus:
    """Implements `actors.corpus_keeper.CorpusFolder`. `abi_of` decodes calls into the readable form of the files."""

    def __init__(self, root: Path, abi_of: AbiLookup, *, optimizing: bool = False) -> None:
        self._root = root
        self._store = CorpusStore(root, abi_of)
        self._optimizing = optimizing

    def load(self) -> tuple[tuple[Sequence, ...], tuple[str, ...]]:
        entries, problems = load_corpus(self._root)
        return tuple(entry.sequence for entry in entries), tuple(problem.message for problem in problems)

    def save_coverage(self, sequence: Sequence) -> None:
        self._store.save(Folder.COVERAGE, sequence)

    def save_reproducer(self, sequence: Sequence, shrunk: bool) -> None:
        if shrunk:
            self._store.save(Folder.REPRODUCERS, sequence)
        else:
            self._store.save(Folder.OPTIMIZATIONS if self._optimizing else Folder.UNSHRUNK, sequence)

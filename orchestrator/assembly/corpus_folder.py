"""The corpus keeper's port to Echidna's folder layout."""

from __future__ import annotations

from pathlib import Path

from actors.corpus.messages import Loaded, Origin, Stored
from simulator.corpus.echidna_json import AbiLookup
from simulator.corpus.identity import sequence_hash
from simulator.corpus.store import CorpusStore, Folder, load_corpus
from simulator.transaction import Sequence

_ORIGINS: dict[Folder, Origin] = {
    Folder.REPRODUCERS: "failed",
    Folder.INJECTED: "injected",
    Folder.COVERAGE: "coverage",
}
_OWN = (*_ORIGINS, Folder.UNSHRUNK, Folder.OPTIMIZATIONS)


class EchidnaCorpus:
    """Implements `actors.corpus.files.CorpusFolder`. `abi_of` decodes calls into the readable form of the files.

    The folder's content is known, so that it can be rewritten if the folder is removed.
    """

    def __init__(self, root: Path, abi_of: AbiLookup, *, optimizing: bool = False) -> None:
        self._root = root
        self._store = CorpusStore(root, abi_of)
        self._optimizing = optimizing
        self._paths: dict[str, Path] = {}
        self._kept: dict[Folder, dict[str, Sequence]] = {}
        self._lost: set[Folder] = set()

    def load(self) -> Loaded:
        entries, problems = load_corpus(self._root)
        for entry in entries:
            self._paths[entry.id] = entry.path
            self._kept.setdefault(entry.folder, {})[entry.id] = entry.sequence
        return Loaded(
            tuple(Stored(entry.sequence, _ORIGINS.get(entry.folder, "foreign")) for entry in entries),
            tuple(problem.message for problem in problems),
        )

    def save_coverage(self, sequence: Sequence) -> None:
        self._paths[sequence_hash(sequence)] = self._save(Folder.COVERAGE, sequence)

    def save_injected(self, sequence: Sequence) -> None:
        self._save(Folder.INJECTED, sequence)

    def save_reproducer(self, sequence: Sequence, shrunk: bool) -> None:
        if shrunk:
            self._save(Folder.REPRODUCERS, sequence)
        else:
            self._save(Folder.OPTIMIZATIONS if self._optimizing else Folder.UNSHRUNK, sequence)

    def supersede(self, sequence: Sequence) -> None:
        identity = sequence_hash(sequence)
        path = self._paths.get(identity)
        if path is not None and path.parent.name == Folder.COVERAGE.value:
            self._store.supersede(path)
            self._kept.get(Folder.COVERAGE, {}).pop(identity, None)

    def restore(self) -> int:
        for folder in self._kept:
            self._look_after(folder)
        written = 0
        for folder in tuple(self._lost):
            # Other fuzzers' folders are read, never written.
            place = folder if folder in _OWN else Folder.COVERAGE
            lost = self._kept.pop(folder)
            self._kept.setdefault(place, {}).update(lost)
            for identity, sequence in self._kept[place].items():
                self._paths[identity] = self._store.save(place, sequence)
            self._lost.discard(folder)
            written += len(lost)
        return written

    def _save(self, folder: Folder, sequence: Sequence) -> Path:
        self._look_after(folder)
        path = self._store.save(folder, sequence)
        self._kept.setdefault(folder, {})[sequence_hash(sequence)] = sequence
        return path

    def _look_after(self, folder: Folder) -> None:
        """Take notice of a folder that is gone, before a new file makes it anew."""
        if self._kept.get(folder) and not (self._root / folder.value).is_dir():
            self._lost.add(folder)

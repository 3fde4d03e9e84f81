"""The corpus keeper's port to Echidna's folder layout."""

from __future__ import annotations

from pathlib import Path

from actors.corpus.messages import Loaded, Origin, Stored
from simulator.corpus.echidna_json import AbiLookup
from simulator.corpus.identity import sequence_hash
from simulator.corpus.medusa_json import relocate
from simulator.corpus.store import CorpusEntry, CorpusFormat, CorpusStore, Folder, load_corpus
from simulator.transaction import Sequence

_ORIGINS: dict[Folder, Origin] = {
    Folder.REPRODUCERS: "failed",
    Folder.INJECTED: "injected",
    Folder.COVERAGE: "coverage",
}
_IN_FORMAT: dict[CorpusFormat, dict[Folder, Origin]] = {
    "echidna": {},
    "medusa": {Folder.MEDUSA_SEQUENCES: "coverage", Folder.MEDUSA_RESULTS: "failed"},
    "forge": {},
}
"""Folders of other fuzzers that a campaign in their format takes for its own."""
_OWN = (*_ORIGINS, Folder.UNSHRUNK, Folder.OPTIMIZATIONS)


class EchidnaCorpus:
    """Implements `actors.corpus.files.CorpusFolder`. `abi_of` decodes calls into the readable form of the files.

    The folder's content is known, so that it can be rewritten if the folder is removed.
    """

    def __init__(
        self,
        root: Path,
        abi_of: AbiLookup,
        *,
        optimizing: bool = False,
        corpus_format: CorpusFormat = "echidna",
        target: tuple[str, bytes] = ("", b""),
    ) -> None:
        """`target` is the plain name and the address of the fuzzed contract."""
        self._root = root
        self._abi_of = abi_of
        self._target = target[1]
        self._store = CorpusStore(root, abi_of, corpus_format, target)
        self._origins = _ORIGINS | _IN_FORMAT[corpus_format]
        self._optimizing = optimizing
        self._paths: dict[str, Path] = {}
        self._kept: dict[Folder, dict[str, Sequence]] = {}
        self._lost: set[Folder] = set()

    def load(self) -> Loaded:
        entries, problems = load_corpus(self._root, self._abi_of)
        for entry in entries:
            self._paths[entry.id] = entry.path
            self._kept.setdefault(entry.folder, {})[entry.id] = entry.sequence
        return Loaded(
            tuple(Stored(self._at_home(entry), self._origins.get(entry.folder, "foreign")) for entry in entries),
            tuple(problem.message for problem in problems),
        )

    def _at_home(self, entry: CorpusEntry) -> Sequence:
        """Another fuzzer's sequence with calls of the fuzzed contract going where it stands here."""
        own = self._abi_of(self._target)
        if entry.folder in _OWN or own is None:
            return entry.sequence
        strange = {call.to for call in entry.sequence if not call.is_wait and self._abi_of(call.to) is None}
        moved = {
            call.to: self._target for call in entry.sequence if call.to in strange and call.data[:4] in own.by_selector
        }
        return relocate(entry.sequence, moved)

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
        identity, coverage = sequence_hash(sequence), self._store.stored_in(Folder.COVERAGE)
        path = self._paths.get(identity)
        if path is not None and path.parent in (self._root / Folder.COVERAGE.value, self._root / coverage.value):
            self._store.supersede(path)
            for folder in (Folder.COVERAGE, coverage):
                self._kept.get(folder, {}).pop(identity, None)

    def restore(self) -> int:
        for folder in self._kept:
            self._look_after(folder)
        written = 0
        for folder in tuple(self._lost):
            # Other fuzzers' folders are read, never written, unless their format is.
            kind = next((each for each in _OWN if self._store.stored_in(each) is folder), Folder.COVERAGE)
            lost = self._kept.pop(folder)
            place = self._kept.setdefault(self._store.stored_in(kind), {})
            place.update(lost)
            for identity, sequence in place.items():
                self._paths[identity] = self._store.save(kind, sequence)
            self._lost.discard(folder)
            written += len(lost)
        return written

    def _save(self, folder: Folder, sequence: Sequence) -> Path:
        place = self._store.stored_in(folder)
        self._look_after(place)
        path = self._store.save(folder, sequence)
        self._kept.setdefault(place, {})[sequence_hash(sequence)] = sequence
        return path

    def _look_after(self, folder: Folder) -> None:
        """Take notice of a folder that is gone, before a new file makes it anew."""
        if self._kept.get(folder) and not self._store.directory(folder).is_dir():
            self._lost.add(folder)

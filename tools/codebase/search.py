"""Search: one score of what a chunk's words say (BM25) and of what its vector says."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tools.codebase.embedding import Embedder, Vector
from tools.codebase.storage.records import ChunkStore, CodebaseSnapshot, StoredChunk, StoreReader
from tools.codebase.terms import query_words

CACHE_SECONDS = 60.0
CACHED_QUERIES = 128
MAX_WORDS = 64
LEXICAL_SHARE = 0.8
MIN_SUBSTANCE, FULL_SUBSTANCE = 0.7, 9
"""A declaration of one line counts 0.7 of what one of nine lines counts: it names things more than it does them."""
_BLOCK = 8_192
Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Query:
    """A search query. `codebases`, by name, and `language` None look everywhere."""

    text: str
    codebases: frozenset[str] | None = None
    language: str | None = None
    most: int = 50


@dataclass(frozen=True, slots=True)
class Hit:
    """`score` is 0 to 1, the greater the nearer."""

    chunk: StoredChunk
    score: float


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The best hits, best first; equal ones by codebase, path and line. `total` counts all that match."""

    hits: tuple[Hit, ...]
    total: int


class CodeSearch:
    """Answers queries over a store, from any thread. `clock` gives seconds that only grow.

    Vectors are kept in memory (256 bytes a chunk) until the index changes, also by the hand of another process.
    """

    def __init__(self, store: ChunkStore, embedder: Embedder, clock: Callable[[], float]) -> None:
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._lock = threading.Lock()
        self._snapshot: CodebaseSnapshot | None = None
        self._answers: OrderedDict[tuple[Query, int], tuple[float, SearchAnswer]] = OrderedDict()

    def find(self, query: Query) -> SearchAnswer:
        """Blocks for tens of milliseconds. A codebase or language that is not known has no hits."""
        with self._store.reading() as reader:
            generation = reader.generation()
            known = self._cached(query, generation)
            if known is not None:
                return known
            found = self._find(query, reader, self._current(reader, generation))
        self._remember(query, generation, found)
        return found

    def _find(self, query: Query, reader: StoreReader, snapshot: CodebaseSnapshot) -> SearchAnswer:
        words = query_words(query.text)[:MAX_WORDS]
        if not words or not len(snapshot.ids):
            return SearchAnswer((), 0)
        size = len(snapshot.ids)
        frequencies = reader.frequencies(words)
        rarity = {word: math.log(1 + size / (0.5 + frequencies[word])) for word in words}
        lexical = self._lexical(reader, snapshot, words, sum(rarity[word] for word in words))
        vector = self._embedder.embed_query(words, query.text, rarity.__getitem__)
        semantic = _similarities(snapshot.vectors, vector)
        matches = ((lexical > 0) | (semantic >= self._embedder.least_similarity)) & _selected(query, snapshot)
        fused = LEXICAL_SHARE * lexical + (1 - LEXICAL_SHARE) * np.clip(semantic, 0, 1)
        return _best(query.most, reader, snapshot, np.flatnonzero(matches), fused * _substance(snapshot))

    def _lexical(self, reader: StoreReader, snapshot: CodebaseSnapshot, words: Sequence[str], rarity: float) -> Scores:
        """BM25 of each chunk as a share of what a chunk could have that says every word over and over."""
        scores = np.zeros(len(snapshot.ids), np.float32)
        hits = reader.matching(words)
        order = np.argsort(snapshot.ids)
        places = order[np.searchsorted(snapshot.ids, hits.ids, sorter=order)]
        scores[places] = np.clip(hits.scores / (2.2 * max(rarity, 1e-9)), 1e-6, 1)
        return scores

    def _current(self, reader: StoreReader, generation: int) -> CodebaseSnapshot:
        with self._lock:
            if self._snapshot is None or self._snapshot.generation != generation:
                self._snapshot = reader.snapshot(self._embedder.identity, self._embedder.dimensions)
            return self._snapshot

    def _cached(self, query: Query, generation: int) -> SearchAnswer | None:
        with self._lock:
            known = self._answers.get((query, generation))
            return known[1] if known is not None and self._clock() - known[0] < CACHE_SECONDS else None

    def _remember(self, query: Query, generation: int, found: SearchAnswer) -> None:
        with self._lock:
            self._answers[query, generation] = (self._clock(), found)
            self._answers.move_to_end((query, generation))
            while len(self._answers) > CACHED_QUERIES:
                self._answers.popitem(last=False)


def _similarities(vectors: npt.NDArray[np.int8], vector: Vector) -> Scores:
    """Products with a vector of length 1, block by block, so that the bytes need not all be widened at a time."""
    result = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _BLOCK):
        result[start : start + _BLOCK] = vectors[start : start + _BLOCK].astype(np.float32) @ vector
    return result / np.float32(127)


def _substance(snapshot: CodebaseSnapshot) -> Scores:
    share = np.clip((snapshot.lines - 1) / (FULL_SUBSTANCE - 1), 0, 1)
    result: Scores = (MIN_SUBSTANCE + (1 - MIN_SUBSTANCE) * share).astype(np.float32)
    return result


def _selected(query: Query, snapshot: CodebaseSnapshot) -> npt.NDArray[np.bool_]:
    selected = np.ones(len(snapshot.ids), np.bool_)
    if query.codebases is not None:
        wanted = [number for number, name in enumerate(snapshot.codebase_names) if name in query.codebases]
        selected &= np.isin(snapshot.codebases, wanted)
    if query.language is not None:
        names = snapshot.language_names
        selected &= snapshot.languages == (names.index(query.language) if query.language in names else -1)
    return selected


def _best(
    most: int, reader: StoreReader, snapshot: CodebaseSnapshot, matches: npt.NDArray[np.intp], fused: Scores
) -> SearchAnswer:
    # Places in a snapshot are in the order of codebase, path and line, so a stable sort breaks ties by these.
    scores = np.round(np.clip(fused[matches].astype(np.float64), 0, 1), 6)
    best = np.argsort(-scores, kind="stable")[:most]
    chunks = reader.chunks([int(each) for each in snapshot.ids[matches[best]]])
    hits = tuple(Hit(chunk, float(score)) for chunk, score in zip(chunks, scores[best], strict=True))
    return SearchAnswer(hits, len(matches))

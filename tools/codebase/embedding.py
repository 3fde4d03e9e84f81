"""Vectors of texts. The default needs no model: it hashes words and the pieces that words are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tools.codebase.terms import Terms

Vector = npt.NDArray[np.float32]
Weight = Callable[[str], float]
"""How much a word of a question counts, by how rare it is in the index."""


class Embedder(Protocol):
    """Turns chunks and questions into vectors of length 1 (or 0 for nothing), whose products are similarities.

    Deterministic. `identity` names the model and its version: an index is only searched with the embedder that made it.
    Methods block and may be called from several threads.
    """

    @property
    def identity(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def least_similarity(self) -> float:
        """Vectors of unrelated texts are not quite at right angles: below this, a similarity says nothing."""

    def embed_chunks(self, chunks: Sequence[Terms]) -> Vector:
        """One row for each chunk."""

    def embed_query(self, words: Sequence[str], text: str, weight: Weight) -> Vector:
        """The vector of a question, given as its words and as it was written."""


class SubwordEmbedder:
    """A word is a fixed random direction, mixed with those of its pieces of three to five letters, so that
    `authenticate`, `authentication` and `auth` point nearly the same way. A chunk is the sum of its words."""

    dimensions = 256
    identity = "subwords-256-1"
    least_similarity = 0.35
    _NAME, _PATH, _BODY = 4.0, 1.5, 1.0
    _CACHED_WORDS = 50_000
    _OWN, _PIECES = 0.7, 0.7

    def __init__(self) -> None:
        self._known: dict[str, Vector] = {}

    def embed_chunks(self, chunks: Sequence[Terms]) -> Vector:
        rows = np.zeros((len(chunks), self.dimensions), np.float32)
        for number, terms in enumerate(chunks):
            weights = self._weights(terms)
            if weights:
                factors = np.fromiter(weights.values(), np.float32, len(weights))
                rows[number] = factors @ np.stack([self._word(word) for word in weights])
        return normalised(rows)

    def embed_query(self, words: Sequence[str], text: str, weight: Weight) -> Vector:
        total = np.zeros(self.dimensions, np.float32)
        for word in words:
            total += np.float32(weight(word)) * self._word(word)
        vector: Vector = normalised(total[None, :])[0]
        return vector

    def _weights(self, terms: Terms) -> dict[str, float]:
        weights: dict[str, float] = {}
        for factor, words in ((self._NAME, terms.name), (self._PATH, terms.path), (self._BODY, terms.body)):
            for word, count in Counter(words).items():
                weights[word] = weights.get(word, 0.0) + factor * (1.0 + float(np.log(count))) * _plain_weight(word)
        return weights

    def _word(self, word: str) -> Vector:
        known = self._known.get(word)
        if known is None:
            pieces = sum((_direction(piece, self.dimensions) for piece in _pieces(word)), np.zeros(self.dimensions))
            mixed = self._OWN * _direction(word, self.dimensions) + self._PIECES * normalised(pieces[None, :])[0]
            known = normalised(mixed[None, :].astype(np.float32))[0]
            if len(self._known) >= self._CACHED_WORDS:
                self._known.clear()
            self._known[word] = known
        return known


def normalised(rows: npt.NDArray[np.floating]) -> Vector:
    """The rows with length 1; rows of zeros stay so."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    result: Vector = (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return result


def _pieces(word: str) -> Iterable[str]:
    marked = f"<{word}>"
    return [marked[start : start + size] for size in (3, 4, 5) for start in range(len(marked) - size + 1)]


def _direction(piece: str, dimensions: int) -> npt.NDArray[np.float64]:
    """A pseudo-random direction of length 1 with 8 coordinates that are not 0."""
    digest = np.frombuffer(blake2b(piece.encode("utf-8", "replace"), digest_size=32).digest(), "<u2")
    result = np.zeros(dimensions)
    np.add.at(result, digest[:8] % dimensions, np.where(digest[8:] & 1, 1.0, -1.0) / np.sqrt(8))
    return result


def _plain_weight(word: str) -> float:
    """Less for words that are common in code."""
    return 0.2 if word in _EVERYWHERE or len(word) == 1 else 1.0


_EVERYWHERE = frozenset(
    """
    self this return returns public private internal external static void function def class const let var new
    import from export async await if else for while in not none null true false and or the of to is it be an as
    with on by str int uint uint256 string bool boolean object type value get set key name data list dict args
    kwargs param
    """.split()  # noqa: SIM905  # as a list it would fill a page
)

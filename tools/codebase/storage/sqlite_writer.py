"""Files and their chunks into the tables, and out of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from tools.codebase.chunking.chunk import Chunk, ChunkType, lines_of
from tools.codebase.embedding import Vector
from tools.codebase.storage.records import IndexedFile
from tools.codebase.terms import Terms, terms_of

_DELETE_WORDS = "INSERT INTO words (words, rowid, name, path, body) VALUES ('delete', ?, ?, ?, ?)"
_INSERT_FILE = "INSERT INTO files (codebase, path, language, digest, size, chunks, text) VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_CHUNK = "INSERT INTO chunks (file, name, kind, start_line, end_line, vector) VALUES (?, ?, ?, ?, ?, ?)"


class SqliteWriter:
    """Writes one codebase within a transaction that the caller holds."""

    def __init__(self, connection: sqlite3.Connection, codebase: int) -> None:
        self._connection = connection
        self._codebase = codebase

    def digests(self) -> dict[str, bytes]:
        rows = self._connection.execute("SELECT path, digest FROM files WHERE codebase = ?", (self._codebase,))
        return dict(rows.fetchall())

    def chunk_count(self) -> int:
        query = "SELECT coalesce(sum(chunks), 0) FROM files WHERE codebase = ?"
        return int(self._connection.execute(query, (self._codebase,)).fetchone()[0])

    def put(self, file: IndexedFile) -> None:
        self.remove(file.path)
        size = len(file.text.encode("utf-8", "replace"))
        values = (self._codebase, file.path, file.language, file.digest, size, len(file.chunks), file.text)
        number = self._connection.execute(_INSERT_FILE, values).lastrowid
        vectors = quantised(file.vectors)
        for chunk, terms, vector in zip(file.chunks, file.terms, vectors, strict=True):
            row = (number, chunk.name, str(chunk.kind), chunk.start_line, chunk.end_line, vector.tobytes())
            chunk_number = self._connection.execute(_INSERT_CHUNK, row).lastrowid
            words = (chunk_number, *_columns(terms))
            self._connection.execute("INSERT INTO words (rowid, name, path, body) VALUES (?, ?, ?, ?)", words)

    def remove(self, path: str) -> None:
        """The words of a table without contents are removed by giving them again: they follow from text and chunks."""
        query = "SELECT id, text FROM files WHERE codebase = ? AND path = ?"
        row = self._connection.execute(query, (self._codebase, path)).fetchone()
        if row is None:
            return
        number, text = row
        query = "SELECT id, name, kind, start_line, end_line FROM chunks WHERE file = ? ORDER BY id"
        rows = self._connection.execute(query, (number,)).fetchall()
        chunks = [Chunk(name, ChunkType(kind), start, end) for _, name, kind, start, end in rows]
        for (chunk_number, *_), terms in zip(rows, terms_of(path, lines_of(text), chunks), strict=True):
            self._connection.execute(_DELETE_WORDS, (chunk_number, *_columns(terms)))
        self._connection.execute("DELETE FROM files WHERE id = ?", (number,))


def _columns(terms: Terms) -> Sequence[str]:
    return (" ".join(terms.name), " ".join(terms.path), " ".join(terms.body))


def quantised(vectors: Vector) -> np.ndarray[tuple[int, int], np.dtype[np.int8]]:
    """Coordinates of vectors of length 1 as signed bytes: a quarter of the space, and no difference in the ranking."""
    scaled: np.ndarray[tuple[int, int], np.dtype[np.int8]] = np.rint(vectors * 127).astype(np.int8)
    return scaled

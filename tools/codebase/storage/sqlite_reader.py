"""Reads of a search, in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from tools.codebase.chunking.chunk import Chunk, ChunkType, content_of, lines_of
from tools.codebase.storage.records import CodebaseSnapshot, LexicalHits, StoredChunk

NAME_WEIGHT, PATH_WEIGHT, BODY_WEIGHT = 4.0, 1.5, 1.0
_SNAPSHOT = """
SELECT c.id, b.name, f.language, iif(b.embedder = ? AND length(c.vector) = ?, c.vector, zeroblob(?)),
    c.end_line - c.start_line + 1
FROM codebases b JOIN files f ON f.codebase = b.id JOIN chunks c ON c.file = f.id
ORDER BY b.name, f.path, c.start_line, c.id
"""
_CHUNK = """
SELECT b.name, f.id, f.path, f.language, c.name, c.kind, c.start_line, c.end_line
FROM chunks c JOIN files f ON c.file = f.id JOIN codebases b ON f.codebase = b.id WHERE c.id = ?
"""
_MATCHING = f"SELECT rowid, -bm25(words, {NAME_WEIGHT}, {PATH_WEIGHT}, {BODY_WEIGHT}) FROM words WHERE words MATCH ?"  # noqa: S608  # only the constants above


class SqliteReader:
    """A `Reader` within a transaction that the caller holds."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def generation(self) -> int:
        return int(self._connection.execute("SELECT generation FROM state").fetchone()[0])

    def snapshot(self, embedder: str, dimensions: int) -> CodebaseSnapshot:
        rows = self._connection.execute(_SNAPSHOT, (embedder, dimensions, dimensions)).fetchall()
        codebases, codebase_names = _numbered(row[1] for row in rows)
        languages, language_names = _numbered(row[2] for row in rows)
        vectors = np.frombuffer(b"".join(row[3] for row in rows), np.int8)
        return CodebaseSnapshot(
            generation=self.generation(),
            ids=np.fromiter((row[0] for row in rows), np.int64, len(rows)),
            vectors=vectors.reshape(len(rows), dimensions),
            codebases=codebases,
            languages=languages,
            lines=np.fromiter((row[4] for row in rows), np.int32, len(rows)),
            codebase_names=codebase_names,
            language_names=language_names,
        )

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        query = "SELECT count(*) FROM words WHERE words MATCH ?"
        return {word: int(self._connection.execute(query, (f'"{word}"',)).fetchone()[0]) for word in words}

    def matching(self, words: Sequence[str]) -> LexicalHits:
        expression = " OR ".join(f'"{word}"' for word in words)
        rows = self._connection.execute(_MATCHING, (expression,)).fetchall() if expression else []
        ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        return LexicalHits(ids, np.fromiter((row[1] for row in rows), np.float64, len(rows)))

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        texts: dict[int, list[str]] = {}
        found = []
        for number in ids:
            codebase, file, path, language, *chunk = self._connection.execute(_CHUNK, (int(number),)).fetchone()
            if file not in texts:
                row = self._connection.execute("SELECT text FROM files WHERE id = ?", (file,)).fetchone()
                texts[file] = lines_of(row[0])
            name, kind, start, end = chunk
            content = content_of(texts[file], start, end)
            found.append(StoredChunk(codebase, path, language, Chunk(name, ChunkType(kind), start, end), content))
        return found


def _numbered(names: Iterable[str]) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], tuple[str, ...]]:
    """Names as indices into the tuple of the different ones."""
    numbers: dict[str, int] = {}
    indices = [numbers.setdefault(name, len(numbers)) for name in names]
    return np.array(indices, np.int32), tuple(numbers)

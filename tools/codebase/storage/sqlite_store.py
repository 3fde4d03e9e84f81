"""The index in one sqlite file: write-ahead log, full-text search by FTS5, vectors as bytes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.codebase.errors import NameTaken, UnknownCodebase
from tools.codebase.storage.records import (
    Codebase,
    LanguageCount,
    Statistics,
    StoreReader,
    TypeCount,
    Writer,
)
from tools.codebase.storage.sqlite_reader import SqliteReader
from tools.codebase.storage.sqlite_writer import SqliteWriter
from tools.codebase.storage.tables import connected, transaction

_CODEBASES = """
SELECT b.name, b.path, b.ingested, count(f.id), coalesce(sum(f.chunks), 0), group_concat(DISTINCT f.language)
FROM codebases b LEFT JOIN files f ON f.codebase = b.id {where} GROUP BY b.id ORDER BY b.name
"""
_LANGUAGES = """
SELECT f.language, count(*), sum(f.chunks) FROM codebases b JOIN files f ON f.codebase = b.id
WHERE b.name = ? GROUP BY f.language ORDER BY 3 DESC, 1
"""
_TYPES = """
SELECT c.kind, count(*) FROM codebases b JOIN files f ON f.codebase = b.id JOIN chunks c ON c.file = f.id
WHERE b.name = ? GROUP BY c.kind ORDER BY 2 DESC, 1
"""
_SIZE = "SELECT coalesce(sum(f.size), 0) FROM codebases b JOIN files f ON f.codebase = b.id WHERE b.name = ?"


class SqliteStore:
    """A `ChunkStore`. `moment` gives the time of an ingestion in ISO 8601."""

    def __init__(self, path: Path, moment: Callable[[], str]) -> None:
        self._path = path
        self._moment = moment

    def codebases(self) -> tuple[Codebase, ...]:
        with connected(self._path) as connection:
            return tuple(map(_codebase, connection.execute(_CODEBASES.format(where=""))))

    def statistics(self, name: str) -> Statistics:
        with connected(self._path) as connection, transaction(connection, "DEFERRED"):
            row = connection.execute(_CODEBASES.format(where="WHERE b.name = ?"), (name,)).fetchone()
            if row is None:
                raise UnknownCodebase(name)
            return Statistics(
                codebase=_codebase(row),
                languages=tuple(LanguageCount(*each) for each in connection.execute(_LANGUAGES, (name,))),
                types=tuple(TypeCount(*each) for each in connection.execute(_TYPES, (name,))),
                size_bytes=connection.execute(_SIZE, (name,)).fetchone()[0],
            )

    def digests(self, name: str) -> dict[str, bytes]:
        with connected(self._path) as connection, transaction(connection, "DEFERRED"):
            return SqliteWriter(connection, _number(connection, name)).digests()

    @contextmanager
    def writing(self, name: str, root: Path, embedder: str) -> Iterator[Writer]:
        with connected(self._path) as connection, transaction(connection, "IMMEDIATE"):
            writer = SqliteWriter(connection, _identity(connection, name, str(root), embedder))
            yield writer
            connection.execute("UPDATE codebases SET ingested = ? WHERE name = ?", (self._moment(), name))
            _advance(connection)

    @contextmanager
    def reading(self) -> Iterator[StoreReader]:
        with connected(self._path) as connection, transaction(connection, "DEFERRED"):
            yield SqliteReader(connection)

    def rename(self, name: str, new_name: str) -> None:
        with connected(self._path) as connection, transaction(connection, "IMMEDIATE"):
            _number(connection, name)
            if new_name != name and _known(connection, new_name):
                raise NameTaken(f"the name '{new_name}' is taken by another codebase")
            connection.execute("UPDATE codebases SET name = ? WHERE name = ?", (new_name, name))
            _advance(connection)

    def remove(self, name: str) -> None:
        with connected(self._path) as connection, transaction(connection, "IMMEDIATE"):
            number = _number(connection, name)
            writer = SqliteWriter(connection, number)
            for path in writer.digests():
                writer.remove(path)
            connection.execute("DELETE FROM codebases WHERE id = ?", (number,))
            _advance(connection)


def _identity(connection: sqlite3.Connection, name: str, root: str, embedder: str) -> int:
    """The number of a codebase, made when there is none. One that another embedder made begins anew."""
    row = connection.execute("SELECT id, path, embedder FROM codebases WHERE name = ?", (name,)).fetchone()
    if row is None:
        values = (name, root, "", embedder)
        inserted = connection.execute(
            "INSERT INTO codebases (name, path, ingested, embedder) VALUES (?, ?, ?, ?)", values
        )
        return int(inserted.lastrowid or 0)
    number, path, made_by = row
    if path != root:
        raise NameTaken(f"the name '{name}' stands for {path}; choose another name, or rename or remove that codebase")
    if made_by != embedder:
        writer = SqliteWriter(connection, number)
        for each in writer.digests():
            writer.remove(each)
        connection.execute("UPDATE codebases SET embedder = ? WHERE id = ?", (embedder, number))
    return int(number)


def _codebase(row: tuple[str, str, str, int, int, str | None]) -> Codebase:
    name, path, ingested, files, chunks, languages = row
    return Codebase(name, path, chunks, files, ingested, tuple(sorted(filter(None, (languages or "").split(",")))))


def _known(connection: sqlite3.Connection, name: str) -> int | None:
    row = connection.execute("SELECT id FROM codebases WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row is not None else None


def _number(connection: sqlite3.Connection, name: str) -> int:
    number = _known(connection, name)
    if number is None:
        raise UnknownCodebase(name)
    return number


def _advance(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE state SET generation = generation + 1")

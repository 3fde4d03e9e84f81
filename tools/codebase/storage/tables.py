"""The tables of the index in sqlite."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tools.codebase.errors import MemoryBusy, MemoryUnusable

VERSION = 2
"""Grows with every change of the tables or of how files are cut; an index of another version is remade."""
BUSY_SECONDS = 5.0
WAL_LIMIT = 64 << 20

TABLES = """
CREATE TABLE state (generation INTEGER NOT NULL);
INSERT INTO state VALUES (0);
CREATE TABLE codebases (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL, ingested TEXT NOT NULL,
    embedder TEXT NOT NULL
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY, codebase INTEGER NOT NULL REFERENCES codebases ON DELETE CASCADE, path TEXT NOT NULL,
    language TEXT NOT NULL, digest BLOB NOT NULL, size INTEGER NOT NULL,
    chunks INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (codebase, path)
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files ON DELETE CASCADE, name TEXT NOT NULL,
    kind TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, vector BLOB NOT NULL
);
CREATE INDEX chunks_of_file ON chunks (file);
CREATE VIRTUAL TABLE words USING fts5 (
    name, path, body, content='', tokenize="porter unicode61 remove_diacritics 0"
);
"""


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to the database, which is made when there is none: mode 0600 in a folder that is made with 0700.

    Raises `MemoryUnusable` for a file that is no such database or not this user's, `MemoryBusy` when another process
    holds it.
    """
    with _told(path):
        _make_private(path)
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                _make_tables(connection)
            yield connection


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """`kind` is DEFERRED to read or IMMEDIATE to write."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _make_private(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        state = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.getuid():
        raise MemoryUnusable(f"{path}: the codebase memory must be a regular file of yours")


def _make_tables(connection: sqlite3.Connection) -> None:
    """Begin with an empty index; what another version made can be indexed again from the sources."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT}")
    with transaction(connection, "IMMEDIATE"):
        if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            return
        for table in ("words", "chunks", "files", "codebases", "state"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Convert errors of sqlite and the system to errors of this family."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise MemoryBusy("another ingestion is writing; try again when it has ended") from error
        raise MemoryUnusable(f"{path}: the codebase memory cannot be used: {error}") from error
    except sqlite3.DatabaseError as error:
        raise MemoryUnusable(f"{path}: the codebase memory is damaged, remove the file: {error}") from error
    except OSError as error:
        raise MemoryUnusable(f"{path}: the codebase memory cannot be opened: {error.strerror}") from error

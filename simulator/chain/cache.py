"""Fetched state of one block on disk, shared by processes. Losing it costs requests, never correctness: each row
carries a digest, and whatever goes wrong with the file, the campaign continues without it."""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from simulator.abi.hashing import keccak256
from simulator.cache.folder import is_trusted, make_private_folder
from simulator.evm.forked_state import ChainAccount

_BUSY_SECONDS: Final = 5.0
_MAX_BYTES: Final = 1 << 30
_PAGE: Final = 4096
_FORMAT: Final = 2
_SEAL_BYTES: Final = 16
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_TABLES: Final = ("accounts", "codes", "slots", "hashes")
_SCHEMA: Final = """
CREATE TABLE accounts(address BLOB PRIMARY KEY, balance BLOB, nonce BLOB, code BLOB, seal BLOB) WITHOUT ROWID;
CREATE TABLE codes(hash BLOB PRIMARY KEY, data BLOB, seal BLOB);
CREATE TABLE slots(address BLOB, key BLOB, value BLOB, seal BLOB, PRIMARY KEY(address, key)) WITHOUT ROWID;
CREATE TABLE hashes(number BLOB PRIMARY KEY, hash BLOB, seal BLOB);
"""
Row = tuple[bytes, ...]


class StateCache:
    """One connection to the database at `path`, made when it is missing or damaged. `warn` hears once why what is there
    is not used."""

    def __init__(self, path: Path, warn: Callable[[str], None] = lambda _: None) -> None:
        self._path = path
        self._warn = warn
        self._connection: sqlite3.Connection | None = None
        self._full = False
        self._has_warned = False
        try:
            make_private_folder(path.parent)
            self._connection = self._opened()
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def account(self, address: int) -> ChainAccount | None:
        row = self._one("accounts", "SELECT * FROM accounts WHERE address = ?", _key(address))
        # A code that is missing was lost with the file's last page; the account is then fetched again.
        code = self._one("codes", "SELECT * FROM codes WHERE hash = ?", row[3]) if row else None
        return ChainAccount(_number(row[1]), _number(row[2]), code[1]) if row and code else None

    def slots_of(self, address: int, most: int) -> dict[int, int]:
        """All slots of an account, up to `most` of them."""
        rows = self._all("slots", "SELECT * FROM slots WHERE address = ? LIMIT ?", _key(address), most)
        return {_number(key): _number(value) for _, key, value in rows}

    def slot(self, address: int, key: int) -> int | None:
        row = self._one("slots", "SELECT * FROM slots WHERE address = ? AND key = ?", _key(address), _bytes(key))
        return None if row is None else _number(row[2])

    def block_hash(self, number: int) -> int | None:
        row = self._one("hashes", "SELECT * FROM hashes WHERE number = ?", _bytes(number))
        return None if row is None else _number(row[1])

    def keep_accounts(self, found: Iterable[tuple[int, ChainAccount]]) -> None:
        accounts = list(found)
        codes = [(keccak256(each.code), each.code) for _, each in accounts]
        rows = [
            (_key(address), _bytes(each.balance), _bytes(each.nonce), digest)
            for (address, each), (digest, _) in zip(accounts, codes, strict=True)
        ]
        self._write(("codes", codes), ("accounts", rows))

    def keep_slots(self, found: Iterable[tuple[int, int, int]]) -> None:
        """(address, key, value) each."""
        self._write(("slots", [(_key(address), _bytes(key), _bytes(value)) for address, key, value in found]))

    def keep_block_hash(self, number: int, value: int) -> None:
        self._write(("hashes", [(_bytes(number), _bytes(value))]))

    # --- inside ------------------------------------------------------------------------------------------------------

    def _one(self, table: str, query: str, *parameters: Any) -> Row | None:
        return next(iter(self._all(table, query, *parameters)), None)

    def _all(self, table: str, query: str, *parameters: Any) -> list[Row]:
        """The rows that are as they were written, without their seals."""
        if self._connection is None:
            return []
        try:
            rows = self._connection.execute(query, parameters).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            self._give_up(error)
            return []
        sound = [row[:-1] for row in rows if _is_sound(table, row)]
        if len(sound) < len(rows):
            self._tell("damaged entries are not used, but fetched again")
        return sound

    def _write(self, *tables: tuple[str, Sequence[Row]]) -> None:
        """All rows or none."""
        if self._connection is None or self._full:
            return
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                for table, rows in tables:
                    if not rows:
                        continue
                    places = "?, " * len(rows[0])
                    statement = f"INSERT OR REPLACE INTO {table} VALUES ({places}?)"  # noqa: S608 - no input
                    self._connection.executemany(statement, [(*row, _seal(table, row)) for row in rows])
        except sqlite3.OperationalError as error:
            # Full, or another process is writing for very long: what was read so far stays useful.
            self._full = "full" in str(error)
        except sqlite3.Error as error:
            self._give_up(error)

    def _opened(self) -> sqlite3.Connection:
        """The database; one that is damaged is made anew. Raises `OSError` and `sqlite3.Error`."""
        try:
            return _open(self._path)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._tell(f"{error}; it is made anew")
            _remove(self._path)
            return _open(self._path)

    def _give_up(self, error: Exception) -> None:
        self.close()
        if _is_damage(error):
            _remove(self._path)
        self._tell(f"the cache of the forked chain is not used: {error}")

    def _tell(self, text: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            self._warn(f"{self._path}: {text}")


def _open(path: Path) -> sqlite3.Connection:
    _make_file(path)
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        connection.text_factory = bytes
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA cell_size_check=ON")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA max_page_count={_MAX_BYTES // _PAGE}")
        _make_tables(connection)
    except sqlite3.Error:
        connection.close()
        raise
    path.touch()
    return connection


def _make_file(path: Path) -> None:
    """An empty file for this user alone, unless there is one; sqlite gives its companions the same rights."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        if not is_trusted(os.fstat(descriptor)):
            raise PermissionError(errno.EPERM, "another user can have written it", str(path))
    finally:
        os.close(descriptor)


def _make_tables(connection: sqlite3.Connection) -> None:
    """Tables of this format, in place of those of another one."""
    if _format(connection) == _FORMAT:
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if _format(connection) != _FORMAT:  # another process may have been faster
            for table in _TABLES:
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in _SCHEMA.strip().split("\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={_FORMAT}")


def _format(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_damage(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def _remove(path: Path) -> None:
    """Other processes that use the file continue with it; it vanishes with the last of them."""
    for name in (path.name, path.name + "-wal", path.name + "-shm"):
        with suppress(OSError):
            path.with_name(name).unlink()


def _seal(table: str, row: Row) -> bytes:
    digest = hashlib.blake2b(table.encode(), digest_size=_SEAL_BYTES)
    for part in row:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


def _is_sound(table: str, row: tuple[Any, ...]) -> bool:
    return all(isinstance(part, bytes) for part in row) and row[-1] == _seal(table, row[:-1])


def _key(address: int) -> bytes:
    return address.to_bytes(20, "big")


def _bytes(number: int) -> bytes:
    """As short as it can be: most values are small."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _number(data: bytes) -> int:
    return int.from_bytes(data[:32], "big")

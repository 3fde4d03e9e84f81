"""Fetched state of one block on disk, shared by processes. Losing it costs requests, never correctness: whatever goes
wrong with the file, the campaign goes on without it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from simulator.abi.hashing import keccak256
from simulator.evm.forked_state import ChainAccount

_BUSY_SECONDS: Final = 5.0
_MOST_BYTES: Final = 1 << 30
_PAGE: Final = 4096
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS accounts(address BLOB PRIMARY KEY, balance BLOB, nonce BLOB, code BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS codes(hash BLOB PRIMARY KEY, data BLOB);
CREATE TABLE IF NOT EXISTS slots(address BLOB, key BLOB, value BLOB, PRIMARY KEY(address, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hashes(number INTEGER PRIMARY KEY, hash BLOB);
"""


class StateCache:
    """One connection to the database at `path`, made when it is missing. `warn` hears once why it is not used."""

    def __init__(self, path: Path, warn: Callable[[str], None] = lambda _: None) -> None:
        self._path = path
        self._warn = warn
        self._connection: sqlite3.Connection | None = None
        self._full = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = _open(path)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def account(self, address: int) -> ChainAccount | None:
        row = self._one(
            "SELECT balance, nonce, data FROM accounts LEFT JOIN codes ON hash = code WHERE address = ?", _key(address)
        )
        # A code that is missing was lost with the file's last page; the account is then fetched again.
        if row is None or row[2] is None or not all(isinstance(part, bytes) for part in row):
            return None
        return ChainAccount(_number(row[0]), _number(row[1]), row[2])

    def slots_of(self, address: int, most: int) -> dict[int, int]:
        """All slots of an account, up to `most` of them."""
        rows = self._all("SELECT key, value FROM slots WHERE address = ? LIMIT ?", _key(address), most)
        return {_number(key): _number(value) for key, value in rows}

    def slot(self, address: int, key: int) -> int | None:
        row = self._one("SELECT value FROM slots WHERE address = ? AND key = ?", _key(address), _bytes(key))
        return None if row is None else _number(row[0])

    def block_hash(self, number: int) -> int | None:
        row = self._one("SELECT hash FROM hashes WHERE number = ?", number)
        return None if row is None else _number(row[0])

    def keep_accounts(self, found: Iterable[tuple[int, ChainAccount]]) -> None:
        accounts = list(found)
        codes = [(keccak256(each.code), each.code) for _, each in accounts]
        rows = [
            (_key(address), _bytes(each.balance), _bytes(each.nonce), digest)
            for (address, each), (digest, _) in zip(accounts, codes, strict=True)
        ]
        self._write(
            ("INSERT OR IGNORE INTO codes VALUES (?, ?)", codes),
            ("INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?)", rows),
        )

    def keep_slots(self, found: Iterable[tuple[int, int, int]]) -> None:
        """(address, key, value) each."""
        rows = [(_key(address), _bytes(key), _bytes(value)) for address, key, value in found]
        self._write(("INSERT OR REPLACE INTO slots VALUES (?, ?, ?)", rows))

    def keep_block_hash(self, number: int, value: int) -> None:
        self._write(("INSERT OR REPLACE INTO hashes VALUES (?, ?)", [(number, _bytes(value))]))

    # --- inside ------------------------------------------------------------------------------------------------------

    def _one(self, query: str, *parameters: Any) -> tuple[Any, ...] | None:
        return next(iter(self._all(query, *parameters)), None)

    def _all(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        if self._connection is None:
            return []
        try:
            return self._connection.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            self._give_up(error)
            return []

    def _write(self, *statements: tuple[str, list[tuple[Any, ...]]]) -> None:
        """All rows or none."""
        if self._connection is None or self._full:
            return
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                for statement, rows in statements:
                    self._connection.executemany(statement, rows)
        except sqlite3.OperationalError as error:
            # Full, or another process is writing for very long: what was read so far stays useful.
            self._full = "full" in str(error)
        except sqlite3.Error as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.close()
        self._warn(f"{self._path}: the cache of the forked chain is not used: {error}")


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA max_page_count={_MOST_BYTES // _PAGE}")
        connection.executescript(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    path.touch()
    return connection


def _key(address: int) -> bytes:
    return address.to_bytes(20, "big")


def _bytes(number: int) -> bytes:
    """As short as it can be: most values are small."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _number(data: bytes) -> int:
    return int.from_bytes(data[:32], "big")

"""Folder of fetched state: one database for each block of a chain, and who pinned which block; bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from simulator.cache.sealed_file import DamagedFileError, read_sealed, write_sealed
from simulator.endpoint import Endpoint
from simulator.forked_block import ForkedBlock

MAX_BYTES = 2 << 30
MAX_FILES = 4096
_DATABASE = ".sqlite"
_DATABASE_NAME = re.compile(r"\d+-\d+-[0-9a-f]+\.sqlite")
_PIN_NAME = re.compile(r"[0-9a-f]+-\d+\.pin")
_COMPANION_SUFFIXES = ("-wal", "-shm", "-lock")


def chain_folder(cache: Path) -> Path:
    """The folder of forked chains inside the user's cache folder."""
    return cache / "chain"


def database_path(folder: Path, block: ForkedBlock) -> Path:
    """The database of one block; another chain with the same numbers has another hash."""
    return folder / f"{block.chain_id}-{block.number}-{block.hash.hex()[:16]}{_DATABASE}"


def sibling_databases(folder: Path, block: ForkedBlock) -> Iterator[Path]:
    """Databases of other blocks of the same chain, the one used last first."""
    own = database_path(folder, block)
    others = [path for path in folder.glob(f"{block.chain_id}-*{_DATABASE}") if path != own]
    yield from sorted(others, key=_time_of, reverse=True)


def remember_block(folder: Path, endpoints: Sequence[Endpoint], block: ForkedBlock) -> None:
    """Note which block the number is at these endpoints. What cannot be written is forgotten."""
    with suppress(OSError):
        for endpoint in endpoints:
            write_sealed(_pin_path(folder, endpoint, block.number), msgspec.msgpack.encode(block))


def recall_block(folder: Path, endpoints: Sequence[Endpoint], number: int) -> ForkedBlock | None:
    """The block that the number was when one of these endpoints was last asked. A damaged note is none."""
    for endpoint in endpoints:
        with suppress(DamagedFileError, msgspec.DecodeError, UnicodeDecodeError):
            data = read_sealed(_pin_path(folder, endpoint, number))
            if data is not None:
                return msgspec.msgpack.decode(data, type=ForkedBlock)
    return None


def prune(folder: Path, keep: Path, max_bytes: int = MAX_BYTES) -> None:
    """Delete what was used longest ago, until the rest fits. `keep` stays. Others that are open continue to work: their
    files vanish when they are closed."""
    with suppress(OSError):
        for path in sorted(_named(folder, _PIN_NAME), key=_time_of)[:-MAX_FILES]:
            path.unlink(missing_ok=True)
    databases = sorted(_named(folder, _DATABASE_NAME), key=_time_of, reverse=True)
    total = 0
    for path in databases:
        total += _size_of(path)
        if total > max_bytes and path != keep:
            for name in (path.name, *(path.name + suffix for suffix in _COMPANION_SUFFIXES)):
                with suppress(OSError):
                    (folder / name).unlink(missing_ok=True)


def _pin_path(folder: Path, endpoint: Endpoint, number: int) -> Path:
    return folder / f"{endpoint.fingerprint}-{number}.pin"


def _named(folder: Path, name: re.Pattern[str]) -> list[Path]:
    """Files that are called as this module calls them: the folder may hold others."""
    return [path for path in folder.glob("*") if name.fullmatch(path.name) and not path.is_symlink()]


def _time_of(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

"""Where fetched state is kept: one database for each block of a chain, and who pinned which block; bounded."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from simulator.chain.endpoint import Endpoint
from simulator.chain.forked_block import ForkedBlock

MOST_BYTES = 2 << 30
MOST_FILES = 4096
_DATABASE = ".sqlite"
_COMPANIONS = ("-wal", "-shm", "-lock")


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
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for endpoint in endpoints:
            _write_atomically(_pin_path(folder, endpoint, block.number), msgspec.msgpack.encode(block))


def recall_block(folder: Path, endpoints: Sequence[Endpoint], number: int) -> ForkedBlock | None:
    """The block that the number was when one of these endpoints was last asked."""
    for endpoint in endpoints:
        with suppress(OSError, msgspec.DecodeError):
            return msgspec.msgpack.decode(_pin_path(folder, endpoint, number).read_bytes(), type=ForkedBlock)
    return None


def prune(folder: Path, keep: Path, most_bytes: int = MOST_BYTES) -> None:
    """Delete what was used longest ago, until the rest fits. `keep` stays. Others that are open go on to work: their
    files vanish when they are closed."""
    with suppress(OSError):
        for path in sorted(folder.glob("*.pin"), key=_time_of)[:-MOST_FILES]:
            path.unlink(missing_ok=True)
    databases = sorted(folder.glob(f"*{_DATABASE}"), key=_time_of, reverse=True)
    total = 0
    for path in databases:
        total += _size_of(path)
        if total > most_bytes and path != keep:
            for name in (path.name, *(path.name + companion for companion in _COMPANIONS)):
                with suppress(OSError):
                    (folder / name).unlink(missing_ok=True)


def _pin_path(folder: Path, endpoint: Endpoint, number: int) -> Path:
    return folder / f"{endpoint.fingerprint}-{number}.pin"


def _write_atomically(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".pin-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


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

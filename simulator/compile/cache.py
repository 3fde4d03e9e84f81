"""Results kept in the user's cache folder: values by key, written atomically, bounded in size, never trusted."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

MAX_TOTAL = 512 * 2**20
_SHAPING = ("ast.py", "constants.py", "constant_values.py", "folding.py", "standard_json.py", "../project.py")

Value = TypeVar("Value")


def cache_key(*parts: bytes | str) -> str:
    """A key for what is determined by all parts together, and by the code that reads a compiler's output."""
    digest = hashlib.sha256(_format())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


@functools.cache
def _format() -> bytes:
    """A digest of the modules that shape cached values: with other code, other keys."""
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in _SHAPING)).digest()


class Cache(Generic[Value]):
    """MessagePack files of one type in one folder. The least recently used go when all exceed `max_total` bytes.

    Nothing here raises for the state of the disk: an entry that cannot be read or written is one that is not there.
    """

    def __init__(self, folder: Path, kind: Any, max_total: int = MAX_TOTAL) -> None:
        self._folder = folder
        self._decoder: msgspec.msgpack.Decoder[Value] = msgspec.msgpack.Decoder(kind)
        self._max_total = max_total

    def get(self, key: str) -> Value | None:
        file = self._file(key)
        try:
            data = file.read_bytes()
            os.utime(file)
        except OSError:
            return None
        digest, body = data[:32], data[32:]
        if hashlib.sha256(body).digest() != digest:
            return None
        try:
            return self._decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def put(self, key: str, value: Value) -> None:
        body = msgspec.msgpack.encode(value)
        if len(body) > self._max_total:
            return
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file(key), hashlib.sha256(body).digest() + body)
            self._trim()

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.msgpack"

    def _trim(self) -> None:
        entries = sorted(
            (status.st_mtime, status.st_size, file)
            for file in self._folder.glob("*.msgpack")
            if (status := file.stat())
        )
        total = sum(size for _, size, _ in entries)
        for _, size, file in entries[:-1]:
            if total <= self._max_total:
                return
            file.unlink(missing_ok=True)
            total -= size


def write_atomically(file: Path, data: bytes) -> None:
    """Put a file in place whole or not at all, also when several processes do it. Raises `OSError`."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".tmp-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        os.replace(name, file)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise

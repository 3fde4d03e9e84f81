"""Compiled contracts on disk, shared by all processes of a user and by all campaigns."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from simulator.evm.compiled.blocks import DecodedCode
from simulator.evm.kernel_loader import cache_folder, source_key

SUFFIX = ".contract"
MOST_BYTES = 256 << 20
CLAIM_SECONDS = 300.0  # longer than compiling may take


class CompiledContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Object code, and the blocks that the interpreter enters it at."""

    entries: tuple[int, ...]
    code: bytes


@cache
def _translator_key() -> str:
    """Hash of everything but the contract that its object code depends on."""
    digest = hashlib.sha256(source_key().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def key_of(code: DecodedCode) -> str:
    """Name of a code's file. The decoded code contains what the fork says of gas."""
    return hashlib.sha256(_translator_key().encode() + msgspec.msgpack.encode(code)).hexdigest()[:32]


class ObjectStore:
    """Files in one folder, the least recently used of which go when together they take more than `most_bytes`."""

    def __init__(self, folder: Path | None = None, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder or cache_folder().with_name("contracts")
        self._most_bytes = most_bytes

    def path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def load(self, key: str) -> CompiledContract | None:
        """None when it is not there or cannot be read; what cannot be read is removed."""
        path = self.path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(path)
        try:
            return msgspec.msgpack.decode(data, type=CompiledContract)
        except msgspec.DecodeError:
            path.unlink(missing_ok=True)
            return None

    def claim(self, key: str) -> bool:
        """Whether the caller is the one process to compile this. Raises `OSError`.

        Old claims are void, and those of processes that are gone.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._claim(key)
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > CLAIM_SECONDS or not _is_alive(path.read_text()):
                path.unlink()
        try:
            with path.open("x") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            return False
        return True

    def release(self, key: str) -> None:
        """Give a claim back."""
        self._claim(key).unlink(missing_ok=True)

    def _claim(self, key: str) -> Path:
        return self.folder / f"{key}.claim"

    def save(self, key: str, compiled: CompiledContract) -> None:
        """Write atomically, then make room. Raises `OSError`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / f"{key}.{os.getpid()}"
        temporary.write_bytes(msgspec.msgpack.encode(compiled))
        temporary.replace(self.path(key))
        self._evict()

    def _evict(self) -> None:
        files = sorted(self._files(), key=lambda found: found[1].st_mtime_ns, reverse=True)
        taken = 0
        for path, state in files:
            taken += state.st_size
            if taken > self._most_bytes:
                path.unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self.folder.glob(f"*{SUFFIX}"):
            with suppress(FileNotFoundError):  # another process made room too
                yield path, path.stat()


def _is_alive(claimant: str) -> bool:
    """Whether the process that wrote a claim runs; one that has not written it yet does."""
    if not claimant.isdecimal():
        return True
    try:
        os.kill(int(claimant), 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True

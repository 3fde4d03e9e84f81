"""Compiled contracts on disk, shared by all processes of a user and by all campaigns."""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from simulator.cache.folder import make_folder
from simulator.cache.store import Cache, Warn, log_warning
from simulator.evm.kernel.layout.code import Code
from simulator.evm.machine import Machine
from simulator.files.user_folders import user_cache_folder

SUFFIX = ".contract"
MAX_BYTES = 256 << 20
CLAIM_SECONDS = 300.0  # longer than compiling may take


class CompiledContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Object code, and the offsets of the decoded instructions at which the interpreter enters it."""

    entries: tuple[int, ...]
    code: bytes


@cache
def _translator_key(kernel: str) -> str:
    """Hash of everything but the contract that its object code depends on."""
    digest = hashlib.sha256(kernel.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def key_of(machine: Machine, record: Code) -> str:
    """Name of a code's file: by the bytes that run, and by what decoding and compiling them depends on."""
    executed = machine.code_store.executed(record)
    parts = (_translator_key(machine.kernel.key), repr(machine.fork), str(record.kind))
    return hashlib.sha256("\0".join(parts).encode() + b"\0" + executed).hexdigest()[:32]


class ObjectStore:
    """Files in one folder, the least recently used of which go when together they take more than `max_bytes`.
    `warn` hears of a damaged one."""

    def __init__(self, folder: Path | None = None, max_bytes: int = MAX_BYTES, warn: Warn = log_warning) -> None:
        self.folder = folder or user_cache_folder() / "contracts"
        self._objects: Cache[CompiledContract] = Cache(self.folder, CompiledContract, max_bytes, SUFFIX, warn)

    def path(self, key: str) -> Path:
        return self._objects.path(key)

    def load(self, key: str) -> CompiledContract | None:
        """None when it is not there or cannot be trusted."""
        return self._objects.get(key)

    def claim(self, key: str) -> bool:
        """Return whether the caller is the one process to compile this. Raises `OSError`.

        Old claims are void, and those of processes that are gone.
        """
        make_folder(self.folder)
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
        self._objects.write(key, compiled)


def _is_alive(claimant: str) -> bool:
    """Return whether the process that wrote a claim runs; one that has not written it yet does."""
    if not claimant.isdecimal():
        return True
    try:
        os.kill(int(claimant), 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True

"""Files of a node before its first worker: the project, and the compiled kernel."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from simulator.cache.folder import make_folder, make_private_folder
from simulator.errors import KernelError
from simulator.evm.kernel.object_file import kernel_cache
from simulator.files.atomic_file import write_atomically
from simulator.files.user_folders import user_cache_folder
from simulator.kernel_loader import cache_folder, load_object, object_path, source_key

PROJECT_NAME = "project"
"""The project's file in the folder of its workers: on every node the same name."""
KEEP_SECONDS = 7 * 86_400
_LOCK = ".lock"
_DIGEST = re.compile(r"[0-9a-f]{64}")


class NodeFiles:
    """Files of one campaign on this node. Another host of the node may use the same ones."""

    def __init__(self) -> None:
        self._parent = user_cache_folder() / "nodes"
        self.folder = self._parent
        self._lock = -1

    def has_kernel(self) -> bool:
        return kernel_cache(cache_folder()).get(source_key()) is not None

    def install_project(self, digest: str, data: bytes) -> None:
        """Raises `ValueError` for damaged content, and `OSError`."""
        self.folder = self._parent / _checked(digest)
        make_private_folder(self.folder)
        self._remove_unused()
        # Held as long as this process lives, so that nobody removes the folder.
        self._lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        _install(self.folder / PROJECT_NAME, digest, data)

    def install_kernel(self, digest: str, data: bytes) -> None:
        """Raises as above. The cache itself checks the object whenever it is loaded."""
        make_folder(cache_folder())
        _install(object_path(), digest, data)

    def build_kernel(self) -> str:
        """Compile the kernel unless it is there; blocks. Empty when it is, else the reason."""
        try:
            with _locked(cache_folder()):
                load_object(lambda _done, _total, _name: None, lambda _text: None)
        except (KernelError, OSError) as error:
            return str(error)
        return ""

    def _remove_unused(self) -> None:
        for folder in self._parent.iterdir():
            if folder != self.folder and _DIGEST.fullmatch(folder.name):
                with suppress(OSError):
                    _remove_when_unused(folder)


def _remove_when_unused(folder: Path) -> None:
    """Remove a folder of old that no host holds. Raises `OSError`."""
    if time.time() - folder.stat().st_mtime < KEEP_SECONDS:
        return
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(descriptor)


def _checked(digest: str) -> str:
    if not _DIGEST.fullmatch(digest):
        raise ValueError("a digest is 64 hexadecimal digits")
    return digest


def _install(path: Path, digest: str, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError(f"{path.name}: the content does not match its digest")
    write_atomically(path, data, durable=False, replace=False)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    make_folder(folder)
    with open(folder / _LOCK, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

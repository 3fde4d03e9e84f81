"""Files that carry a digest of their content and of their own name, checked whenever they are read."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

from simulator.cache.folder import is_trusted, make_folder
from simulator.files.atomic_file import write_atomically
from simulator.files.regular_file import open_regular

MAGIC = b"monotreme seal 1"
_DIGEST_BYTES = 32
_HEADER_BYTES = len(MAGIC) + _DIGEST_BYTES
LARGEST = 512 << 20


class DamagedFileError(Exception):
    """A sealed file is not as it was written, or another user may have written it. The message names it."""


def read_sealed(path: Path, largest: int = LARGEST) -> bytes | None:
    """The content, None where there is no file. Raises `DamagedFileError` for everything that cannot be trusted."""
    try:
        with open_regular(path) as file:
            state = os.fstat(file.fileno())
            if not is_trusted(state):
                raise DamagedFileError(f"{path}: another user can have written it")
            if state.st_size > largest + _HEADER_BYTES:
                raise DamagedFileError(f"{path}: larger than {largest} bytes")
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DamagedFileError(f"{path}: {_reason(error)}") from error
    body = memoryview(data)[_HEADER_BYTES:]
    if data[:_HEADER_BYTES] != MAGIC + _digest(path, body):
        raise DamagedFileError(f"{path}: damaged")
    return bytes(body)


def write_sealed(path: Path, body: bytes) -> None:
    """Put a file in place whole or not at all, readable for this user only. Makes the folder. Raises `OSError`."""
    make_folder(path.parent)
    write_atomically(path, b"".join((MAGIC, _digest(path, body), body)), durable=False)


def has_seal(path: Path) -> bool:
    """Return whether a file begins as a sealed one does, damaged or not."""
    try:
        with open_regular(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _digest(path: Path, body: bytes | memoryview) -> bytes:
    # With the name, or a whole file could be exchanged for another one.
    digest = hashlib.sha256(path.name.encode(errors="surrogateescape") + b"\0")
    digest.update(body)
    return digest.digest()


def _reason(error: OSError) -> str:
    return "a link" if error.errno == errno.ELOOP else error.strerror or str(error)

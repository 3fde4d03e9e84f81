"""Opening files in folders that others may write to."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


class NotRegularError(OSError):
    """The path names a folder, a pipe or a device."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "not a regular file", str(path))


class LinkedError(OSError):
    """The file has other names, by which it may be something else."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EMLINK, "the file has other names (hard links)", str(path))


class TooLargeError(OSError):
    """The file has more bytes than are read of such files."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__(errno.EFBIG, f"over {limit} bytes", str(path))


def open_to_write(path: Path) -> BinaryIO:
    """Open a file, made if need be, for writing from its beginning; what it holds stays until it is overwritten.

    Raises `NotRegularError`, `LinkedError`, and `OSError` as `open` does (ELOOP for a link).
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o666)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError(path)
        if status.st_nlink > 1:
            raise LinkedError(path)
        return open(descriptor, "wb")
    except BaseException:
        os.close(descriptor)
        raise


def is_regular(path: Path) -> bool:
    """Return whether a path leads, through links too, to a file that can be read as one. False for all that the
    system refuses, such as a name that is too long."""
    try:
        return path.is_file()
    except (OSError, ValueError, RuntimeError):
        return False


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading: neither through a link as its last name, nor a pipe that would make the reader wait.

    Raises `NotRegularError`, and `OSError` as `open` does (ELOOP for a link).
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotRegularError(path)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_at_most(path: Path, limit: int) -> bytes:
    """The content of a file opened with `open_regular`. Raises `TooLargeError` where it has more than `limit` bytes,
    and what `open_regular` raises."""
    with open_regular(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise TooLargeError(path, limit)
    return data

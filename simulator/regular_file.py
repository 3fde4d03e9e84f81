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

"""Linux calls that Python's standard library does not have."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522


def is_linux() -> bool:
    return sys.platform == "linux"


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process, which records `errno`."""
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> int:
    """The result of a call into the C library. Raises `OSError` for -1."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def prctl(option: int, value: int) -> None:
    """Raises `OSError` where the kernel refuses."""
    arguments = [ctypes.c_ulong(number) for number in (value, 0, 0, 0)]
    checked(libc().prctl(option, *arguments))


def system_call(number: int, *arguments: ctypes.c_long | ctypes.c_void_p | None) -> int:
    """Raises `OSError` where the kernel refuses, with ENOSYS where it has no such call."""
    return checked(libc().syscall(ctypes.c_long(number), *arguments))


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilitySets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def drop_capabilities() -> None:
    """Give up every privilege of the superuser for the calling thread and those that it starts."""
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    none_of_64 = (_CapabilitySets * 2)()
    checked(libc().capset(ctypes.byref(header), none_of_64))

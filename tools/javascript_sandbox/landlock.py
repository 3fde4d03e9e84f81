"""Landlock: this process, and what it starts, gives up the file system, TCP and other processes' sockets and signals.

Written against the kernel's own interface (Documentation/userspace-api/landlock.rst): the packages on PyPI are a
development release and a new one with one author.
"""

from __future__ import annotations

import ctypes
import errno
import os
from contextlib import suppress

from tools.javascript_sandbox.kernel import is_linux, system_call

_CREATE_RULESET = 444
_RESTRICT_SELF = 446
_VERSION_FLAG = 1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights to files a version of the interface knows, the lowest bits first."""
_NETWORK_SINCE = 4
_SCOPES_SINCE = 6
_BOTH = 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


def landlock_version() -> int:
    """The version of the interface that this kernel has, 0 for none."""
    if not is_linux():
        return 0
    with suppress(OSError):
        return system_call(_CREATE_RULESET, None, ctypes.c_long(0), ctypes.c_long(_VERSION_FLAG))
    return 0


def give_up_files_and_network() -> None:
    """Forbid everything that this kernel's Landlock can forbid, without exception. Open files stay open. Binds the
    calling thread and those that it starts; needs `PR_SET_NO_NEW_PRIVS`. Raises `OSError`."""
    version = landlock_version()
    if version == 0:
        raise OSError(errno.ENOSYS, "the kernel has no Landlock")
    rights = (1 << _FILE_RIGHTS.get(version, max(_FILE_RIGHTS.values()))) - 1
    network = _BOTH if version >= _NETWORK_SINCE else 0
    scopes = _BOTH if version >= _SCOPES_SINCE else 0
    ruleset = _Ruleset(rights, network, scopes)
    size = 8 * (1 + (version >= _NETWORK_SINCE) + (version >= _SCOPES_SINCE))
    pointer = ctypes.cast(ctypes.byref(ruleset), ctypes.c_void_p)
    descriptor = system_call(_CREATE_RULESET, pointer, ctypes.c_long(size), ctypes.c_long(0))
    try:
        system_call(_RESTRICT_SELF, ctypes.c_long(descriptor), ctypes.c_long(0))
    finally:
        os.close(descriptor)

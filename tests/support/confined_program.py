"""A program that shuts itself in and then does what native code would do that has taken over the engine.

Arguments: the folder of the project, a folder with a file `secret`, how it shuts itself in (`all`, or one protection
alone), a port where somebody listens, and the names of the attempts, none for all of them. Prints as JSON what holds,
and for each attempt the name of the error number, or `done`.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable

sys.path.append(sys.argv[1])

from tools.javascript_sandbox import confinement, kernel, landlock, seccomp

FOLDER = sys.argv[2]
PARENT = os.getppid()
LIBC = kernel.libc()
UNSHARE_USER_AND_NETWORK = 0x50000000
IO_URING_SETUP = 425
PIDFD_OPEN = 434


def shut_in(how: str) -> list[str]:
    if how == "all":
        confinement.limit_time_and_files(30)
        return list(confinement.confine())
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if how == "landlock":
        landlock.give_up_files_and_network()
    elif how == "seccomp":
        known = seccomp.processor()
        assert known is not None
        seccomp.refuse_other_system_calls(known)
    elif how == "files":
        confinement._allow_no_more_files()
    return [how]


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def connect() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        tried.connect(("127.0.0.1", int(sys.argv[4])))


def more_memory() -> None:
    bytearray(1 << 30)


def executable_memory() -> None:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


def raised_limit() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    os.open("/dev/null", os.O_RDONLY)


def unlimited_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def called(number: int, *arguments: int) -> Callable[[], None]:
    def call() -> None:
        kernel.system_call(number, *(ctypes.c_long(argument) for argument in arguments))

    return call


ATTEMPTS: dict[str, Callable[[], object]] = {
    "read a file": lambda: os.open(f"{FOLDER}/secret", os.O_RDONLY),
    "read own memory map": lambda: os.open("/proc/self/maps", os.O_RDONLY),
    "read a parent's environment": lambda: os.open(f"/proc/{PARENT}/environ", os.O_RDONLY),
    "write a file": lambda: os.open(f"{FOLDER}/mark", os.O_WRONLY | os.O_CREAT, 0o600),
    "make a folder": lambda: os.mkdir(f"{FOLDER}/mark"),
    "remove a file": lambda: os.unlink(f"{FOLDER}/secret"),
    "link a file": lambda: os.symlink(f"{FOLDER}/secret", f"{FOLDER}/mark"),
    "list a folder": lambda: os.listdir(FOLDER),
    "make memory that is a file": lambda: os.memfd_create("mark"),
    "copy a descriptor": lambda: os.dup(0),
    "fork": fork,
    "execute a program": lambda: os.execv("/bin/true", ["true"]),
    "open a connection": connect,
    "make a pair of sockets": socket.socketpair,
    "end the parent": lambda: os.kill(PARENT, signal.SIGCONT),
    "take hold of the parent": called(PIDFD_OPEN, PARENT, 0),
    "make an I/O ring": called(IO_URING_SETUP, 1, 0),
    "make namespaces": lambda: kernel.checked(LIBC.unshare(UNSHARE_USER_AND_NETWORK)),
    "make executable memory": executable_memory,
    "raise a limit": raised_limit,
    "take more time": unlimited_time,
    "take more memory": more_memory,
}


def attempt(how: Callable[[], object]) -> str:
    try:
        how()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    except (MemoryError, ValueError) as error:
        return type(error).__name__
    return "done"


def main() -> None:
    protections = shut_in(sys.argv[3])
    found = {name: attempt(ATTEMPTS[name]) for name in sys.argv[5:] or ATTEMPTS}
    os.write(1, json.dumps({"protections": protections, "found": found}).encode())


main()

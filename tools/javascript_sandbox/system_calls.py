"""The system calls that a running engine needs, and their numbers on the processors that the filter knows.

None of them opens a file, starts a process, or reaches another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Numbers(NamedTuple):
    """The numbers of one call; None on a processor that has no such call."""

    x86_64: int | None
    aarch64: int | None


@dataclass(frozen=True, slots=True)
class Processor:
    """`audit` is the kernel's name of the processor in a filter."""

    audit: int
    seccomp: int
    at: int

    def number(self, name: str) -> int | None:
        return (ALLOWED | CONDITIONAL)[name][self.at]


PROCESSORS = {
    "x86_64": Processor(0xC000003E, seccomp=317, at=0),
    "aarch64": Processor(0xC00000B7, seccomp=277, at=1),
}
ALLOWED = {
    "read": Numbers(0, 63),
    "write": Numbers(1, 64),
    "close": Numbers(3, 57),
    "munmap": Numbers(11, 215),
    "mremap": Numbers(25, 216),
    "madvise": Numbers(28, 233),
    "brk": Numbers(12, 214),
    "futex": Numbers(202, 98),
    "rt_sigaction": Numbers(13, 134),
    "rt_sigprocmask": Numbers(14, 135),
    "rt_sigreturn": Numbers(15, 139),
    "sigaltstack": Numbers(131, 132),
    "restart_syscall": Numbers(219, 128),
    "set_robust_list": Numbers(273, 99),
    "rseq": Numbers(334, 293),
    "membarrier": Numbers(324, 283),
    "sched_yield": Numbers(24, 124),
    "sched_getaffinity": Numbers(204, 123),
    "getpid": Numbers(39, 172),
    "gettid": Numbers(186, 178),
    "getrandom": Numbers(318, 278),
    "getcpu": Numbers(309, 168),
    "getrusage": Numbers(98, 165),
    "gettimeofday": Numbers(96, 169),
    "time": Numbers(201, None),
    "clock_gettime": Numbers(228, 113),
    "clock_getres": Numbers(229, 114),
    "clock_nanosleep": Numbers(230, 115),
    "nanosleep": Numbers(35, 101),
    "exit": Numbers(60, 93),
    "exit_group": Numbers(231, 94),
}
CONDITIONAL = {
    "clone": Numbers(56, 220),
    "clone3": Numbers(435, 435),
    "mmap": Numbers(9, 222),
    "mprotect": Numbers(10, 226),
    "pkey_mprotect": Numbers(329, 288),
    "prctl": Numbers(157, 167),
}
"""Allowed with some arguments only: see `seccomp`."""

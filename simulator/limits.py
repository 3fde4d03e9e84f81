"""Limits of the operating system's that would otherwise end the program in the middle of something."""

from __future__ import annotations

from contextlib import suppress

PROGRAM_BYTES = 512 << 20
"""Address space that the program itself takes."""
WORKER_BYTES = 4 << 30
"""Address space that a worker reserves. Nearly all of it is never touched and takes no memory."""


def address_space_problem(needed: int, what: str) -> str:
    """Why `what` cannot run within this process's limits, in one sentence; empty when it can."""
    limits = [(name, limit) for name, limit in _limits() if limit < needed]
    if not limits:
        return ""
    option, limit = limits[0]
    return (
        f"{what} needs {needed >> 20:,} MB of address space, most of it never touched, and `ulimit -{option}` allows"
        f" {limit >> 20:,} MB: raise it to {needed >> 10} or more; a control group limits memory itself"
    )


def _limits() -> list[tuple[str, int]]:
    # Not everywhere, and not each of them.
    with suppress(ImportError):
        import resource

        kinds = [(option, getattr(resource, name, None)) for option, name in (("v", "RLIMIT_AS"), ("d", "RLIMIT_DATA"))]
        found = [(option, resource.getrlimit(kind)[0]) for option, kind in kinds if kind is not None]
        return [(option, limit) for option, limit in found if limit != resource.RLIM_INFINITY]
    return []

"""Caller of a tool: the facade's knowledge of a client, readable inside tools without passing it through them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from tools.tool import Scope

EVERY_SCOPE = frozenset(Scope)


@dataclass(frozen=True, slots=True)
class Caller:
    """`identity` is the same for all calls of one client, as far as its transport distinguishes clients. The command
    log tells `client`, where it is not empty."""

    identity: str = "local"
    scopes: frozenset[Scope] = EVERY_SCOPE
    client: str = ""


LOCAL = Caller()
"""The launching user: a client on stdio or in this process may do everything."""

_current: ContextVar[Caller] = ContextVar("caller", default=LOCAL)


def current_caller() -> Caller:
    """The caller of the tool or resource that runs in this task."""
    return _current.get()


@contextmanager
def calling_as(caller: Caller) -> Iterator[None]:
    """Within the block, `current_caller` is this one."""
    token = _current.set(caller)
    try:
        yield
    finally:
        _current.reset(token)

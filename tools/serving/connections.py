"""The connection behind a request."""

from __future__ import annotations

from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext


def connection_of(context: ServerRequestContext[Any, Any]) -> Connection:
    """The connection of a request, which outlives it: notifications may be sent on it later.

    The SDK gives handlers of the low-level server a session, which ends with the request. Its `Context.connection` is
    made for handlers of another kind, so this is the one place that reads the private attribute.
    """
    return context.session._connection

"""Log messages to clients that asked for them with `logging/setLevel`, which only the older era has."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from simulator.printable import printable
from tools.serving.connections import connection_of
from tools.serving.notifying import Notifier

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
Context = ServerRequestContext[Any, Any]


class LogMessages:
    """Log levels requested by connections."""

    def __init__(self, notifier: Notifier) -> None:
        self._notifier = notifier
        self._levels: WeakKeyDictionary[Connection, int] = WeakKeyDictionary()

    def serve(self, server: Server[Any]) -> None:
        """Let a server answer `logging/setLevel`."""
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)

    async def _set_level(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self._levels[connection_of(context)] = LEVELS.index(params.level)
        return types.EmptyResult()

    async def tell(self, level: types.LoggingLevel, text: str) -> None:
        """Send a message to connections that requested this level."""
        body = {"level": level, "logger": "campaign", "data": printable(text)}
        connections = [each for each, least in self._levels.items() if LEVELS.index(level) >= least]
        await self._notifier.tell(connections, lambda connection: connection.notify("notifications/message", body))

"""Updates of resources and log messages to the connections that asked for them, in both protocol eras.

Clients of 2026-07-28 listen on a stream of their own, which the SDK's bus feeds. Older clients subscribe URI by URI and
get notifications on their connection, which is remembered only as long as it lives.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

from simulator.printable import printable
from tools.serving.notifying import Notifier

MAX_STREAMS = 256
MAX_URIS = 64
Context = ServerRequestContext[Any, Any]

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Subscriptions:
    """Subscriptions of connections to URIs and log messages. Notifications may be sent outside any request."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=MAX_STREAMS)
        self._notifier = Notifier()
        self.log_messages = LogMessages(self._notifier)
        self._subscribed: WeakKeyDictionary[Connection, set[str]] = WeakKeyDictionary()

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """`resources/subscribe` of the older era."""
        uris = self._subscribed.setdefault(connection_of(context), set())
        if len(uris) >= MAX_URIS and params.uri not in uris:
            raise MCPError(types.INVALID_PARAMS, f"at most {MAX_URIS} resources can be subscribed at a time")
        uris.add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """`resources/unsubscribe` of the older era."""
        self._subscribed.get(connection_of(context), set()).discard(params.uri)
        return types.EmptyResult()

    async def publish(self, uri: str) -> None:
        """Notify subscribers that a resource has changed."""
        await self._bus.publish(ResourceUpdated(uri=uri))
        connections = [connection for connection, uris in self._subscribed.items() if uri in uris]
        await self._notifier.tell(connections, lambda connection: connection.send_resource_updated(uri))

    def close(self) -> None:
        """End all streams; clients learn that it was on purpose."""
        self.listen.close()


class LogMessages:
    """Log levels requested by connections with `logging/setLevel`, which only the older era has."""

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


def connection_of(context: ServerRequestContext[Any, Any]) -> Connection:
    """The connection of a request, which outlives it: notifications may be sent on it later.

    The SDK gives handlers of the low-level server a session, which ends with the request. Its `Context.connection` is
    made for handlers of another kind, so this is the one place that reads the private attribute.
    """
    return context.session._connection

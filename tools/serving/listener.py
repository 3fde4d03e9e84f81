"""A listening socket and its connections. Nothing that a client does ends it.

There is room for so many connections. When it is used up, a new client gets the place of the connection that has waited
longest for a request, of the address that has the most; connections with a request under way keep theirs.
"""

from __future__ import annotations

import resource
import socket
from collections import Counter
from dataclasses import dataclass, field

import trio
from starlette.types import ASGIApp

from tools.serving.complaints import Complaints
from tools.serving.http_connection import HttpConnection, Timeouts

MAX_CONNECTIONS = 256
BACKLOG = 256
GRACE_SECONDS = 0.5
ACCEPT_PAUSE = 0.1
"""Seconds to wait where the machine has no descriptor or memory for another connection."""
_KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 60_000}
"""A peer that has vanished without a word is found within a minute, instead of holding its place for hours."""


class CannotListen(Exception):  # noqa: N818  # the name says what happened, as those of the actors do
    """The address is taken, or not of this machine; the message names it."""

    code = "E_CANNOT_LISTEN"


def max_connections() -> int:
    """Number of connections within this process's descriptors, leaving three quarters of them to everything else."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(8, min(MAX_CONNECTIONS, soft // 4))


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket. Raises `CannotListen`."""
    place = f"{host}:{port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotListen(f"{place}: no address of this machine: {error.strerror or error}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotListen(f"{place}: cannot listen there: {error.strerror or error}") from error
    return listener


def url_of(listener: socket.socket) -> str:
    """Address at which clients reach it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@dataclass(slots=True)
class ConnectionServer:
    """Accepts connections for an ASGI application, at most `most` at a time."""

    application: ASGIApp
    timeouts: Timeouts = field(default_factory=Timeouts)
    most: int = field(default_factory=max_connections)
    complaints: Complaints = field(default_factory=Complaints)
    _connections: set[HttpConnection] = field(default_factory=set)

    async def serve(self, listener: trio.SocketListener, stop: trio.Event) -> None:
        """Until `stop` is set; requests under way then have a moment to end."""
        async with trio.open_nursery() as conversations:
            async with trio.open_nursery() as accepting, listener:
                accepting.start_soon(self._accept, listener, conversations)
                await stop.wait()
                accepting.cancel_scope.cancel(reason="the server ends")
            for connection in tuple(self._connections):
                connection.finish()
            conversations.cancel_scope.deadline = trio.current_time() + GRACE_SECONDS

    async def _accept(self, listener: trio.SocketListener, conversations: trio.Nursery) -> None:
        while True:
            try:
                stream = await listener.accept()
            except OSError as error:
                await self._wait_for_room(error)
                continue
            if len(self._connections) >= self.most and not self._make_room():
                await trio.aclose_forcefully(stream)
                self.complaints.tell(f"a connection was refused: {self.most} are busy")
            else:
                conversations.start_soon(self._converse, stream)

    async def _wait_for_room(self, error: OSError) -> None:
        self._make_room()
        # Even to complain may take a descriptor.
        await trio.sleep(ACCEPT_PAUSE)
        self.complaints.tell("a connection could not be accepted", error)

    def _make_room(self) -> bool:
        """Close one connection that waits for a request; whether there was one."""
        counts = Counter(each.host for each in self._connections)
        waiting = [(-counts[each.host], each.waiting_since, each) for each in self._connections if _waits(each)]
        if not waiting:
            return False
        _, _, connection = min(waiting, key=lambda each: each[:2])
        self._connections.discard(connection)
        connection.close()
        return True

    async def _converse(self, stream: trio.SocketStream) -> None:
        connection: HttpConnection | None = None
        try:
            _find_dead_peers(stream)
            connection = HttpConnection(stream, self.application, self.timeouts, self.complaints)
            self._connections.add(connection)
            await connection.serve()
        except OSError:
            pass  # the client was gone before it was greeted
        except Exception as error:  # the boundary of one connection: the others, and the campaign, continue
            self.complaints.tell("a connection ended in an error", error)
        finally:
            if connection is not None:
                self._connections.discard(connection)
            await trio.aclose_forcefully(stream)


def _waits(connection: HttpConnection) -> bool:
    return connection.waiting_since is not None


def _find_dead_peers(stream: trio.SocketStream) -> None:
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        if (option := getattr(socket, name, None)) is not None:
            stream.setsockopt(socket.IPPROTO_TCP, option, value)

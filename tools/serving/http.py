"""MCP over Streamable HTTP at `/mcp`, on hypercorn's trio worker.

What arrives passes, in this order: the form of Host and Origin (421, 403), the cap on requests in flight (503), the
bearer token (401, 403), the names in Host and Origin against DNS rebinding (421, 403), the limits on bodies (413, 408).
Tools that control need the scope `control`.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.types import ASGIApp

from tools.caller import EVERY_SCOPE, Caller
from tools.serving.access import Tokens, is_loopback
from tools.serving.request_limits import RequestLimits
from tools.tool import Scope

PATH = "/mcp"
MOST_REQUESTS = 128
MOST_SESSIONS = 256
LARGEST_BODY = 4 << 20
GRACE_SECONDS = 0.5


class HttpNotAllowed(Exception):  # noqa: N818  # the name says what happened, as those of the actors do
    """A server that asks nobody for a token would be reachable from elsewhere."""

    code = "E_HTTP_NOT_ALLOWED"


class CannotListen(Exception):  # noqa: N818
    """The address is taken, or not of this machine; the message names it."""

    code = "E_CANNOT_LISTEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """`port` 0 takes a free one. `tokens` None asks nobody for a token, which only loopback addresses may do."""

    host: str = "127.0.0.1"
    port: int = 0
    tokens: Tokens | None
    most_requests: int = MOST_REQUESTS


@asynccontextmanager
async def http_server(server: Server[Any], settings: HttpSettings) -> AsyncIterator[str]:
    """Serve within the block; gives the URL of `/mcp`. Raises `HttpNotAllowed` and `CannotListen`."""
    async with application_server(_application(server, settings), settings) as url:
        yield f"{url}{PATH}"


@asynccontextmanager
async def application_server(application: Any, settings: HttpSettings) -> AsyncIterator[str]:
    """Serve an ASGI application within the block, which checks tokens and hosts itself; gives its URL. Raises
    `HttpNotAllowed` and `CannotListen`."""
    if settings.tokens is None and not is_loopback(settings.host):
        raise HttpNotAllowed(f"{settings.host} is not a loopback address, so clients need a token: leave out auth none")
    stop = trio.Event()
    listener = _bound(settings)
    config = _worker(listener.fileno())
    listener.detach()
    # hypercorn spells ASGI's messages out as typed dictionaries, starlette as plain ones: hence Any.
    limited: Any = RequestLimits(application, settings.most_requests)
    async with trio.open_nursery() as nursery:
        addresses = await nursery.start(partial(serve, limited, config, shutdown_trigger=stop.wait))
        try:
            yield addresses[0]
        finally:
            stop.set()
            nursery.cancel_scope.deadline = trio.current_time() + 2 * GRACE_SECONDS


def http_caller(context: ServerRequestContext[Any, Any]) -> Caller:
    """The caller of a request over HTTP: its token and, where it has one, its session."""
    token = get_access_token()
    scopes = EVERY_SCOPE if token is None else frozenset(map(Scope, token.scopes))
    client = context.session.client_params
    name = client.client_info.name if client is not None else ""
    session = context.session._connection.session_id or ""  # the SDK has no public way to it
    return Caller(f"http {token.client_id if token else ''} {name} {session}", scopes)


def _bound(settings: HttpSettings) -> socket.socket:
    """A listening socket; hypercorn's own would tell of a taken address only in nested exception groups."""
    host = settings.host.strip("[]")
    place = f"{settings.host}:{settings.port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, settings.port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotListen(f"{place}: no address of this machine: {error.strerror or error}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise CannotListen(f"{place}: cannot listen there: {error.strerror or error}") from error
    return listener


def _worker(descriptor: int) -> Config:
    config = Config()
    config.bind = [f"fd://{descriptor}"]
    config.graceful_timeout = GRACE_SECONDS
    config.loglevel = "WARNING"
    config.accesslog = None
    config.include_server_header = False
    return config


def _application(server: Server[Any], settings: HttpSettings) -> ASGIApp:
    host = settings.host
    tokens = settings.tokens
    return server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        max_request_body_size=LARGEST_BODY,
        max_sessions=MOST_SESSIONS,
        transport_security=host_rules(host),
        auth=_auth(host) if tokens is not None else None,
        token_verifier=_Verifier(tokens.scopes_of) if tokens is not None else None,
    )


def host_rules(host: str) -> TransportSecuritySettings:
    """Which Host and Origin headers a server that listens at `host` takes: its own names."""
    names = ["127.0.0.1", "localhost", "[::1]"] if is_loopback(host) else [host]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        allowed_origins=[form for name in names for form in (f"http://{name}", f"http://{name}:*")],
    )


def _auth(host: str) -> AuthSettings:
    # There is no authorization server: the issuer is named because the SDK wants one, and tokens come from a file.
    return AuthSettings(
        issuer_url=AnyHttpUrl(f"http://{host}"), resource_server_url=None, required_scopes=[str(Scope.READ)]
    )


class _Verifier:
    """The SDK's port for tokens."""

    def __init__(self, scopes_of: Callable[[str], frozenset[Scope] | None]) -> None:
        self._scopes_of = scopes_of

    async def verify_token(self, token: str) -> AccessToken | None:
        scopes = self._scopes_of(token)
        if scopes is None:
            return None
        name = "control" if Scope.CONTROL in scopes else "read"
        return AccessToken(token=token, client_id=name, scopes=sorted(map(str, scopes)))

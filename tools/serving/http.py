"""MCP over Streamable HTTP at `/mcp`.

What arrives passes, in this order: the room for connections, the syntax of HTTP (400, 431, 505), the form of Host and
Origin (421, 403), the share of its credential in requests and sessions (503), the bearer token (401, 403), the names in
Host and Origin against DNS rebinding (421, 403), the limits on bodies (413, 408). Tools that control need the scope
`control`.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import trio
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.types import ASGIApp
from starlette.types import Scope as HttpScope

from tools.caller import EVERY_SCOPE, Caller
from tools.serving.access import Tokens, is_loopback
from tools.serving.credentials import Credentials, credential_name, header
from tools.serving.http_connection import Timeouts
from tools.serving.library_logs import take_over_library_logs
from tools.serving.listener import CannotListen, ConnectionServer, bound_socket, max_connections, url_of
from tools.serving.request_limits import BODY_SECONDS, CredentialLimits, RequestLimits
from tools.serving.resumption import CurrentSessionEvents
from tools.serving.session_limits import (
    MAX_BODY_BYTES,
    MAX_SESSIONS,
    RETRY_MILLISECONDS,
    SESSION_HEADER,
    SessionLimits,
)
from tools.tool import Scope

__all__ = ["CannotListen", "HttpNotAllowed", "HttpSettings", "application_server", "http_caller", "http_server"]

PATH = "/mcp"
MAX_NAME_LENGTH = 200
CREDENTIALS = 3
"""Both tokens, and having none."""


class HttpNotAllowed(Exception):  # noqa: N818  # the name says what happened, as those of the actors do
    """A server without authentication would be reachable from elsewhere."""

    code = "E_HTTP_NOT_ALLOWED"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """`port` 0 takes a free one. `tokens` None disables authentication, which only loopback addresses may do. `shares`
    are by default what the connections leave to each credential. Clients take a stream that broke up again after
    `retry` milliseconds."""

    host: str = "127.0.0.1"
    port: int = 0
    tokens: Tokens | None
    shares: CredentialLimits | None = None
    sessions: int = MAX_SESSIONS
    connections: int = field(default_factory=max_connections)
    timeouts: Timeouts = field(default_factory=Timeouts)
    body_seconds: float = BODY_SECONDS
    retry: int = RETRY_MILLISECONDS


ScopesOf = Callable[[str], frozenset[Scope] | None]


@asynccontextmanager
async def http_server(server: Server[Any], settings: HttpSettings) -> AsyncIterator[str]:
    """Serve within the block; gives the URL of `/mcp`. Raises `HttpNotAllowed` and `CannotListen`."""
    application = _application(server, settings)
    limited = SessionLimits(application, _credentials(settings), settings.sessions, settings.retry)
    # Before any nursery, which would wrap what it raises.
    with _listening(settings) as listener:
        async with (
            application.router.lifespan_context(application),
            _serving(limited, settings, listener, _credentials(settings)) as url,
        ):
            yield f"{url}{PATH}"


@asynccontextmanager
async def application_server(
    application: ASGIApp, settings: HttpSettings, scopes_of: ScopesOf | None = None
) -> AsyncIterator[str]:
    """Serve an ASGI application within the block, which checks tokens and hosts itself; gives its URL. `scopes_of`
    knows its tokens, where these are not those of the settings. Raises `HttpNotAllowed` and `CannotListen`."""
    with _listening(settings) as listener:
        async with _serving(application, settings, listener, _credentials(settings, scopes_of)) as url:
            yield url


def _listening(settings: HttpSettings) -> socket.socket:
    if settings.tokens is None and not is_loopback(settings.host):
        raise HttpNotAllowed(f"{settings.host} is not a loopback address, so clients need a token: leave out auth none")
    return bound_socket(settings.host, settings.port)


@asynccontextmanager
async def _serving(
    application: ASGIApp, settings: HttpSettings, listener: socket.socket, credentials: Credentials
) -> AsyncIterator[str]:
    take_over_library_logs()
    shares = settings.shares or CredentialLimits.of_connections(settings.connections)
    limited = RequestLimits(application, credentials, shares, settings.body_seconds)
    connections = ConnectionServer(limited, settings.timeouts, settings.connections)
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connections.serve, trio.SocketListener(trio.socket.from_stdlib_socket(listener)), stop)
        try:
            yield url_of(listener)
        finally:
            stop.set()


def http_caller(context: ServerRequestContext[Any, Any]) -> Caller:
    """The caller of a request over HTTP: its token, the name and version it gives, and its session. Without a session,
    which the newest revision of the protocol does not have, its address and program stand for it."""
    token = get_access_token()
    scopes = EVERY_SCOPE if token is None else frozenset(map(Scope, token.scopes))
    client = context.session.client_params
    name = f"{client.client_info.name} {client.client_info.version}" if client is not None else ""
    request = context.request.scope if context.request is not None else None
    place = (header(request, SESSION_HEADER) or _place(request)) if request is not None else ""
    identity = repr(("http", token.client_id if token else "", name[:MAX_NAME_LENGTH], place))
    return Caller(identity, scopes, name[:MAX_NAME_LENGTH] or "agent")


def _place(request: HttpScope) -> str:
    address = (request.get("client") or ("",))[0]
    return f"{address} {(header(request, b'user-agent') or '')[:MAX_NAME_LENGTH]}"


def _credentials(settings: HttpSettings, scopes_of: ScopesOf | None = None) -> Credentials:
    tokens = settings.tokens
    return Credentials((scopes_of or tokens.scopes_of) if tokens is not None else None)


def _application(server: Server[Any], settings: HttpSettings) -> Starlette:
    host = settings.host
    tokens = settings.tokens
    return server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        max_request_body_size=MAX_BODY_BYTES,
        event_store=CurrentSessionEvents(),
        retry_interval=settings.retry,
        # Each credential has its own limit in front of this one, which sessions that begin now count against twice.
        max_sessions=2 * CREDENTIALS * settings.sessions,
        transport_security=host_rules(host),
        auth=_auth(host) if tokens is not None else None,
        token_verifier=_Verifier(tokens.scopes_of) if tokens is not None else None,
    )


def host_rules(host: str) -> TransportSecuritySettings:
    """Host and Origin headers accepted by a server that listens at `host`: its own names."""
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
        return AccessToken(token=token, client_id=credential_name(scopes), scopes=sorted(map(str, scopes)))

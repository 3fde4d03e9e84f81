"""Shared parts of the pages that this program serves to browsers: who gets in, headers, bodies, refusals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.transport_security import TransportSecurityMiddleware
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as HttpScope

from tools.serving.http import ScopesOf, host_rules
from tools.tool import Scope

PAGE_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
Handler = Callable[[Request, frozenset[Scope]], Awaitable[Response]]


class SameSite:
    """Refuses requests that other sites make a browser send, by the rules of the MCP server, and gives every answer
    `headers`."""

    def __init__(self, application: ASGIApp, host: str, headers: Mapping[str, str]) -> None:
        self._application = application
        self._rules = TransportSecurityMiddleware(host_rules(host))
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        request = Request(scope, receive)
        refusal = await self._rules.validate_request(request, is_post=request.method == "POST")
        await (refusal or self._application)(scope, receive, self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
            await send(message)

        return sending


def guarded(handler: Handler, needed: Scope, scopes_of: ScopesOf) -> Callable[[Request], Awaitable[Response]]:
    """The handler behind the check of the token."""

    async def check(request: Request) -> Response:
        token = bearer(request)
        scopes = scopes_of(token)
        if scopes is None:
            return failure(401, "UNAUTHORIZED", "this token is not known" if token else "a token is needed")
        if needed not in scopes:
            return failure(403, "FORBIDDEN", "this token may only read")
        return await handler(request, scopes)

    return check


def bearer(request: Request) -> str:
    """The token that a request brings, empty for none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else ""


async def json_body(request: Request, most: int) -> dict[str, Any] | None:
    """The JSON object of a request, None for anything else and for one of over `most` bytes."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > most:
            return None
    try:
        # Unlike json's, this parser refuses what no answer could repeat: half surrogate pairs, NaN.
        body = from_json(content, allow_inf_nan=False)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def failure(status: int, code: str, message: str) -> Response:
    """A refusal as pages read it."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)

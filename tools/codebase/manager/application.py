"""The page and the requests that it makes. Everything that reads or changes goes through the tools' own dispatcher."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from importlib.resources import files
from typing import Any

import trio
from mcp.server.transport_security import TransportSecurityMiddleware
from pydantic_core import from_json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as HttpScope

from simulator.printable import shown_path
from tools.caller import Caller
from tools.codebase.errors import CodebaseError
from tools.codebase.ingestion import IngestionReport
from tools.codebase.ingestions import IngestionJob, Ingestions
from tools.codebase.manager.sessions import Sessions
from tools.codebase.memory import CodebaseMemory
from tools.dispatcher import Dispatcher
from tools.errors import ErrorCode
from tools.serving.http import host_rules
from tools.tool import JsonObject, Scope

MAX_BODY_BYTES = 64 << 10
PAGE_TOOLS = (
    "list_codebases",
    "search_codebases",
    "get_codebase_stats",
    "index_codebase",
    "rename_codebase",
    "remove_codebase",
)
_FILES = {
    "/": ("manager.html", "text/html"),
    "/manager.css": ("manager.css", "text/css"),
    "/manager.js": ("manager.js", "text/javascript"),
}
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
Handler = Callable[[Request, frozenset[Scope]], Awaitable[Response]]


def manager_application(
    memory: CodebaseMemory, ingestions: Ingestions, dispatcher: Dispatcher, sessions: Sessions, host: str
) -> ASGIApp:
    """The ASGI application. Hosts and origins other than its own get 421 and 403, callers without a token 401."""
    requests = _Requests(memory, ingestions, dispatcher, sessions)
    application = Starlette(
        routes=[
            *(Route(path, partial(_static, *described)) for path, described in _FILES.items()),
            Route("/api/session", requests.session, methods=["POST"]),
            Route("/api/jobs", requests.guarded(requests.jobs, Scope.READ)),
            Route("/api/stale", requests.guarded(requests.stale, Scope.READ), methods=["POST"]),
            Route("/api/reindex", requests.guarded(requests.reindex, Scope.CONTROL), methods=["POST"]),
            Route("/api/tools/{tool}", requests.guarded(requests.tool, Scope.READ), methods=["POST"]),
        ]
    )
    return _SameSite(application, host)


class _Requests:
    def __init__(
        self, memory: CodebaseMemory, ingestions: Ingestions, dispatcher: Dispatcher, sessions: Sessions
    ) -> None:
        self._memory = memory
        self._ingestions = ingestions
        self._dispatcher = dispatcher
        self._sessions = sessions
        # To compare a folder with its index reads all of it: one at a time, however many tabs ask.
        self._comparing = trio.CapacityLimiter(1)

    def guarded(self, handler: Handler, needed: Scope) -> Callable[[Request], Awaitable[Response]]:
        """The handler behind the check of the token."""

        async def check(request: Request) -> Response:
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            scopes = self._sessions.scopes_of(token if kind.lower() == "bearer" else "")
            if scopes is None:
                return _failure(401, "UNAUTHORIZED", "this token is not known" if token else "a token is needed")
            if needed not in scopes:
                return _failure(403, "FORBIDDEN", "this token may only read")
            return await handler(request, scopes)

        return check

    async def session(self, request: Request) -> Response:
        body = await _body(request)
        ticket = body.get("ticket") if body is not None else None
        token = self._sessions.redeem(ticket) if isinstance(ticket, str) else None
        if token is None:
            return _failure(401, "UNAUTHORIZED", "this ticket has been used or is too old: open the manager again")
        return JSONResponse({"token": token})

    async def jobs(self, _request: Request, scopes: frozenset[Scope]) -> Response:
        jobs = [_shown(job) for job in self._ingestions.jobs()]
        return JSONResponse({"jobs": jobs, "mayChange": Scope.CONTROL in scopes})

    async def stale(self, request: Request, _scopes: frozenset[Scope]) -> Response:
        """Number of files of a codebase that changed since indexing."""
        name = await _name_in(request)
        if name is None:
            return _failure(400, ErrorCode.INVALID_INPUT, "name must be a string")
        try:
            report = await trio.to_thread.run_sync(
                self._compared, name, limiter=self._comparing, abandon_on_cancel=True
            )
        except CodebaseError as error:
            return _failure(400, ErrorCode.INVALID_INPUT, str(error))
        counts = {"added": len(report.added), "changed": len(report.changed), "removed": len(report.removed)}
        return JSONResponse({"name": name, **counts})

    def _compared(self, name: str) -> IngestionReport:
        return self._memory.stale(self._memory.root_of(name), name)

    async def reindex(self, request: Request, _scopes: frozenset[Scope]) -> Response:
        name = await _name_in(request)
        if name is None:
            return _failure(400, ErrorCode.INVALID_INPUT, "name must be a string")
        try:
            root = await trio.to_thread.run_sync(self._memory.root_of, name)
            job = self._ingestions.begin(root, name)
        except CodebaseError as error:
            return _failure(400, ErrorCode.INVALID_INPUT, str(error))
        return JSONResponse(_shown(job), status_code=202)

    async def tool(self, request: Request, scopes: frozenset[Scope]) -> Response:
        name = request.path_params["tool"]
        body = await _body(request)
        if name not in PAGE_TOOLS:
            return _failure(404, ErrorCode.TOOL_NOT_FOUND, "the page has no such tool")
        if body is None:
            return _failure(400, ErrorCode.INVALID_INPUT, f"expected a JSON object of at most {MAX_BODY_BYTES} bytes")
        rendered = await self._dispatcher.call(name, body, Caller("manager page", scopes))
        return Response(rendered.text, 400 if rendered.is_error else 200, media_type="application/json")


class _SameSite:
    """Refuses requests that other sites make a browser send, by the rules of the MCP server."""

    def __init__(self, application: ASGIApp, host: str) -> None:
        self._application = application
        self._rules = TransportSecurityMiddleware(host_rules(host))

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        request = Request(scope, receive)
        refusal = await self._rules.validate_request(request, is_post=request.method == "POST")
        await (refusal or self._application)(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]

    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *extra]}
        await send(message)

    return sending


async def _static(name: str, media_type: str, _request: Request) -> Response:
    content = (files("tools.codebase.manager") / "page" / name).read_bytes()
    return Response(content, media_type=media_type)


async def _body(request: Request) -> dict[str, Any] | None:
    """The JSON object of a request, None for anything else and for what is too large."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > MAX_BODY_BYTES:
            return None
    try:
        # Unlike json's, this parser refuses what no answer could repeat: half surrogate pairs, NaN.
        body = from_json(content, allow_inf_nan=False)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


async def _name_in(request: Request) -> str | None:
    body = await _body(request)
    name = body.get("name") if body is not None else None
    return name if isinstance(name, str) else None


def _shown(job: IngestionJob) -> JsonObject:
    return {
        "name": job.name,
        "path": shown_path(job.root),
        "status": job.status,
        "filesDone": job.files_done,
        "filesTotal": job.files_total,
        "failure": str(job.failure) if job.failure is not None else "",
    }


def _failure(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)

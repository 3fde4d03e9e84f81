"""The page and the requests that it makes. Everything that reads or changes goes through the tools' own dispatcher."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from importlib.resources import files

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from simulator.printable import shown_path
from tools.caller import Caller
from tools.codebase.errors import CodebaseError
from tools.codebase.ingestion import IngestionReport
from tools.codebase.ingestions import IngestionJob, Ingestions
from tools.codebase.manager.sessions import Sessions
from tools.codebase.memory import CodebaseMemory
from tools.dispatcher import Dispatcher
from tools.errors import ErrorCode
from tools.serving.web_page import PAGE_HEADERS, Handler, SameSite, failure, guarded, json_body
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
    **PAGE_HEADERS,
}


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
    return SameSite(application, host, _HEADERS)


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
        return guarded(handler, needed, self._sessions.scopes_of)

    async def session(self, request: Request) -> Response:
        body = await json_body(request, MAX_BODY_BYTES)
        ticket = body.get("ticket") if body is not None else None
        token = self._sessions.redeem(ticket) if isinstance(ticket, str) else None
        if token is None:
            return failure(401, "UNAUTHORIZED", "this ticket has been used or is too old: open the manager again")
        return JSONResponse({"token": token})

    async def jobs(self, _request: Request, scopes: frozenset[Scope]) -> Response:
        jobs = [_shown(job) for job in self._ingestions.jobs()]
        return JSONResponse({"jobs": jobs, "mayChange": Scope.CONTROL in scopes})

    async def stale(self, request: Request, _scopes: frozenset[Scope]) -> Response:
        """Number of files of a codebase that changed since indexing."""
        name = await _name_in(request)
        if name is None:
            return failure(400, ErrorCode.INVALID_INPUT, "name must be a string")
        try:
            report = await trio.to_thread.run_sync(
                self._compared, name, limiter=self._comparing, abandon_on_cancel=True
            )
        except CodebaseError as error:
            return failure(400, ErrorCode.INVALID_INPUT, str(error))
        counts = {"added": len(report.added), "changed": len(report.changed), "removed": len(report.removed)}
        return JSONResponse({"name": name, **counts})

    def _compared(self, name: str) -> IngestionReport:
        return self._memory.stale(self._memory.root_of(name), name)

    async def reindex(self, request: Request, _scopes: frozenset[Scope]) -> Response:
        name = await _name_in(request)
        if name is None:
            return failure(400, ErrorCode.INVALID_INPUT, "name must be a string")
        try:
            root = await trio.to_thread.run_sync(self._memory.root_of, name)
            job = self._ingestions.begin(root, name)
        except CodebaseError as error:
            return failure(400, ErrorCode.INVALID_INPUT, str(error))
        return JSONResponse(_shown(job), status_code=202)

    async def tool(self, request: Request, scopes: frozenset[Scope]) -> Response:
        name = request.path_params["tool"]
        body = await json_body(request, MAX_BODY_BYTES)
        if name not in PAGE_TOOLS:
            return failure(404, ErrorCode.TOOL_NOT_FOUND, "the page has no such tool")
        if body is None:
            return failure(400, ErrorCode.INVALID_INPUT, f"expected a JSON object of at most {MAX_BODY_BYTES} bytes")
        rendered = await self._dispatcher.call(name, body, Caller("manager page", scopes))
        return Response(rendered.text, 400 if rendered.is_error else 200, media_type="application/json")


async def _static(name: str, media_type: str, _request: Request) -> Response:
    content = (files("tools.codebase.manager") / "page" / name).read_bytes()
    return Response(content, media_type=media_type)


async def _name_in(request: Request) -> str | None:
    body = await json_body(request, MAX_BODY_BYTES)
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

"""The routes of the page. All that looks or acts goes through the dispatcher that serves agents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Protocol

import msgspec
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as HttpScope

from orchestrator.dashboard.feed import Feed, Listener, frame
from orchestrator.dashboard.static_files import StaticFile, static_files
from tools.caller import Caller
from tools.codebase.manager.sessions import Sessions
from tools.dispatcher import Dispatcher
from tools.errors import ErrorCode, ToolError
from tools.registry import CAMPAIGN_ID
from tools.serving.web_page import PAGE_HEADERS, SameSite, bearer, failure, guarded, json_body
from tools.tool import Family, Scope

MAX_BODY_BYTES = 1 << 20
EVENTS = "text/event-stream"
HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    **PAGE_HEADERS,
}


CAMPAIGN = "campaign"
"""Parameter of a query: the id of the campaign that a stream is of, or that a call means."""


class Shown(Protocol):
    """A campaign that pages show."""

    @property
    def feed(self) -> Feed: ...


class ShownCampaigns(Protocol):
    """All campaigns that pages can show."""

    @property
    def absent(self) -> str:
        """Return the sentence about a tool that does not exist."""

    def find(self, name: str) -> Shown:
        """Return the campaign of this id, that of a page that names none where it is empty. Raises `ToolError`."""

    def nudge(self) -> None:
        """A command was given."""


def dashboard_application(shown: ShownCampaigns, dispatcher: Dispatcher, sessions: Sessions, host: str) -> ASGIApp:
    """The ASGI application. Hosts and origins other than its own get 421 and 403, callers without a token 401."""
    requests = _Requests(shown, dispatcher, sessions)
    application = Starlette(
        routes=[
            *(Route(path, partial(_static, file)) for path, file in static_files().items()),
            Route("/api/session", requests.session, methods=["POST"]),
            Route("/api/stream", guarded(requests.stream, Scope.READ, sessions.scopes_of)),
            Route("/api/call/{tool}", guarded(requests.call, Scope.READ, sessions.scopes_of), methods=["POST"]),
        ]
    )
    return SameSite(application, host, HEADERS)


class _Requests:
    def __init__(self, shown: ShownCampaigns, dispatcher: Dispatcher, sessions: Sessions) -> None:
        self._shown = shown
        self._dispatcher = dispatcher
        self._sessions = sessions

    async def session(self, request: Request) -> Response:
        """A token for a ticket."""
        body = await json_body(request, MAX_BODY_BYTES)
        ticket = body.get("ticket") if body is not None else None
        token = self._sessions.redeem(ticket) if isinstance(ticket, str) else None
        if token is None:
            return failure(401, "UNAUTHORIZED", "this link has been used or is too old: enter a token")
        return JSONResponse({"token": token})

    async def stream(self, request: Request, scopes: frozenset[Scope]) -> Response:
        """Everything now, then what changes, as server-sent events."""
        # The share of streams counts requests that say what they are.
        if EVENTS not in request.headers.get("accept", ""):
            return failure(406, ErrorCode.INVALID_INPUT, f"this is a stream: send accept: {EVENTS}")
        try:
            shown = self._shown.find(request.query_params.get(CAMPAIGN, ""))
        except ToolError as error:
            return failure(404, error.code, error.message)
        return _EventStream(shown.feed, request.headers.get("last-event-id", ""), Scope.CONTROL in scopes)

    async def call(self, request: Request, scopes: frozenset[Scope]) -> Response:
        """Call a tool of the campaign; the answer is `{"result": ...}`."""
        name = request.path_params["tool"]
        tool = self._dispatcher.registry.get_tool(name)
        if tool is None or tool.family is not Family.CAMPAIGN:
            return failure(404, ErrorCode.TOOL_NOT_FOUND, self._shown.absent)
        body = await json_body(request, MAX_BODY_BYTES)
        if body is None:
            return failure(400, ErrorCode.INVALID_INPUT, f"expected a JSON object of at most {MAX_BODY_BYTES} bytes")
        campaign = request.query_params.get(CAMPAIGN, "")
        if campaign and tool.of_campaign and self._dispatcher.registry.campaigns is not None:
            body = {**body, CAMPAIGN_ID: campaign}
        rendered = await self._dispatcher.call(name, body, _caller(request, scopes))
        if tool.scope is Scope.CONTROL:
            self._shown.nudge()
        if rendered.is_error:
            return Response(rendered.text, 400, media_type="application/json")
        if rendered.structured is None:
            return Response(msgspec.json.encode({"result": rendered.text}), media_type="application/json")
        return Response(f'{{"result":{rendered.text}}}', media_type="application/json")


def _caller(request: Request, scopes: frozenset[Scope]) -> Caller:
    """Pages with a ticket of their own are told apart."""
    token = bearer(request)
    digest = hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
    return Caller(f"dashboard {digest[:4]}" if token else "dashboard", scopes)


async def _static(file: StaticFile, _request: Request) -> Response:
    return Response(file.content, media_type=file.media_type)


class _EventStream(Response):
    """Lasts until the page leaves or the server ends."""

    media_type = EVENTS

    def __init__(self, feed: Feed, last: str, can_steer: bool) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._feed = feed
        self._last = last
        self._first = frame("scope", {"canSteer": can_steer})

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        with self._feed.listening(self._last) as listener:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_until_gone, receive, nursery.cancel_scope.cancel)
                await self._send_all(listener, send)

    async def _send_all(self, listener: Listener, send: Send) -> None:
        await send({"type": "http.response.body", "body": self._first, "more_body": True})
        while True:
            data = await listener.next()
            await send({"type": "http.response.body", "body": data, "more_body": True})


async def _until_gone(receive: Receive, leave: Callable[[], None]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    leave()

"""The page's server: it is started by the first who opens it and runs until the program ends."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import trio

from tools.codebase.contract import OPEN_CODEBASE_MANAGER_SCHEMA
from tools.codebase.ingestions import Ingestions
from tools.codebase.manager.application import manager_application
from tools.codebase.manager.sessions import Sessions
from tools.codebase.memory import CodebaseMemory
from tools.codebase.models import OpenCodebaseManagerInput, OpenCodebaseManagerOutput, checked
from tools.dispatcher import Dispatcher
from tools.errors import ErrorCode, ToolError
from tools.publishing import acting
from tools.registry import ToolRegistry
from tools.serving.access import TokenFileError
from tools.serving.http import CannotListen, HttpNotAllowed, HttpSettings, application_server
from tools.tool import Answer, Deadline, Family, Tool

OPENED = "Manager UI opened in default browser"
NOT_OPENED = "Manager UI is running; no browser was opened here, open the URL in one"
ONCE = "; it opens the page once, within five minutes"
Failure = CannotListen | HttpNotAllowed | TokenFileError


def open_in_browser(url: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Show a URL in the default browser where there is a display; whether that was done. Blocks."""
    has_display = sys.platform == "darwin" or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if not has_display:
        return False
    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False


@dataclass
class ManagerPage:
    """`settings` is asked at the first opening, in a thread; its `tokens` open the page too. `serve` must be running.
    `tools` are those that the page's requests reach."""

    memory: CodebaseMemory
    ingestions: Ingestions
    settings: Callable[[], HttpSettings]
    tools: ToolRegistry
    browse: Callable[[str], bool] = open_in_browser
    _wanted: trio.Event = field(default_factory=trio.Event)
    _settled: trio.Event = field(default_factory=trio.Event)
    _url: str = ""
    _sessions: Sessions | None = None
    _failure: Failure | None = None

    async def serve(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Wait for a request to open the page, then serve it until cancelled. A failure is
        reported to the caller, and the next request makes a new attempt.
        """
        task_status.started()
        while True:
            await self._wanted.wait()
            try:
                await self._listen()
            except (CannotListen, HttpNotAllowed, TokenFileError) as error:
                self._failure = error
                self._wanted = trio.Event()
                self._settled.set()

    async def _listen(self) -> None:
        settings = await trio.to_thread.run_sync(self.settings)
        sessions = Sessions(settings.tokens, trio.current_time)
        dispatcher = Dispatcher(self.tools)
        application = manager_application(self.memory, self.ingestions, dispatcher, sessions, settings.host)
        async with application_server(application, settings, sessions.scopes_of) as url:
            self._url, self._sessions = url, sessions
            self._settled.set()
            await trio.sleep_forever()

    async def open(self) -> str:
        """The page's URL, with a ticket where tokens are asked for. Raises `CannotListen`, `HttpNotAllowed` and
        `TokenFileError`."""
        if self._sessions is None:
            if not self._wanted.is_set():
                self._failure, self._settled = None, trio.Event()
                self._wanted.set()
            await self._settled.wait()
        if self._sessions is None:
            raise self._failure or CannotListen("the manager's page could not be started")
        ticket = self._sessions.ticket()
        return f"{self._url}/#ticket={ticket}" if ticket else f"{self._url}/"

    async def call(self, _: OpenCodebaseManagerInput) -> Answer:
        """The tool `open_codebase_manager`."""
        try:
            url = await self.open()
        except (CannotListen, HttpNotAllowed, TokenFileError) as error:
            raise ToolError(ErrorCode.INTERNAL_ERROR, str(error), reason=error.code.removeprefix("E_")) from error
        opened = await trio.to_thread.run_sync(self.browse, url, abandon_on_cancel=True)
        message = OPENED if opened else NOT_OPENED + (ONCE if "#" in url else "")
        return Answer(checked(OpenCodebaseManagerOutput(url, message)))

    def tool(self) -> Tool[OpenCodebaseManagerInput]:
        return acting(
            OPEN_CODEBASE_MANAGER_SCHEMA["name"],
            OPEN_CODEBASE_MANAGER_SCHEMA["description"],
            (OpenCodebaseManagerInput, OPEN_CODEBASE_MANAGER_SCHEMA["outputSchema"]),
            self.call,
            family=Family.CODEBASE,
            title="Open the codebase manager",
            deadline=Deadline.SEARCH,
            input_schema=OPEN_CODEBASE_MANAGER_SCHEMA["inputSchema"],
        )

"""One server's codebase memory with its background tasks: ingestions and the manager's page."""

from __future__ import annotations

from collections.abc import Callable

import trio

from tools.codebase.ingesting import Ingest, ThreadIngest
from tools.codebase.ingestions import Ingestions
from tools.codebase.manager.manager import ManagerPage, open_in_browser
from tools.codebase.memory import CodebaseMemory
from tools.codebase.tools import MemoryTools
from tools.registry import ToolRegistry
from tools.roots import AllowedRoots
from tools.serving.http import HttpSettings


class CodebaseService:
    """Folders that clients index lie in `roots`; `manager_settings` says where the page listens and who may use it.
    Ingestions run in a thread unless `ingest` is given."""

    def __init__(
        self,
        memory: CodebaseMemory,
        roots: AllowedRoots,
        manager_settings: Callable[[], HttpSettings],
        browse: Callable[[str], bool] = open_in_browser,
        ingest: Ingest | None = None,
    ) -> None:
        self.memory = memory
        self.ingestions = Ingestions(ingest or ThreadIngest(memory))
        self.memory_tools = MemoryTools(memory, self.ingestions, roots).published()
        tools = ToolRegistry(self.memory_tools)
        self.page = ManagerPage(memory, self.ingestions, manager_settings, tools, browse)

    async def serve(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run until cancelled; the tools need it."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self.ingestions.serve)
            await nursery.start(self.page.serve)
            task_status.started()

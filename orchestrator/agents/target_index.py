"""The code of a campaign's target in the memory that agents search, so that they find the code next to a gap."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import structlog
import trio

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import ServerSettings
from simulator.project import Project
from tools.codebase.errors import CodebaseError
from tools.roots import PathRefused
from tools.tool import Family

MAX_FILES = 5_000
"""A folder with more is no project of contracts; the user may still index it."""
_logger = structlog.get_logger(__name__)


async def index_target(server: Server, project: Project) -> None:
    """Begin to index the target's folder, where the configuration wants it and clients may touch it; the campaign does
    not wait for the end. What does not work is logged and costs the campaign nothing."""
    settings = server.settings
    if not settings.index_target or Family.CODEBASE not in settings.groups:
        return
    try:
        root, name = await trio.to_thread.run_sync(partial(_named, settings, project.root))
        job = server.codebases.ingestions.begin(root, name, MAX_FILES)
        await job.ended.wait()
    except (CodebaseError, PathRefused) as error:
        _logger.info("the target's code is not indexed", reason=str(error))
        return
    if job.failure is not None:
        _logger.info("the target's code is not indexed", reason=str(job.failure))


def _named(settings: ServerSettings, folder: str) -> tuple[Path, str]:
    """The target's folder without links, and the name of its codebase. Raises `PathRefused` for one that clients may
    not touch."""
    root = settings.roots.resolve(str(Path(folder).resolve()))
    return root, settings.memory.name_for(root)

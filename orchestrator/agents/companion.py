"""Who goes along with a campaign. The campaign knows no more of it than this."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from actors.process_runner import ProcessRunner
from orchestrator.assembly.wiring import Actors
from orchestrator.configuration.request import CampaignRequest
from simulator.project import Project


class Companion(Protocol):
    """Two blocks that the campaign runs in, and the numbers of calls at which it is to hold still for its companion."""

    @property
    def stops(self) -> tuple[int, ...]: ...

    @property
    def runner(self) -> ProcessRunner | None:
        """Where the campaign's compilers run, so that the companion can show them; None leaves them to themselves."""

    def beside(self) -> AbstractAsyncContextManager[None]:
        """Open during the whole run, from before the compilation to after the reports."""

    def along(self, request: CampaignRequest, project: Project, actors: Actors) -> AbstractAsyncContextManager[None]:
        """Open while these actors run."""


class Nobody:
    """The companion of a campaign that only its person watches."""

    @property
    def stops(self) -> tuple[int, ...]:
        return ()

    @property
    def runner(self) -> ProcessRunner | None:
        return None

    @asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        yield

    @asynccontextmanager
    async def along(self, request: CampaignRequest, project: Project, actors: Actors) -> AsyncIterator[None]:
        yield

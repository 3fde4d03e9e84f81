"""Service around a running campaign, such as a server for agents, as far as the campaign knows it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from actors.processes.runner import ProcessRunner
from orchestrator.assembly.wiring import Actors
from orchestrator.configuration.request import CampaignRequest
from simulator.project import Project


class CampaignService(Protocol):
    """Two context managers that the campaign runs in, and the numbers of calls at which it pauses for the service."""

    @property
    def stops(self) -> tuple[int, ...]: ...

    @property
    def runner(self) -> ProcessRunner | None:
        """Process runner for the campaign's compilers, so that the service can show them; None runs them without a
        record.
        """

    def around_run(self) -> AbstractAsyncContextManager[None]:
        """Open during the whole run, from before the compilation to after the reports."""

    def around_actors(
        self, request: CampaignRequest, project: Project, actors: Actors
    ) -> AbstractAsyncContextManager[None]:
        """Open while these actors run."""


class NoService:
    """Serves nothing."""

    @property
    def stops(self) -> tuple[int, ...]:
        return ()

    @property
    def runner(self) -> ProcessRunner | None:
        return None

    @asynccontextmanager
    async def around_run(self) -> AsyncIterator[None]:
        yield

    @asynccontextmanager
    async def around_actors(self, request: CampaignRequest, project: Project, actors: Actors) -> AsyncIterator[None]:
        yield

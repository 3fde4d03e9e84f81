"""One campaign that a server runs on behalf of its clients, from its compilation to its reports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import structlog
import trio

from orchestrator.agents.campaign_service import AgentService, publish_change
from orchestrator.agents.facade_assembly import Server
from orchestrator.assembly.signals import Interruption
from orchestrator.campaign import CampaignOutcome, ProgramPorts, campaign_folders, play_campaign
from orchestrator.configuration.request import CampaignRequest
from orchestrator.failures import failure_of
from tools.campaign.access import CampaignAccess, CampaignPlace
from tools.campaign.resources import ALL, EVENTS, STATUS

PATIENCE = 8.0
"""Seconds for a campaign to end when its server does. It takes a fraction of one; on a busy machine it may take longer
than the two that clients wait before they end a server, and what is written by then counts."""
_logger = structlog.get_logger(__name__)


@dataclass(eq=False)
class HostedCampaign:
    """`is_trial` campaigns are deployed for one caller and fuzz nothing. `is_sharing` ones have the part of the
    server's workers that is `given` to them; others as many as they asked for."""

    place: CampaignPlace
    request: CampaignRequest
    is_trial: bool = False
    is_sharing: bool = False
    given: int = 0
    interruption: Interruption = field(default_factory=Interruption)
    ended: trio.Event = field(default_factory=trio.Event)
    life: trio.CancelScope = field(default_factory=trio.CancelScope)

    @property
    def busy(self) -> bool:
        """It is under way, from its compilation to its reports."""
        return not self.ended.is_set()

    @property
    def access(self) -> CampaignAccess:
        return CampaignAccess(place=self.place)

    async def play(self, server: Server, ports: ProgramPorts) -> None:
        """Run until it ends. Whatever goes wrong, clients are told and the server continues."""
        failure = ""
        self.place.give_up = self._give_up
        outcomes: list[CampaignOutcome] = []
        service = AgentService(server, self.place, is_trial=self.is_trial)
        request = replace(self.request, stays_open=True)
        try:
            with self.life, campaign_folders(request) as folder:
                await play_campaign(
                    request, replace(ports, service=service), self.interruption, folder, outcomes.append
                )
            if self.life.cancelled_caught and not outcomes:
                failure = "it was stopped before there was anything to report"
            if outcomes and not self.is_trial:
                server.comparisons.end(self.place, outcomes[-1].report)
            if outcomes and outcomes[-1].error is not None:
                raise outcomes[-1].error
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:  # the boundary of one campaign: the server continues, and clients are notified
            failure = failure_of(error).text.removeprefix("error: ") or type(error).__name__
            _logger.warning("the campaign could not be carried out", reason=failure)
        finally:
            self.access.settle(failure)
            self.ended.set()

    def _give_up(self) -> None:
        self.life.cancel(reason="a client has stopped it")

    async def publish_end(self, server: Server) -> None:
        """Subscribers read once more how it ended."""
        if not self.is_trial:
            for uri in (STATUS, EVENTS):
                await publish_change(server, self.place, uri)
            await server.subscriptions.publish(ALL)

    async def end(self) -> None:
        """Let it end soon, if it has not; what was found is on disk."""
        if not self.busy:
            return
        # While it compiles there is nothing to save.
        if self.place.parts is not None:
            with trio.move_on_after(PATIENCE, shield=True):
                if self.interruption.gently is not None:
                    await self.interruption.gently()
                await self.ended.wait()
        await self.cancel("the server is over")

    async def cancel(self, reason: str) -> None:
        """End it without saving anything."""
        self.life.cancel(reason=reason)
        with trio.move_on_after(PATIENCE, shield=True):
            await self.ended.wait()

"""Replays recorded commands into a campaign, each at the call where it took effect."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import trio

from actors.campaign.actor import Campaign
from actors.runtime.errors import MailboxClosed
from orchestrator.agents.campaign_service import AgentService
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import server_settings
from orchestrator.assembly.wiring import Actors
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.replay.errors import CommandLogError
from orchestrator.replay.recorded import RecordedCommand
from simulator.project import Project
from tools.deadlines import Deadlines
from tools.dispatcher import Dispatcher
from tools.errors import ToolError
from tools.tool import Family, Scope
from tools.validation import validated

PATIENCE_MILLISECONDS = 60_000
MAX_SHOWN_LENGTH = 200


@dataclass
class ReplayTally:
    """Numbers of commands applied, refused by this campaign, and skipped; `late` are those whose call had passed or
    never came; `moved` those whose call the record gives as before that of an earlier command."""

    applied: int = 0
    refused: int = 0
    skipped: int = 0
    late: int = 0
    moved: int = 0


class ReplayService(AgentService):
    """`commands` in their order; `tell` gets a line for each of them. The campaign's own log records them anew."""

    def __init__(
        self, log: Path, commands: Sequence[RecordedCommand], configuration: Configuration, tell: Callable[[str], None]
    ) -> None:
        settings = server_settings(configuration)
        patient = Deadlines(campaign=PATIENCE_MILLISECONDS, analysis=PATIENCE_MILLISECONDS)
        groups = settings.groups | {Family.CAMPAIGN}
        super().__init__(Server(replace(settings, deadlines=patient, groups=groups)))
        self._log = log
        self._commands = tuple(commands)
        self._tell = tell
        self._dispatcher: Dispatcher | None = None
        self.tally = ReplayTally()

    @property
    def stops(self) -> tuple[int, ...]:
        """Numbers of calls at which the campaign halts."""
        return tuple(command.calls for command in self._commands if not command.skipped)

    @asynccontextmanager
    async def around_run(self) -> AsyncIterator[None]:
        async with self._server.open(None) as facade:
            self._dispatcher = facade.dispatcher
            self._check()
            yield

    def _check(self) -> None:
        """Every command that is to be applied names a tool that controls, with arguments that it takes. Raises
        `CommandLogError`."""
        assert self._dispatcher is not None, "the server is open"
        for command in self._commands:
            if command.skipped:
                continue
            place = f"{self._log}:{command.line}"
            tool = self._dispatcher.registry.get_tool(command.tool)
            if tool is None or tool.scope is not Scope.CONTROL or tool.family is not Family.CAMPAIGN:
                raise CommandLogError(f"{place}: {command.tool[:MAX_SHOWN_LENGTH]!r} is no command to a campaign")
            try:
                validated(tool.arguments, command.args)
            except ToolError as error:
                raise CommandLogError(f"{place}: {command.tool}: {error.message}") from error

    @asynccontextmanager
    async def around_actors(self, request: CampaignRequest, project: Project, actors: Actors) -> AsyncIterator[None]:
        async with super().around_actors(request, project, actors), trio.open_nursery() as nursery:
            nursery.start_soon(self._play, actors.campaign)
            yield
            nursery.cancel_scope.cancel(reason="the campaign is over")
        self._report_rest()

    async def _play(self, campaign: Campaign) -> None:
        for calls in sorted(set(self.stops)):
            await campaign.stops.reached()
            for command in self._until(calls):
                await self._apply(command, campaign.status().calls)
            with suppress(MailboxClosed):
                await campaign.proceed()

    def _until(self, calls: int) -> list[RecordedCommand]:
        """Commands due at a stop: all up to the last command that belongs there, so that the order stays."""
        due = max(index for index, one in enumerate(self._commands) if one.calls == calls and not one.skipped)
        taken, self._commands = self._commands[: due + 1], self._commands[due + 1 :]
        return list(taken)

    async def _apply(self, command: RecordedCommand, calls: int) -> None:
        assert self._dispatcher is not None, "the server is open"
        if command.skipped:
            self._skip(command)
            return
        rendered = await self._dispatcher.call(command.tool, command.args)
        if rendered.is_error:
            self.tally.refused += 1
            self._tell(f"line {command.line}: {command.tool} was refused: {rendered.text[:MAX_SHOWN_LENGTH]}")
            return
        self.tally.applied += 1
        self.tally.late += calls != command.calls
        self.tally.moved += command.is_moved
        arguments = json.dumps(command.args, ensure_ascii=False)[:MAX_SHOWN_LENGTH]
        self._tell(f"line {command.line}: {command.tool} {arguments} at {calls:,} calls")

    def _skip(self, command: RecordedCommand) -> None:
        self.tally.skipped += 1
        self._tell(f"line {command.line}: {command.tool} is left out: {command.skipped}")

    def _report_rest(self) -> None:
        for command in self._commands:
            if command.skipped:
                self._skip(command)
            else:
                self.tally.late += 1
                reason = f"the campaign ended before {command.calls:,} calls"
                self._tell(f"line {command.line}: {command.tool} is left out: {reason}")
        tally = self.tally
        self._tell(
            f"{tally.applied} commands applied, {tally.refused} refused, {tally.skipped} left out"
            + (f"; {tally.late} not at the call of the record" if tally.late else "")
            + (f"; {tally.moved} whose calls go backwards in the record, applied in its order" if tally.moved else "")
        )

"""Campaigns that a server runs on behalf of its clients, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog
import trio

from actors.runtime.errors import CampaignEnding, MailboxClosed
from actors.steering.commands import Stop
from orchestrator.agents.campaign_service import AgentService
from orchestrator.agents.client_policy import client_policy, confined
from orchestrator.agents.dry_start import checked_target, deployed, replayed
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.start_settings import settings_layer
from orchestrator.assembly.signals import Interruption
from orchestrator.campaign import CampaignOutcome, ProgramPorts, campaign_folders, play_campaign
from orchestrator.configuration.decide import DecisionInputs, make_request
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.layers import Layer, file_layer, flag_layer
from orchestrator.configuration.request import CampaignRequest
from orchestrator.configuration.resolve import resolve
from orchestrator.failures import failure_of
from simulator.errors import SimulatorError
from tools.campaign.access import CampaignComponents
from tools.campaign.extensions.comparison import CompareInput, ComparisonResult
from tools.campaign.extensions.dry_start import CheckedTarget
from tools.campaign.extensions.lifecycle import StartCampaignInput, TargetInput
from tools.campaign.resources import EVENTS, STATUS
from tools.errors import ErrorCode, ToolError
from tools.roots import AllowedRoots, PathRefused

PATIENCE = 8.0
"""Seconds for a campaign to end when its server does. It takes a fraction of one; on a busy machine it may take longer
than the two that clients wait before they end a server, and what is written by then counts."""
ANSWER_SECONDS = 1.0
_KEYS = {
    "contract": "contract",
    "test_mode": "testMode",
    "call_limit": "testLimit",
    "time_limit": "timeout",
    "workers": "workers",
    "seed": "seed",
    "corpus_dir": "corpusDir",
}
_logger = structlog.get_logger(__name__)


class CampaignHost:
    """`layers` are those of the command line, below what clients ask for. Campaigns run in `nursery`."""

    def __init__(self, server: Server, layers: Sequence[Layer], ports: ProgramPorts, nursery: trio.Nursery) -> None:
        self._server = server
        self._layers = tuple(layers)
        self._base = resolve(layers).configuration
        self._policy = client_policy(server.settings, self._base)
        self._ports = replace(ports, service=AgentService(server))
        self._nursery = nursery
        self._interruption: Interruption | None = None
        self._request_before: CampaignRequest | None = None
        self._ended = trio.Event()
        self._life = trio.CancelScope()

    @property
    def busy(self) -> bool:
        """A campaign is under way, from its compilation to its reports."""
        return self._interruption is not None

    async def start(self, inputs: StartCampaignInput) -> str:
        """For `start_campaign`. Raises `ToolError`."""
        if self.busy:
            raise _refusal(self._server.access.parts)
        request = replace(await trio.to_thread.run_sync(self._request, inputs), paused=inputs.paused)
        if self.busy:
            raise _refusal(self._server.access.parts)
        self.begin(request)
        limits = [f"{request.call_limit} calls"] if request.call_limit is not None else []
        limits += [f"{request.time_limit:g} s"] if request.time_limit is not None else []
        names = ", ".join(path.name or str(path) for path in request.paths)
        if inputs.paused:
            return f"Compiling {names}; then deploying and pausing until resume_campaign"
        return f"Compiling {names}; then fuzzing with {request.workers} workers for {' or '.join(limits)}"

    async def check(self, inputs: TargetInput) -> CheckedTarget:
        """For `check_target`: deploys, keeps nothing, and ends. Raises `ToolError`."""
        if self.busy:
            raise _refusal(self._server.access.parts)
        request = await trio.to_thread.run_sync(self._request, inputs)
        if self.busy:
            raise _refusal(self._server.access.parts)
        before, access = self._request_before, self._server.access
        parts, failure, reports = access.parts, access.failure, self._server.comparisons.reports
        dry = replace(
            request,
            paused=True,
            resume=False,
            workers=1,
            corpus_directory=None,
            coverage_directory=None,
            reports=(),
        )
        self.begin(dry)
        try:
            return checked_target(await deployed(access, self._ended), request)
        finally:
            self._life.cancel(reason="nothing is fuzzed")
            with trio.move_on_after(PATIENCE, shield=True):
                await self._ended.wait()
                # What was fuzzed before can be asked again.
                if parts is not None:
                    access.follow(parts)
                else:
                    access.forget(failure)
            self._request_before, self._server.comparisons.reports = before, reports

    async def restart(self, seconds: float) -> tuple[str, ComparisonResult | None]:
        """For `restart_campaign`: the same once more, compiled anew; waits for the end of the one that runs. Raises
        `ToolError`."""
        request = self._request_before
        if request is None:
            message = "There was no campaign; begin one with start_campaign"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NO_CAMPAIGN")
        is_paused = False
        if self.busy:
            parts = self._server.access.parts
            if parts is None:
                message = "The campaign is compiling; ask again soon"
                raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="CAMPAIGN_STARTING")
            ended, is_paused = self._ended, parts.campaign.status().paused
            with suppress(CampaignEnding, MailboxClosed):
                await parts.campaign.ask(Stop(), math.inf)
            await ended.wait()
        if self.busy:
            raise _refusal(self._server.access.parts)
        self.begin(replace(request, resume=False, paused=is_paused))
        names = ", ".join(path.name or str(path) for path in request.paths)
        folder = request.corpus_directory
        corpus = f"the corpus in {folder}" if folder is not None else "an empty corpus, as there is no corpusDir"
        then = "pausing until resume_campaign, as before," if is_paused else "fuzzing"
        message = f"Compiling {names} anew; then {then} with {corpus}"
        comparison: ComparisonResult | None = None
        # The answer comes before the deadline of the tool.
        latest = trio.current_effective_deadline() - ANSWER_SECONDS
        with trio.move_on_at(min(latest, trio.current_time() + (0 if is_paused else seconds))):
            await replayed(self._server.access, self._ended)
            with suppress(ToolError):
                comparison = await self._server.comparisons.compare(CompareInput())
        return message, comparison

    def begin(self, request: CampaignRequest) -> None:
        """Run a campaign until its clients stop it; returns at once."""
        self._request_before = request
        self._interruption, self._ended, self._life = Interruption(), trio.Event(), trio.CancelScope()
        self._server.access.prepare("compiling")
        self._nursery.start_soon(self._play, replace(request, stays_open=True), self._interruption)

    async def end(self) -> None:
        """Let the campaign, if there is one, end soon; what was found is on disk."""
        if self._interruption is None:
            return
        # While it compiles there is nothing to save.
        if self._server.access.parts is not None:
            with trio.move_on_after(PATIENCE, shield=True):
                if self._interruption.gently is not None:
                    await self._interruption.gently()
                await self._ended.wait()
        self._life.cancel(reason="the server is over")
        with trio.move_on_after(PATIENCE, shield=True):
            await self._ended.wait()

    async def _play(self, request: CampaignRequest, interruption: Interruption) -> None:
        failure = ""
        outcomes: list[CampaignOutcome] = []
        try:
            with self._life, campaign_folders(request) as folder:
                await play_campaign(request, self._ports, interruption, folder, outcomes.append)
            if outcomes:
                self._server.comparisons.end(outcomes[-1].report)
            if outcomes and outcomes[-1].error is not None:
                raise outcomes[-1].error
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:  # the boundary of one campaign: the server continues, and clients are notified
            failure = failure_of(error).text.removeprefix("error: ") or type(error).__name__
            _logger.warning("the campaign could not be carried out", reason=failure)
        finally:
            self._server.access.settle(failure)
            self._nursery.start_soon(self._publish_end)
            self._interruption = None
            self._ended.set()

    async def _publish_end(self) -> None:
        """Subscribers read once more how it ended."""
        for uri in (STATUS, EVENTS):
            await self._server.subscriptions.publish(uri)

    def _request(self, inputs: TargetInput) -> CampaignRequest:
        roots = self._server.settings.roots
        try:
            paths = tuple(_existing(roots, "paths", text) for text in inputs.paths)
            own = (settings_layer(inputs.settings), flag_layer(_flags(inputs, roots)))
            layers = [*self._file(inputs, roots), *self._layers, *own]
            configuration = confined(resolve(layers), self._base, self._policy, roots.base)
            quiet = DecisionInputs(1, 0, stdout_is_terminal=False, stderr_is_terminal=False, color=False)
            observed = DecisionInputs.observe()
            surroundings = replace(quiet, cores=observed.cores, random_seed=observed.random_seed)
            request = make_request(paths, configuration, surroundings, policy=self._policy)
            return replace(request, format="none", display="none")
        except ConfigurationError as error:
            raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason="CONFIGURATION") from error
        except SimulatorError as error:
            raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason=error.code) from error

    def _file(self, inputs: TargetInput, roots: AllowedRoots) -> list[Layer]:
        return [file_layer(_existing(roots, "config", inputs.config))] if inputs.config is not None else []


def _refusal(parts: CampaignComponents | None) -> ToolError:
    if parts is not None and parts.is_over:
        message = "The campaign before is writing its reports; try again in a moment"
        return ToolError(ErrorCode.INVALID_INPUT, message, reason="CAMPAIGN_ENDING")
    ended = parts.campaign.status().ended if parts is not None else ""
    is_what = f"is idle ({ended})" if ended else "is running already"
    message = f"A campaign {is_what}; stop_campaign ends it"
    return ToolError(ErrorCode.INVALID_INPUT, message, reason="CAMPAIGN_RUNNING")


def _existing(roots: AllowedRoots, key: str, text: str) -> Path:
    path = _inside(roots, key, text)
    if not path.exists():
        raise ConfigurationError(f"{key}: {text}: there is no such file or folder")
    return path


def _inside(roots: AllowedRoots, key: str, text: str) -> Path:
    try:
        return roots.resolve(text)
    except PathRefused as error:
        raise ConfigurationError(f"{key}: {error}") from error


def _flags(inputs: TargetInput, roots: AllowedRoots) -> dict[str, tuple[str, Any]]:
    """Arguments as a layer; messages use their names."""
    values = {key: (name, getattr(inputs, name)) for name, key in _KEYS.items()}
    if inputs.corpus_dir is not None:
        values["corpusDir"] = ("corpus_dir", str(_inside(roots, "corpus_dir", inputs.corpus_dir)))
    return values

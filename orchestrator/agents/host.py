"""Campaigns that a server runs on behalf of its clients."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import trio

from actors.runtime.errors import CampaignEnding, MailboxClosed
from actors.steering.commands import Stop
from orchestrator.agents.client_policy import client_policy, confined
from orchestrator.agents.containment import contained
from orchestrator.agents.dry_start import checked_target, deployed, replayed
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.hosted import HostedCampaign
from orchestrator.agents.start_settings import settings_layer
from orchestrator.agents.worker_share import WorkerShare
from orchestrator.campaign import ProgramPorts
from orchestrator.configuration.decide import DecisionInputs, available_cores, default_workers, make_request
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.layers import Layer, file_layer, flag_layer
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.configuration.resolve import resolve
from orchestrator.configuration.types import ALL_CORES
from simulator.errors import SimulatorError
from tools.campaign.access import CampaignPlace
from tools.campaign.extensions.campaigns import Capacity
from tools.campaign.extensions.comparison import CompareInput, ComparisonResult
from tools.campaign.extensions.dry_start import CheckedTarget
from tools.campaign.extensions.lifecycle import RestartedResult, StartCampaignInput, StartedResult, TargetInput
from tools.campaign.several import target_name
from tools.command_entry import note_campaign
from tools.errors import ErrorCode, ToolError
from tools.roots import AllowedRoots, PathRefused

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


class CampaignHost:
    """`layers` are those of the command line, below what clients ask for. Campaigns run in `nursery`."""

    def __init__(self, server: Server, layers: Sequence[Layer], ports: ProgramPorts, nursery: trio.Nursery) -> None:
        self._server = server
        self._layers = tuple(layers)
        self._base = resolve(layers).configuration
        self._policy = client_policy(server.settings, self._base)
        self._ports = ports
        self._nursery = nursery
        self._hosted: dict[CampaignPlace, HostedCampaign] = {}
        self._trials: set[HostedCampaign] = set()
        self._coming = 0
        self._share = WorkerShare(_budget(self._base), lambda: self._under_way)
        server.capacity = Capacity(self._base.max_campaigns, self._share.budget)
        nursery.start_soon(contained, "workers are no longer shared", self._share.keep)

    @property
    def _under_way(self) -> list[HostedCampaign]:
        return [each for each in (*self._hosted.values(), *self._trials) if each.busy]

    @property
    def busy(self) -> bool:
        """A campaign is under way, from its compilation to its reports."""
        return bool(self._under_way)

    async def start(self, inputs: StartCampaignInput) -> StartedResult:
        """For `start_campaign`. Raises `ToolError`."""
        with self._room():
            request = replace(await trio.to_thread.run_sync(self._request, inputs), paused=inputs.paused)
            self._check_folders(request)
            is_sharing = self._is_sharing(request, inputs)
            if is_sharing:
                request = replace(request, workers=self._share.of_one_more())
            else:
                self._share.check_room(request.workers)
            others = [each.place.id for each in self._under_way if not each.is_trial]
            place = self.begin(request, is_sharing=is_sharing)
        note_campaign(place.id)
        limits = [f"{request.call_limit} calls"] if request.call_limit is not None else []
        limits += [f"{request.time_limit:g} s"] if request.time_limit is not None else []
        names = _names(request)
        then = f"fuzzing with {request.workers} workers for {' or '.join(limits)}"
        if inputs.paused:
            then = "deploying and pausing until resume_campaign"
        beside = f"; beside {', '.join(others)}" if others else ""
        return StartedResult(True, f"Compiling {names}; then {then}{beside}", place.id)

    async def check(self, inputs: TargetInput) -> CheckedTarget:
        """For `check_target`: deploys, keeps nothing, and ends. Raises `ToolError`."""
        with self._room():
            request = await trio.to_thread.run_sync(self._request, inputs)
            dry = replace(
                request,
                paused=True,
                resume=False,
                workers=1,
                corpus_directory=None,
                coverage_directory=None,
                reports=(),
            )
            trial = HostedCampaign(CampaignPlace(title=_names(request)), dry, is_trial=True)
            self._trials.add(trial)
            self._play(trial)
        try:
            return checked_target(await deployed(trial.access, trial.ended), request)
        finally:
            await trial.cancel("nothing is fuzzed")
            self._trials.discard(trial)

    async def restart(self, seconds: float) -> RestartedResult:
        """For `restart_campaign`: the same once more, compiled anew; waits for the end of the one that runs. Raises
        `ToolError`."""
        hosted = self._hosted.get(self._server.campaigns.meant)
        if hosted is None:
            message = "There was no campaign; begin one with start_campaign"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NO_CAMPAIGN")
        is_paused = False
        if hosted.busy:
            parts = hosted.place.parts
            if parts is None:
                message = "The campaign is compiling; ask again soon"
                raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="CAMPAIGN_STARTING")
            is_paused = parts.campaign.status().paused
            with suppress(CampaignEnding, MailboxClosed):
                await parts.campaign.ask(Stop(), math.inf)
            await hosted.ended.wait()
        place = hosted.place
        if place not in self._server.campaigns.known or self._hosted[place].busy:
            message = "Another client has restarted the campaign meanwhile, or begun others; list_campaigns lists them"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="CAMPAIGN_RUNNING")
        with self._room():
            request = replace(hosted.request, resume=False, paused=is_paused)
            self._check_folders(request)
            again = self._begin_at(place, request, is_sharing=hosted.is_sharing)
        folder = request.corpus_directory
        corpus = f"the corpus in {folder}" if folder is not None else "an empty corpus, as there is no corpusDir"
        then = "pausing until resume_campaign, as before," if is_paused else "fuzzing"
        message = f"Compiling {_names(request)} anew; then {then} with {corpus}"
        comparison: ComparisonResult | None = None
        # The answer comes before the deadline of the tool.
        latest = trio.current_effective_deadline() - ANSWER_SECONDS
        with trio.move_on_at(min(latest, trio.current_time() + (0 if is_paused else seconds))):
            await replayed(again.access, again.ended)
            with suppress(ToolError):
                comparison = await self._server.comparisons.compare(CompareInput())
        return RestartedResult(True, message, comparison, place.id)

    def begin(self, request: CampaignRequest, *, is_sharing: bool = False) -> CampaignPlace:
        """Run a campaign until its clients stop it; returns its place at once."""
        place = self._server.campaigns.begin(_names(request))
        known = self._server.campaigns.known
        self._hosted = {each: hosted for each, hosted in self._hosted.items() if each in known or hosted.busy}
        self._begin_at(place, request, is_sharing=is_sharing)
        return place

    def _begin_at(self, place: CampaignPlace, request: CampaignRequest, *, is_sharing: bool) -> HostedCampaign:
        # A cluster has workers of its own.
        is_sharing = is_sharing and request.configuration.executor == "local"
        hosted = HostedCampaign(place, request, is_sharing=is_sharing, given=request.workers)
        self._hosted[place] = hosted
        self._play(hosted)
        return hosted

    def _play(self, hosted: HostedCampaign) -> None:
        hosted.access.prepare("compiling")
        self._nursery.start_soon(self._played, hosted)

    async def _played(self, hosted: HostedCampaign) -> None:
        await hosted.play(self._server, self._ports)
        await hosted.publish_end(self._server)

    async def end(self) -> None:
        """Let all campaigns end soon; what was found is on disk."""
        async with trio.open_nursery() as nursery:
            for each in self._under_way:
                nursery.start_soon(each.end)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Room for one more campaign while it is prepared. Raises `ToolError` where there is none."""
        under_way, most = self._under_way, self._base.max_campaigns
        if len(under_way) + self._coming >= most:
            raise _refusal(under_way, most)
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    def _check_folders(self, request: CampaignRequest) -> None:
        """Two campaigns cannot share a folder. Raises `ToolError`."""
        for each in self._under_way:
            taken = _folders(each.request) & _folders(request)
            if taken:
                where = ", ".join(sorted(map(str, taken)))
                message = f"campaign {each.place.id} keeps its corpus or reports in {where}; {_remedy(each)}"
                raise ToolError(ErrorCode.INVALID_INPUT, message, reason="FOLDER_TAKEN")

    def _is_sharing(self, request: CampaignRequest, inputs: TargetInput) -> bool:
        """Nobody asked for a number of workers but the command line, which says how many the server has."""
        configuration = request.configuration
        is_asked = inputs.workers is not None or configuration.workers != self._base.workers
        return not is_asked and configuration.executor == "local"

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


def _remedy(campaign: HostedCampaign) -> str:
    if campaign.place.is_open:
        return "name another corpusDir"
    return "it has ended and still writes its reports: try again soon, or name another corpusDir"


def _refusal(under_way: Sequence[HostedCampaign], most: int) -> ToolError:
    if most > 1:
        names = ", ".join(f"{each.place.id} ({target_name(each.place)})" for each in under_way if not each.is_trial)
        message = f"{most} campaigns run or begin, which is the most (maxCampaigns); stop_campaign ends one of {names}"
        return ToolError(ErrorCode.INVALID_INPUT, message, reason="TOO_MANY_CAMPAIGNS")
    parts = under_way[0].place.parts if under_way else None
    if parts is not None and parts.is_over:
        message = "The campaign before is writing its reports; try again in a moment"
        return ToolError(ErrorCode.INVALID_INPUT, message, reason="CAMPAIGN_ENDING")
    ended = parts.campaign.status().ended if parts is not None else ""
    is_what = f"is idle ({ended})" if ended else "is running already"
    message = f"A campaign {is_what}; stop_campaign ends it"
    return ToolError(ErrorCode.INVALID_INPUT, message, reason="CAMPAIGN_RUNNING")


def _names(request: CampaignRequest) -> str:
    return ", ".join(path.name or str(path) for path in request.paths)


def _folders(request: CampaignRequest) -> set[Path]:
    """Where a campaign writes, without links."""
    return {folder.resolve() for folder in (request.corpus_directory, request.coverage_directory) if folder is not None}


def _budget(configuration: Configuration) -> int:
    """Workers of the whole server."""
    cores = available_cores()
    if configuration.workers is None:
        return default_workers(cores)
    return cores if configuration.workers == ALL_CORES else configuration.workers


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

"""Campaigns that a server runs on behalf of its clients, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog
import trio

from orchestrator.agents.company import AgentCompanion
from orchestrator.agents.facade_assembly import Server
from orchestrator.assembly.signals import Interruption
from orchestrator.campaign import CampaignPorts, campaign_folders, play_campaign
from orchestrator.command_line.failures import failure_of
from orchestrator.configuration.decide import Surroundings, make_request
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.layers import Layer, file_layer, flag_layer
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.configuration.resolve import resolve
from tools.campaign.access import CampaignParts
from tools.campaign.life_tools import StartCampaignInput
from tools.errors import ErrorCode, ToolError
from tools.roots import AllowedRoots, PathRefused

PATIENCE = 1.2
"""Seconds for a campaign to end when its server does: clients kill a server that is still there after two."""
# What would let a client run programs, or write elsewhere, is decided on the command line alone.
_RESERVED = ("allowFFI", "solcPath", "mcpRoots", "codebaseMemory")
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

    def __init__(self, server: Server, layers: Sequence[Layer], ports: CampaignPorts, nursery: trio.Nursery) -> None:
        self._server = server
        self._layers = tuple(layers)
        self._base = resolve(layers).configuration
        self._ports = replace(ports, companion=AgentCompanion(server))
        self._nursery = nursery
        self._interruption: Interruption | None = None
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
        request = await trio.to_thread.run_sync(self._request, inputs)
        self.begin(request)
        limits = [f"{request.call_limit} calls"] if request.call_limit is not None else []
        limits += [f"{request.time_limit:g} s"] if request.time_limit is not None else []
        names = ", ".join(path.name or str(path) for path in request.paths)
        return f"Compiling {names}; then fuzzing with {request.workers} workers for {' or '.join(limits)}"

    def begin(self, request: CampaignRequest) -> None:
        """Run a campaign; returns at once."""
        self._interruption, self._ended, self._life = Interruption(), trio.Event(), trio.CancelScope()
        self._server.access.prepare("compiling")
        self._nursery.start_soon(self._play, request, self._interruption)

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
        try:
            with self._life, campaign_folders(request) as folder:
                await play_campaign(request, self._ports, interruption, folder)
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:  # the boundary of one campaign: the server goes on, and clients are told
            failure = failure_of(error).text.removeprefix("error: ") or type(error).__name__
            _logger.warning("the campaign could not be carried out", reason=failure)
        finally:
            self._server.access.settle(failure)
            self._interruption = None
            self._ended.set()

    def _request(self, inputs: StartCampaignInput) -> CampaignRequest:
        roots = self._server.settings.roots
        try:
            paths = tuple(_existing(roots, text) for text in inputs.paths)
            layers = [*self._file(inputs, roots), *self._layers, flag_layer(_flags(inputs, roots))]
            configuration = resolve(layers).configuration
            self._check(configuration, roots)
            quiet = Surroundings(1, 0, stdout_is_terminal=False, stderr_is_terminal=False, color=False)
            observed = Surroundings.observe()
            surroundings = replace(quiet, cores=observed.cores, random_seed=observed.random_seed)
            return replace(make_request(paths, configuration, surroundings), format="none", display="none")
        except (ConfigurationError, PathRefused) as error:
            raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason="CONFIGURATION") from error

    def _file(self, inputs: StartCampaignInput, roots: AllowedRoots) -> list[Layer]:
        return [file_layer(_existing(roots, inputs.config))] if inputs.config is not None else []

    def _check(self, configuration: Configuration, roots: AllowedRoots) -> None:
        for name, info in Configuration.model_fields.items():
            if info.alias in _RESERVED and getattr(configuration, name) != getattr(self._base, name):
                raise ConfigurationError(f"{info.alias}: only the command line of the server may set this")
        for folder in (configuration.corpus_directory, configuration.coverage_directory):
            if folder:
                roots.resolve(folder)


def _refusal(parts: CampaignParts | None) -> ToolError:
    if parts is not None and parts.is_over:
        message = "The campaign before is writing its reports; try again in a moment"
        return ToolError(ErrorCode.INVALID_INPUT, message, reason="CAMPAIGN_ENDING")
    message = "A campaign is running already; stop_campaign ends it"
    return ToolError(ErrorCode.INVALID_INPUT, message, reason="CAMPAIGN_RUNNING")


def _existing(roots: AllowedRoots, text: str) -> Path:
    path = roots.resolve(text)
    if not path.exists():
        raise ConfigurationError(f"{text}: there is no such file or folder")
    return path


def _flags(inputs: StartCampaignInput, roots: AllowedRoots) -> dict[str, tuple[str, Any]]:
    """Arguments as a layer; their names stand in messages."""
    values = {key: (name, getattr(inputs, name)) for name, key in _KEYS.items()}
    if inputs.corpus_dir is not None:
        values["corpusDir"] = ("corpus_dir", str(roots.resolve(inputs.corpus_dir)))
    return values

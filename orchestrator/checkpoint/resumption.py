"""The decision of `--resume`: continue from a checkpoint, or start with the corpus alone and give the reason."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from actors.campaign.state import CampaignState
from orchestrator.checkpoint.errors import CheckpointError
from orchestrator.checkpoint.file import Checkpoint, checkpoint_of, read_checkpoint
from orchestrator.checkpoint.identity import changed, code_digests, setting_digests
from orchestrator.configuration.request import CampaignRequest
from simulator.project import Project
from simulator.settings import CampaignSettings


@dataclass(frozen=True)
class Resumption:
    """`campaign` is the id of this campaign. `checkpoint` is None for one that begins; `ignored` then says why it was
    not resumed, where it was to be."""

    campaign: str
    checkpoint: Checkpoint | None = None
    ignored: str = ""

    @property
    def state(self) -> CampaignState | None:
        """State to resume from."""
        return self.checkpoint.state if self.checkpoint is not None else None

    def apply(self, request: CampaignRequest) -> CampaignRequest:
        """The request, with unspecified seed, workers and limits taken from the resumed campaign."""
        if self.checkpoint is None:
            return request
        configuration, state = request.configuration, self.checkpoint.state
        if configuration.seed is None:
            request = replace(request, seed=self.checkpoint.seed)
        if configuration.workers is None:
            request = replace(request, workers=state.workers)
        given = (configuration.test_limit, configuration.timeout, configuration.coverage_timeout)
        if all(limit is None for limit in given):
            limits = state.limits
            configuration = configuration.model_copy(update={"coverage_timeout": limits.coverage_limit})
            request = replace(
                request, call_limit=limits.call_limit, time_limit=limits.time_limit, configuration=configuration
            )
        return request

    def used_up(self, request: CampaignRequest) -> str:
        """A sentence for users when the campaign has nothing left of its limits, empty otherwise."""
        state = self.state
        if state is not None and request.call_limit is not None and state.calls >= request.call_limit:
            return (
                f"The limit of {request.call_limit:,} calls counts those made before, {state.calls:,}: nothing is left"
                " to fuzz, and the corpus is only replayed. Give a higher --test-limit"
            )
        if state is not None and request.time_limit is not None and state.seconds >= request.time_limit:
            return (
                f"The limit of {request.time_limit:,.0f} s counts the time used before, {state.seconds:,.0f} s: nothing"
                " is left to fuzz, and the corpus is only replayed. Give a higher --timeout"
            )
        return ""


def take_up(request: CampaignRequest, project: Project, settings: CampaignSettings) -> Resumption:
    """Decide; blocks on the disk. Raises nothing: whatever is wrong with a checkpoint costs the checkpoint."""
    fresh = Resumption(secrets.token_hex(16))
    if not request.resume or request.corpus_directory is None:
        return fresh
    path = checkpoint_of(request.corpus_directory)
    try:
        checkpoint = read_checkpoint(path)
    except CheckpointError as error:
        return replace(fresh, ignored=str(error))
    if checkpoint is None:
        return replace(fresh, ignored=f"there is no {path}")
    if problem := _mismatch(checkpoint, project, settings):
        return replace(fresh, ignored=f"{path}: {problem}")
    return Resumption(checkpoint.campaign, checkpoint)


def _mismatch(checkpoint: Checkpoint, project: Project, settings: CampaignSettings) -> str:
    if checkpoint.target != settings.contract:
        return f"it is of {checkpoint.target}, and {settings.contract} is to be fuzzed"
    if codes := changed(checkpoint.codes, code_digests(project, settings)):
        return f"the code has changed since: {', '.join(codes[:5])}"
    if names := changed(checkpoint.settings, setting_digests(settings)):
        return f"the configuration has changed since: {', '.join(names)}"
    return ""

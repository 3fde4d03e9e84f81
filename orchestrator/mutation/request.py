"""Request of a run of mutants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orchestrator.configuration.request import CampaignRequest

MutationFormat = Literal["text", "json", "html"]


@dataclass(frozen=True)
class MutationRequest:
    """`campaign` says what is deployed and where the corpus is. At most `mutants` are tried, chosen by the campaign's
    seed; each that survives the corpus is fuzzed for `calls_each` calls and at most `seconds_each`. `only` are the
    files, contracts or functions that are changed. `timeout` is for all of them, in seconds, from the first process
    on."""

    campaign: CampaignRequest
    mutants: int
    calls_each: int
    seconds_each: float
    timeout: float
    only: tuple[str, ...]
    resume: bool
    format: MutationFormat

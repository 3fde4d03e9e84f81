"""`list_steering`: everything that users have asked of the running campaign, with the shares that really result."""

from __future__ import annotations

import math
from typing import Any

from simulator.settings import PRIORITY_SHARE
from tools.campaign.access import CampaignAccess
from tools.campaign.extensions.clamps import ClampFigures, clamp_figures
from tools.campaign.inputs import NoInput
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.tool import Answer, Tool

MAX_CALLS_LENGTH = 1_000
MAX_AUTOMATIC = 50


class TemplateFigures(ToolResult, frozen=True):
    """`share` of all sequences was asked for, `effective_share` is built around it."""

    id: int
    calls: str
    share: float
    effective_share: float


class Shares(ToolResult, frozen=True):
    """Parts that add up to 1: sequences around templates, then calls of prioritized functions, then all other calls,
    which follow the weights."""

    templates: float
    prioritized: float
    others: float


class SteeringResult(ToolResult, frozen=True):
    """`weights` are those that users set, `automatic_weights` the 50 strongest of the fuzzer's own; function_statistics
    has all. `dictionary_words` and `injected_sequences` count what users have given."""

    shares: Shares
    templates: tuple[TemplateFigures, ...]
    prioritized: tuple[str, ...]
    excluded: tuple[str, ...]
    weights: dict[str, float]
    clamps: tuple[ClampFigures, ...]
    automatic_weights: dict[str, float]
    dictionary_words: int
    injected_sequences: int


class SteeringListTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "list_steering",
                "What steers the campaign now: templates with their real shares, prioritized and excluded functions,"
                " weights, clamps, dictionary words. Use it to see what is in force, and what to take back with"
                " remove_templates, clear_priorities or reset_functions.",
                (NoInput, SteeringResult),
                self.list_steering,
            ),
        )

    async def list_steering(self, inputs: NoInput) -> Answer:
        campaign = self._access.current.campaign
        functions, steering = campaign.priorities.statistics(), campaign.steering
        templates = steering.templates()
        figures = steering.statistics()
        around = sum(template.effective for template in templates)
        prioritized = PRIORITY_SHARE if campaign.priorities.is_focused else 0.0
        return answer_of(
            SteeringResult(
                shares=Shares(round(around, 4), prioritized, round(1 - around - prioritized, 4)),
                templates=tuple(
                    TemplateFigures(
                        each.id,
                        "; ".join(call.text for call in each.calls)[:MAX_CALLS_LENGTH],
                        each.share,
                        round(each.effective, 4),
                    )
                    for each in templates
                ),
                prioritized=functions.state.prioritized,
                excluded=functions.state.excluded,
                weights=dict(functions.state.weights),
                clamps=clamp_figures(steering.clamps),
                automatic_weights=_strongest(functions.shifted),
                dictionary_words=figures.words,
                injected_sequences=figures.injected,
            )
        )


def _strongest(weights: tuple[tuple[str, float], ...]) -> dict[str, float]:
    """Return those that change the share of their function most."""
    return dict(sorted(weights, key=lambda each: -abs(math.log(each[1])))[:MAX_AUTOMATIC])

"""`compare_campaigns`: what changed between the campaign and the one before it, or a saved report."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, model_validator

from tools.campaign.fields import Integer
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.errors import ErrorCode, ToolError
from tools.registry import MAX_CAMPAIGN_ID_LENGTH
from tools.roots import MAX_PATH_LENGTH
from tools.tool import Answer, Deadline, Tool, ToolInput

PathText = Annotated[str, Field(min_length=1, max_length=MAX_PATH_LENGTH)]


class CompareInput(ToolInput):
    before: PathText | None = Field(
        default=None, description="A report.json, or the corpusDir it is in; left out: the campaign before this one."
    )
    before_campaign: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_CAMPAIGN_ID_LENGTH,
        alias="beforeCampaign",
        description="Instead: the id of another campaign of this server, which may still run.",
    )
    limit: Integer = Field(default=20, ge=1, le=1_000, description="Most tests, findings and sources to list, each.")

    @model_validator(mode="after")
    def _one_is_before(self) -> CompareInput:
        if self.before is not None and self.before_campaign is not None:
            raise ValueError("before and beforeCampaign name the same side; give one of them")
        return self


class ComparedSide(ToolResult, frozen=True):
    """One of both campaigns; `hit` of its executable `lines` ran."""

    target: str
    mode: str
    calls: int
    seconds: float
    hit: int
    lines: int


class ChangedTest(ToolResult, frozen=True):
    """A test with another verdict; null where a campaign does not have it."""

    id: str
    before: str | None
    after: str | None


class ChangedFinding(ToolResult, frozen=True):
    """A finding that only one of both has."""

    test: str
    site: str
    reason: str


class ChangedSource(ToolResult, frozen=True):
    """Ranges of lines of one source: `won` ran only now, `lost` only before. An `edited` source has other lines, so
    that none are compared."""

    path: str
    state: Literal["same", "edited", "added", "removed"]
    won: str
    lost: str


class ComparisonResult(ToolResult, frozen=True):
    """`worse` when a test fails or is missing that did not and was not, or a finding is new. `left_out` entries are
    beyond the limit; `problems` say what could not be compared."""

    worse: bool
    before: ComparedSide
    after: ComparedSide
    tests: tuple[ChangedTest, ...]
    new_findings: tuple[ChangedFinding, ...]
    fixed_findings: tuple[ChangedFinding, ...]
    sources: tuple[ChangedSource, ...]
    won_lines: int
    lost_lines: int
    left_out: int
    problems: tuple[str, ...]


class Comparisons(Protocol):
    """Compares campaigns of this server."""

    async def compare(self, inputs: CompareInput) -> ComparisonResult:
        """Raises `ToolError`."""
        ...


class ComparisonTools:
    """`comparisons` None is a server without reports to compare."""

    def __init__(self, comparisons: Comparisons | None) -> None:
        self._comparisons = comparisons

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "compare_campaigns",
                "What changed since the campaign before this one, another one of this server, or a saved report:"
                " verdicts of tests, findings, lines won and lost. Use it after restart_campaign, and to see whether a"
                " change of the harness pays.",
                (CompareInput, ComparisonResult),
                self.compare,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def compare(self, inputs: CompareInput) -> Answer:
        if self._comparisons is None:
            message = "This server keeps no campaigns to compare"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_AVAILABLE")
        return answer_of(await self._comparisons.compare(inputs))

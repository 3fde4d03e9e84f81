"""Differences of two campaigns, in the form of its JSON document (schema 1)."""

from __future__ import annotations

from typing import Literal

from orchestrator.report.model import ReportPart, TestStatus


class Side(ReportPart, frozen=True):
    """One of the two campaigns. `lines` are executable ones, `hit` those of them that ran."""

    target: str
    mode: str
    seed: int
    workers: int
    calls: int
    duration: float
    calls_per_second: float
    hit: int
    lines: int


class TestChange(ReportPart, frozen=True):
    """A test with another verdict; None where a campaign does not have the test."""

    __test__ = False

    name: str
    type: str
    contract: str
    before: TestStatus | None
    after: TestStatus | None


class FindingChange(ReportPart, frozen=True):
    """A finding that one of the campaigns does not have."""

    test: str
    site: str
    reason: str
    fingerprint: str


class SourceChange(ReportPart, frozen=True):
    """Lines of one source, as ranges: `won` ran in the second campaign only, `lost` in the first only. `state` says why
    there are none: the source was `edited` between them, so that its lines are others, or one campaign does not have
    it."""

    path: str
    state: Literal["same", "edited", "added", "removed"]
    won: str
    lost: str
    won_lines: int
    lost_lines: int


class Comparison(ReportPart, frozen=True, kw_only=True):
    """The whole document. `worse` when a test fails or is missing that did not and was not, or a finding is new.
    `speed` is the quotient of the calls per second, 0 where the first campaign made none. `problems` are sentences on
    what could not be compared."""

    schema: Literal[1] = 1
    worse: bool
    before: Side
    after: Side
    tests: tuple[TestChange, ...]
    new: tuple[FindingChange, ...]
    fixed: tuple[FindingChange, ...]
    sources: tuple[SourceChange, ...]
    won_lines: int
    lost_lines: int
    speed: float
    problems: tuple[str, ...]

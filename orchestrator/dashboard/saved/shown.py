"""A saved campaign as pages see it: one state, which never changes."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from orchestrator.dashboard.feed import Feed, frame
from orchestrator.dashboard.saved.reading import SavedFolder
from orchestrator.dashboard.saved.story import Story
from orchestrator.dashboard.state import Figures, HealthState, PageState, test_states
from simulator.health.model import CampaignHealth


class SavedCampaign:
    """`wall_clock` gives Unix seconds. Reads the events, which blocks on the disk."""

    absent = (
        "The folder of a campaign does not hold this. `monotreme serve PATH --corpus-dir DIR --resume` opens the"
        " campaign live."
    )

    def __init__(self, folder: SavedFolder, wall_clock: Callable[[], float]) -> None:
        story = Story.of(folder.events())
        self._wall_clock = wall_clock
        self._epoch = secrets.token_hex(4)
        self._rest = b"".join(
            (
                frame("timeline", story.timeline),
                frame("state", saved_state(folder, story)),
                frame("events", list(story.newest), f"{self._epoch}-0"),
            )
        )
        self.feed = Feed(self.opening)

    def opening(self, _last: str) -> bytes:
        return frame("hello", {"epoch": self._epoch, "time": self._wall_clock()}) + self._rest

    def find(self, _name: str) -> SavedCampaign:
        """There is but this one."""
        return self

    def nudge(self) -> None:
        """Nothing ever changes."""


def saved_state(folder: SavedFolder, story: Story) -> PageState:
    """Return the state of the last checkpoint, and of the report where the campaign came to one."""
    state, report = folder.checkpoint.state, folder.report
    health = report.health or None if report is not None else None
    last = story.timeline.samples[-1] if story.timeline.samples else None
    ended = folder.checkpoint.ended or f"the program died; this is of {folder.checkpoint.saved}"
    contracts = report.coverage.contracts if report is not None else ()
    return PageState(
        figures=Figures(
            phase="finished",
            saved=True,
            target=folder.checkpoint.target,
            test_mode=report.campaign.mode if report is not None else "",
            seed=str(folder.checkpoint.seed),
            seconds=round(state.seconds, 1),
            calls=state.calls,
            calls_per_second=0.0,
            call_limit=state.limits.call_limit,
            time_limit=state.limits.time_limit,
            coverage_limit=state.limits.coverage_limit,
            shrink_limit=state.limits.shrink_limit,
            seconds_since_new_coverage=_since_coverage(story, state.seconds),
            points=last.points if last is not None else 0,
            line_coverage=report.coverage.line_coverage if report is not None else None,
            branch_coverage=report.coverage.branch_coverage if report is not None else None,
            lines_hit=sum(each.lines_hit for each in contracts),
            lines_found=sum(each.lines_found for each in contracts),
            sequences=last.sequences if last is not None else 0,
            transactions=report.corpus.transactions if report is not None else 0,
            commands=len(folder.commands),
            ended=ended,
        ),
        tests=test_states(state.tests, health, story.found),
        health=_health(health, state.calls),
    )


def _since_coverage(story: Story, end: float) -> float | None:
    """Seconds from the last new coverage to the end, None without any."""
    samples = story.timeline.samples
    came = next((each.seconds for each in samples if each.points == samples[-1].points), None)
    return round(max(0.0, end - came), 1) if came is not None else None


def _health(health: CampaignHealth | None, calls: int) -> HealthState:
    if health is None:
        return HealthState()
    return HealthState(health.verdict, health.summary, calls, health.growth, health.points)

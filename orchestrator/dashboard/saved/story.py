"""Story that the events of a folder tell: the timeline, when each test failed, and the newest events for the page."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from orchestrator.dashboard.saved.reading import SavedEvent
from orchestrator.dashboard.timeline import INJECTIONS, Mark, MarkKind, Sample, Timeline, TimelineKeeper
from tools.tool import JsonObject

MAX_EVENTS = 1_000
MAX_TEXT = 300
MAX_WHOLE = 1 << 63
"""What this program writes. JSON has larger numbers, which no calculation with fractions takes."""
TELEMETRY_SECONDS = 5.0


@dataclass
class Story:
    """Takes the events in their order. Time counts from the first worker's readiness, without what passed between one
    program and the next that resumed it."""

    found: dict[int, float] = field(default_factory=dict)
    newest: deque[JsonObject] = field(default_factory=lambda: deque(maxlen=MAX_EVENTS))
    _keeper: TimelineKeeper = field(default_factory=TimelineKeeper)
    _before: float = 0.0
    _began: float | None = None
    _last: float = 0.0
    _is_resumed: bool = False
    _points: int = 0
    _sequences: int = 0
    _rates: dict[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[SavedEvent]) -> Story:
        story = cls()
        for event in events:
            story.take(event)
        return story

    @property
    def timeline(self) -> Timeline:
        return self._keeper.timeline()

    def take(self, saved: SavedEvent) -> None:
        if saved.kind == "PhaseChanged" and saved.event.get("phase") == "compiling":
            self._end_run()
        self.newest.append(page_event(saved))
        event = saved.event
        match saved.kind:
            case "CampaignResumed":
                self._is_resumed = True
            case "WorkerStarted" if self._began is None:
                self._begin_run(saved.moment)
            case "WorkerRestarting":
                self._rates.pop(saved.worker, None)
                self._mark(saved, "restart", f"worker {saved.worker}: {event.get('reason', '')}")
            case "CoverageIncreased":
                self._points, self._sequences = _whole(event, "points"), _whole(event, "sequences")
                self._sample(saved)
            case "TransactionExecuted":
                self._rates[saved.worker] = _whole(event, "calls") / TELEMETRY_SECONDS
                self._sample(saved)
            case "PropertyFalsified":
                if event.get("kind") != "optimization":
                    self._mark(saved, "finding", str(event.get("property", "")))
                self.found[_whole(event, "test")] = saved.moment
            case "Steered":
                command = str(event.get("command", ""))
                kind: MarkKind = "injection" if command in INJECTIONS else "steering"
                self._mark(saved, kind, f"{command} {event.get('detail', '')}".strip())
            case _:
                pass
        self._last = saved.moment

    def _begin_run(self, moment: float) -> None:
        if not self._is_resumed:
            # A campaign that began anew: what the file tells of those before it is not of this one.
            self._keeper, self._before = TimelineKeeper(), 0.0
            self.found.clear()
        self._began = moment

    def _end_run(self) -> None:
        if self._began is not None:
            self._before += max(0.0, self._last - self._began)
        self._began, self._is_resumed = None, False
        self._rates.clear()

    def _seconds(self, saved: SavedEvent) -> float:
        return round(self._before + max(0.0, saved.moment - (self._began or saved.moment)), 1)

    def _sample(self, saved: SavedEvent) -> None:
        if self._began is not None:
            rate = round(sum(self._rates.values()), 1)
            self._keeper.add(Sample(self._seconds(saved), rate, self._points, self._sequences))

    def _mark(self, saved: SavedEvent, kind: MarkKind, text: str) -> None:
        self._keeper.mark(Mark(self._seconds(saved), kind, text[:MAX_TEXT]))


def page_event(saved: SavedEvent) -> JsonObject:
    """An event as `wait_for_event` gives it; calls of a sequence are their calldata."""
    data = {_camel(name): value for name, value in saved.event.items() if name != "type"}
    calls = data.get("counterexample")
    if isinstance(calls, list):
        data["counterexample"] = [str(call.get("data", "")) for call in calls if isinstance(call, dict)]
    worker = saved.worker if saved.worker >= 0 else None
    return {
        "cursor": saved.cursor,
        "timestamp": saved.time,
        "eventType": saved.kind,
        "workerId": worker,
        "data": data,
    }


def _whole(event: dict[str, Any], name: str) -> int:
    value = event.get(name)
    return value if isinstance(value, int) and abs(value) <= MAX_WHOLE else 0


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)

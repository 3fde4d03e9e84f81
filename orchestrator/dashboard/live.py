"""A running campaign as pages see it: followed once a second, whether by one page or by ten."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

import msgspec
import trio

from actors.campaign.status import CampaignStatus
from actors.events.types import LoggedEvent, PropertyFalsified, Steered, TestDecided, WorkerRestarting
from orchestrator.dashboard.feed import Feed, frame
from orchestrator.dashboard.state import CampaignLine, Figures, HealthState, PageState, test_states, worker_states
from orchestrator.dashboard.timeline import INJECTIONS, Mark, MarkKind, Sample, TimelineKeeper
from orchestrator.dashboard.visitors import Visitors
from simulator.printable import shown_path
from tools.campaign.access import CampaignAccess, CampaignComponents, CampaignPlace
from tools.campaign.extensions.waiting import CursoredEvent, events_result
from tools.campaign.results import plain
from tools.campaign.several import target_name
from tools.command_log import CommandLog

TICK: Final = 1.0
MAX_EVENTS: Final = 300
"""Events that a new page gets, and that one tick sends at most."""
MAX_DIGITS: Final = 18
HEALTH_SECONDS: Final = 2.0
"""How long one look at the campaign's health may take before the one before it is shown on."""
HEALTH_INTERVAL: Final = 10.0
MAX_HEALTH_INTERVAL: Final = 60.0
MAX_HEALTH_SHARE: Final = 0.01
"""Share of a core that the health of the campaign may take for all pages together, as long as it is known at least
every `MAX_HEALTH_INTERVAL` seconds."""


class LiveCampaign:
    """The campaign of `access`, and the next one when another begins. `wall_clock` gives Unix seconds, `listed` the
    campaigns of a server that has several."""

    absent = "the page has no such tool"

    def __init__(
        self,
        access: CampaignAccess,
        command_log: CommandLog,
        wall_clock: Callable[[], float],
        visitors: Visitors | None = None,
        listed: Callable[[], tuple[CampaignLine, ...]] = tuple,
    ) -> None:
        self._visitors = visitors or Visitors()
        self._listed = listed
        self._access = access
        self._command_log = command_log
        self._wall_clock = wall_clock
        self._run = secrets.token_hex(4)
        self._number = 0
        self._place = access.place
        self._parts: CampaignComponents | None = None
        self._keeper = TimelineKeeper()
        self._found: dict[int, float] = {}
        self._cursor = 0
        self._shown = PageState()
        self._nudged = trio.Event()
        self.feed = Feed(self.opening)

    # --- for pages ---------------------------------------------------------------------------------------------------

    def nudge(self) -> None:
        """Look again soon: somebody commanded something."""
        self._nudged.set()

    def opening(self, last: str) -> bytes:
        """The frames of a page that opens: everything, with the events since the id `last` where that is of this
        campaign."""
        # Other pages are told first, so that all are told the next change against the same state.
        self._publish_changes()
        epoch, _, cursor = last.rpartition("-")
        is_ours = epoch == self._epoch and cursor.isascii() and cursor.isdigit() and len(cursor) <= MAX_DIGITS
        since = int(cursor) if is_ours else None
        return b"".join(
            (
                frame("hello", {"epoch": self._epoch, "time": self._wall_clock(), "campaign": self._place.id}),
                frame("timeline", self._keeper.timeline()),
                frame("state", self._shown),
                self._events_frame(self._held(since)),
            )
        )

    @property
    def _epoch(self) -> str:
        return f"{self._run}.{self._number}"

    def _held(self, since: int | None) -> tuple[LoggedEvent, ...]:
        """Events that a page lacks. Those that the next tick sends are left to it."""
        if self._parts is None:
            return ()
        if since is None:
            newest = self._parts.log.newest(MAX_EVENTS)[::-1]
        else:
            newest = self._parts.log.read(since, MAX_EVENTS).events
        return tuple(event for event in newest if event.cursor <= self._cursor)

    def _events_frame(self, events: tuple[LoggedEvent, ...]) -> bytes:
        items = [plain(each) for each in self._objects(events)]
        return frame("events", items, f"{self._epoch}-{self._cursor}")

    def _objects(self, events: tuple[LoggedEvent, ...]) -> tuple[CursoredEvent, ...]:
        return events_result(self._parts, events, 0, 0).events if self._parts is not None else ()

    # --- following ---------------------------------------------------------------------------------------------------

    async def follow(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Until cancelled. While nobody looks, figures are only sampled."""
        task_status.started()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_health_known)
            while True:
                self._tick()
                with trio.move_on_after(TICK):
                    await self._nudged.wait()
                self._nudged = trio.Event()

    def _tick(self) -> None:
        place = self._access.place
        if place is not self._place or place.parts is not self._parts:
            self._begin(place)
        if self._parts is not None:
            self._take_events(self._parts)
            self._take_sample(self._parts.campaign.status())
        if self.feed.listeners:
            self._publish_changes()

    def end(self) -> None:
        """The program is done with the campaign that is shown."""
        self._tick()
        self._note_end()

    def _note_end(self) -> None:
        """The campaign that is shown is one of the earlier ones from now on."""
        if (line := self._line()) is not None:
            self._visitors.earlier.append(msgspec.structs.replace(line, state="ended"))

    def _line(self) -> CampaignLine | None:
        if (parts := self._parts) is None:
            return None
        status, known = parts.campaign.status(), self._place.health.latest(parts.campaign)
        tests = [record for record in status.tests if record.parent < 0]
        return CampaignLine(
            target=parts.settings.contract,
            state="ended" if parts.is_over else "running",
            tests=len(tests),
            failed=sum(record.falsified for record in tests),
            calls=status.calls,
            seconds=round(status.seconds, 1),
            points=status.coverage.points,
            health=known.health.verdict if known is not None else None,
            folder=shown_path(parts.corpus_folder) if parts.corpus_folder is not None else "",
        )

    def _begin(self, place: CampaignPlace) -> None:
        self._note_end()
        self._place, self._parts = place, place.parts
        parts = self._parts
        self._number += 1
        self._keeper, self._found, self._cursor = TimelineKeeper(), {}, 0
        if parts is not None:
            log = parts.log.statistics()
            self._cursor = log.cursor - log.appended
        self.feed.restart()

    def _take_events(self, parts: CampaignComponents) -> None:
        events = parts.log.since(self._cursor)
        if not events:
            return
        self._cursor = events[-1].cursor
        seconds = parts.campaign.status().seconds
        for logged in events:
            self._note(logged, seconds)
        if self.feed.listeners:
            self.feed.publish(self._events_frame(events[-MAX_EVENTS:]))

    def _note(self, logged: LoggedEvent, seconds: float) -> None:
        match logged.event:
            case PropertyFalsified(test=test, property=name, kind=tested):
                if tested != "optimization":
                    self._mark(seconds, "finding", name)
                self._found[test] = logged.time
            case TestDecided(test=test, status="solved"):
                self._found.setdefault(test, logged.time)
            case WorkerRestarting(reason=reason):
                self._mark(seconds, "restart", f"worker {logged.worker}: {reason}")
            case Steered(command=command, detail=detail):
                kind: MarkKind = "injection" if command in INJECTIONS else "steering"
                self._mark(seconds, kind, f"{command} {detail}".strip())
            case _:
                pass

    def _mark(self, seconds: float, kind: MarkKind, text: str) -> None:
        mark = Mark(round(seconds, 1), kind, text[:300])
        self._keeper.mark(mark)
        if self.feed.listeners:
            self.feed.publish(frame("mark", mark))

    def _take_sample(self, status: CampaignStatus) -> None:
        if status.seconds <= 0:
            return
        sample = Sample(
            round(status.seconds, 1), round(status.rate, 1), status.coverage.points, status.corpus.sequences
        )
        was_thinned = self._keeper.timeline().interval
        if self._keeper.add(sample) and self.feed.listeners:
            timeline = self._keeper.timeline()
            is_same = timeline.interval == was_thinned
            self.feed.publish(frame("sample", sample) if is_same else frame("timeline", timeline))

    def _publish_changes(self) -> None:
        state, before = self._state(), self._shown
        changed = {
            name: getattr(state, name)
            for name in state.__struct_fields__
            if getattr(state, name) != getattr(before, name)
        }
        self._shown = state
        if changed:
            self.feed.publish(frame("state", changed))

    async def _keep_health_known(self) -> None:
        """Ask for the health of the campaign now and then while somebody looks; how often depends on what it takes."""
        while True:
            await self.feed.until_somebody_listens()
            began = trio.current_time()
            if (parts := self._parts) is not None:
                await self._place.health.current(
                    parts.campaign, parts.coverage, parts.settings, parts.project, HEALTH_SECONDS, HEALTH_INTERVAL
                )
            took = trio.current_time() - began
            await trio.sleep(min(MAX_HEALTH_INTERVAL, max(HEALTH_INTERVAL, took / MAX_HEALTH_SHARE)))

    # --- the state ---------------------------------------------------------------------------------------------------

    def _state(self) -> PageState:
        parts = self._parts
        if parts is None:
            phase, problem = self._place.phase, self._place.failure
            figures = Figures(
                phase=phase or ("failed" if problem else "none"),
                running=bool(phase),
                target=target_name(self._place),
                problem=problem,
                commands=self._commands,
            )
            return PageState(figures, campaigns=self._campaigns(None))
        status = parts.campaign.status()
        known = self._place.health.latest(parts.campaign)
        health = HealthState()
        if known is not None:
            of = known.health
            health = HealthState(of.verdict, of.summary, known.calls, of.growth, of.points)
        return PageState(
            figures=self._figures(parts, status),
            tests=test_states(status.tests, known.health if known is not None else None, self._found),
            workers=worker_states(status, is_still=parts.is_over or status.paused),
            health=health,
            campaigns=self._campaigns(self._line()),
        )

    def _campaigns(self, current: CampaignLine | None) -> tuple[CampaignLine, ...]:
        return self._listed() or self._visitors.overview(current)

    @property
    def _commands(self) -> int:
        return len(self._command_log.of(self._place.id))

    def _figures(self, parts: CampaignComponents, status: CampaignStatus) -> Figures:
        report = parts.coverage.latest
        known = report.frames >= 0 and bool(report.files)
        since = status.seconds_since_coverage
        phase = status.phase if not parts.is_over else "failed" if status.failure else "finished"
        return Figures(
            phase=phase,
            running=not parts.is_over,
            paused=status.paused,
            target=parts.settings.contract,
            test_mode=parts.settings.test_mode,
            seed=str(parts.seed),
            seconds=round(status.seconds, 1),
            calls=status.calls,
            calls_per_second=0.0 if parts.is_over or status.paused else round(status.rate, 1),
            age=round(status.age, 1),
            call_limit=status.call_limit,
            time_limit=status.time_limit,
            coverage_limit=status.limits.coverage_limit,
            shrink_limit=status.limits.shrink_limit,
            seconds_since_new_coverage=None if since is None else round(since, 1),
            points=status.coverage.points,
            line_coverage=report.summary.line_coverage if known else None,
            branch_coverage=report.summary.branch_coverage if known else None,
            lines_hit=report.lines_hit if known else 0,
            lines_found=report.lines_found if known else 0,
            sequences=status.corpus.sequences,
            transactions=status.corpus.transactions,
            wanted_workers=sum(not worker.ended for worker in status.workers),
            commands=self._commands,
            folder=shown_path(parts.corpus_folder) if parts.corpus_folder is not None else "",
            ended=status.ended,
            problem=status.failure or "",
        )

"""A campaign as `monotreme fuzz` runs it, steered and disturbed from within: asks, injections, killed workers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trio

from actors.campaign.actor import Campaign
from actors.runtime.errors import ActorError
from actors.steering.commands import CallRequest, InjectSequence, ListTemplates, Stop
from actors.workers.services import WorkerStatistics
from benchmarks.contestants.targets import Target
from benchmarks.measuring.errors import BenchmarkError
from orchestrator.assembly.wiring import Actors
from orchestrator.campaign import ProgramPorts, run_campaign
from orchestrator.campaign_service import NoService
from orchestrator.configuration.layers import file_layer
from orchestrator.configuration.request import CampaignRequest
from orchestrator.configuration.resolve import resolve
from simulator.project import Project

WORKERS = 2
PATIENCE = 120.0
GLANCE = 0.002
PAUSE = 0.25
BETWEEN_KILLS = 13.0
"""Seconds, so that restarts stay below the intensity at which a worker is given up."""


@dataclass
class SteeringTimes:
    """Seconds, one for each time: from a question to its answer; from an injection until every worker has executed it;
    from the kill of a worker until its successor has executed a call."""

    asks: list[float] = field(default_factory=list)
    injections: list[float] = field(default_factory=list)
    restarts: list[float] = field(default_factory=list)


def measure_steering(
    target: Target, configuration: Path, folder: Path, *, times: int, kills: int, call: str, seed: int
) -> SteeringTimes:
    """Two workers fuzz meanwhile. `call` is what is injected. Raises `BenchmarkError` when the campaign ends early or
    takes longer than anybody would wait."""
    measured = SteeringTimes()
    steering = _Steering(measured, times, kills, call)
    request = CampaignRequest(
        paths=(target.file,),
        configuration=resolve([file_layer(configuration)]).configuration,
        seed=seed,
        workers=WORKERS,
        call_limit=None,
        time_limit=PATIENCE + kills * (BETWEEN_KILLS + PATIENCE),
        corpus_directory=folder / "steered",
    )
    reason = "ended early"
    try:
        run_campaign(request, ports=ProgramPorts(service=steering))
    except* (trio.TooSlowError, ActorError):
        reason = f"did not obey within {PATIENCE:g} s"
    if not steering.is_done:
        raise BenchmarkError(f"the steered campaign {reason}")
    return measured


@dataclass
class _Steering(NoService):
    """The companion that measures, then stops the campaign."""

    measured: SteeringTimes
    times: int
    kills: int
    call: str
    is_done: bool = False
    stops: tuple[int, ...] = ()

    @asynccontextmanager
    async def around_actors(self, request: CampaignRequest, project: Project, actors: Actors) -> AsyncIterator[None]:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._measure, actors.campaign)
            yield
            nursery.cancel_scope.cancel()

    async def _measure(self, campaign: Campaign) -> None:
        await _until(lambda: _all_fuzz(campaign))
        for _ in range(self.times):
            await trio.sleep(PAUSE)
            self.measured.asks.append(await _ask(campaign))
            self.measured.injections.append(await _inject(campaign, self.call))
        for number in range(self.kills):
            self.measured.restarts.append(await _kill(campaign, number % WORKERS))
            await _until(lambda: _all_fuzz(campaign))
            if number + 1 < self.kills:
                await trio.sleep(BETWEEN_KILLS / WORKERS)
        self.is_done = True
        await campaign.ask(Stop(), PATIENCE)


async def _ask(campaign: Campaign) -> float:
    began = time.perf_counter()
    await campaign.ask(ListTemplates(), PATIENCE)
    return time.perf_counter() - began


async def _inject(campaign: Campaign, call: str) -> float:
    began = time.perf_counter()
    await campaign.ask(InjectSequence((CallRequest(call),)), PATIENCE)
    await _until(lambda: campaign.statistics().steering.unanswered == 0)
    return time.perf_counter() - began


async def _kill(campaign: Campaign, index: int) -> float:
    def worker() -> WorkerStatistics:
        return campaign.workers[index].statistics()

    before = worker()
    began = time.perf_counter()
    os.kill(before.pid, signal.SIGKILL)
    await _until(lambda: worker().incarnation > before.incarnation)
    calls = worker().calls
    await _until(lambda: worker().calls > calls)
    return time.perf_counter() - began


def _all_fuzz(campaign: Campaign) -> bool:
    return all(worker.work == "fuzz" for worker in campaign.status().workers)


async def _until(condition: Callable[[], bool]) -> None:
    with trio.fail_after(PATIENCE):
        while not condition():  # noqa: ASYNC110  # what is waited for happens in other processes
            await trio.sleep(GLANCE)

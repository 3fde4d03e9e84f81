"""Campaigns over fake workers that continue until somebody stops them, for tests that steer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import trio

from actors.campaign.plan import CampaignPlan
from actors.steering.commands import (
    CallRequest,
    Changed,
    Stop,
)
from tests.support.fake_worker import FakeScript, FakeSpawner, behave

ENDLESS = CampaignPlan(call_limit=None, time_limit=None, shrink_limit=100)
QUIET = FakeScript(falsify={})
POKE = CallRequest("poke(7)")


def slowly(*_: int):
    return partial(behave, seconds_per_frame=0.02)


async def steer(assembly, script: Callable[[], Awaitable[None]], *, after: float = 2.0) -> object:
    """Run a campaign that `script` steers from the given time on, and that is stopped afterwards."""
    ends: list[object] = []

    async def run() -> None:
        ends.append(await assembly.run())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await trio.sleep(after)
        await script()
        if not ends:
            assert await assembly.campaign.ask(Stop()) == Changed(True)
    return ends[0]


def sent(spawner: FakeSpawner, kind: type, worker: int = 0) -> list:
    return [command for command in spawner.latest[worker].commands if isinstance(command, kind)]


def endless(nursery, make_assembly, *, workers: int = 2, plan: CampaignPlan = ENDLESS, **options: object):
    spawner = FakeSpawner(nursery, lambda *_: QUIET, slowly)
    return spawner, make_assembly(spawner, plan, workers=workers, **options)

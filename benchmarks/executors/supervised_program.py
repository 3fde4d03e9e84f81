"""A campaign of fake workers on a cluster, which measures itself: `python -m benchmarks.executors.supervised_program`
with a `Supervised` as JSON. Prints a `Spent` as JSON."""

from __future__ import annotations

import os
import random
import sys
import time

import msgspec
import psutil
import trio

from actors.campaign.actor import Campaign
from actors.campaign.messages import CampaignMessage
from actors.campaign.plan import CampaignPlan
from actors.corpus.keeper import CorpusKeeper
from actors.coverage.tracker import CoverageTracker
from actors.events.log import EventLog
from actors.executors.messages import Connect
from actors.executors.ray_executor import ray_spawner
from actors.runtime.mailbox import Mailbox
from actors.workers.services import WorkerLimits, WorkerServices
from simulator.settings import CampaignSettings

START_SECONDS = 600.0
SETTLE_SECONDS = 3.0
_PATIENT = WorkerLimits(hello=START_SECONDS, deploy=START_SECONDS, silence=START_SECONDS, interrupt=60.0)
_RELAY = 'exec 3<>"/dev/tcp/127.0.0.1/$0"; cat <&3 & exec cat >&3'
"""A process of a worker, without a Python of its own."""


class Supervised(msgspec.Struct, frozen=True):
    """`port` is where fake workers are, `file` any file: nodes are given it as the project."""

    address: str
    port: int
    file: str
    workers: int
    seconds: float


class Spent(msgspec.Struct, frozen=True):
    """CPU seconds of supervisor and bridge in so many `seconds`, and the calls that were reported meanwhile."""

    seconds: float
    supervisor: float
    bridge: float
    calls: int


async def _main(asked: Supervised) -> Spent:
    spent: list[Spent] = []
    async with trio.open_nursery() as nursery:
        argv = ("bash", "-c", _RELAY, str(asked.port))
        connect = Connect(asked.address, os.fsencode(asked.file), argv=argv)
        spawner = ray_spawner(connect, nursery, lambda text: print(text, file=sys.stderr))
        mailbox: Mailbox[CampaignMessage] = Mailbox("campaign", 256)
        keeper = CorpusKeeper(None)
        services = WorkerServices(
            spawner, mailbox, keeper, CoverageTracker(), EventLog(None, wall_clock=time.time), b"project",
            CampaignSettings(), 1, random.Random(1), limits=_PATIENT,
        )  # fmt: skip
        campaign = Campaign(CampaignPlan(None, None, 100), mailbox, services, asked.workers)
        nursery.start_soon(keeper.run)
        nursery.start_soon(campaign.run)
        with trio.fail_after(START_SECONDS):
            begun: set[int] = set()  # where the machine is too small, they never all work at one moment
            while len(begun) < asked.workers:
                begun |= {slot for slot, each in enumerate(campaign.workers) if each.statistics().state == "fuzz"}
                await trio.sleep(0.2)
        await trio.sleep(SETTLE_SECONDS)
        spent.append(await _measure(campaign, asked.seconds))
        nursery.cancel_scope.cancel()
    return spent[0]


async def _measure(campaign: Campaign, seconds: float) -> Spent:
    bridge = next(each for each in psutil.Process().children() if "actors.executors.ray_bridge" in each.cmdline())

    def now() -> tuple[float, float, float, int]:
        times = bridge.cpu_times()
        return time.monotonic(), time.process_time(), times.user + times.system, campaign.status().calls

    before = now()
    await trio.sleep(seconds)
    passed, own, below, calls = (after - first for after, first in zip(now(), before, strict=True))
    return Spent(passed, own, below, int(calls))


if __name__ == "__main__":
    print(msgspec.json.encode(trio.run(_main, msgspec.json.decode(sys.argv[1], type=Supervised))).decode())

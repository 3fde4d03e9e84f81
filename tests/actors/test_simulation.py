"""Many short campaigns with injected faults, each under its own seeded schedule."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
import trio

from actors.campaign.messages import StopCampaign
from actors.campaign.plan import CampaignPlan
from actors.events.types import CoverageIncreased, StopReason
from actors.runtime.supervisor import RestartPolicy
from actors.workers.services import WorkerLimits
from simulator.worker.reports import FromWorker, Interesting
from tests.support.deterministic import run_seeded
from tests.support.fake_worker import FakeBrain, FakeProcess, FakeScript, FakeSpawner, behave

CALLS = 30_000


class RecordingBrain(FakeBrain):
    """Remembers what it sent, as far as it was sent."""

    def __init__(self, script: FakeScript) -> None:
        super().__init__(script)
        self.sent: list[FromWorker] = []


async def recording(process: FakeProcess, brain: FakeBrain) -> None:
    """The well-behaved worker; each frame that leaves it is noted afterwards."""
    answer = brain.answer

    def noted(command):
        for frame in answer(command):
            yield frame
            brain.sent.append(frame)

    brain.answer = noted
    await behave(process, brain, seconds_per_frame=0.01)


def faults(rng: random.Random) -> FakeScript:
    """Half of all processes die or hang somewhere."""
    script = FakeScript(falsify={0: rng.randrange(100, 9_000), 1: rng.randrange(100, 9_000)})
    match rng.randrange(4):
        case 0:
            script.crash_after = rng.randrange(0, 8_000)
        case 1:
            script.silent_after = rng.randrange(0, 8_000)
    return script


async def campaign(assemble, seed: int):
    """One campaign; returns what the invariants need."""
    rng = random.Random(seed)
    async with trio.open_nursery() as nursery:
        spawner = FakeSpawner(nursery, lambda *_: faults(rng), lambda *_: recording)
        spawner.brain = RecordingBrain
        assembly = assemble(
            spawner,
            CampaignPlan(CALLS, None, 100),
            workers=rng.randrange(1, 4),
            seed=seed,
            limits=WorkerLimits(silence=2.0),
            policy=RestartPolicy(max_restarts=100, within=60),
        )
        if rng.random() < 0.2:
            nursery.start_soon(stop_later, assembly, rng.uniform(0.1, 5.0))
        with trio.fail_after(3_600):
            end = await assembly.run()
        nursery.cancel_scope.cancel()
    return end, assembly, spawner


async def stop_later(assembly, seconds: float) -> None:
    await trio.sleep(seconds)
    assembly.mailbox.post(StopCampaign(StopReason.REQUESTED))


@pytest.mark.parametrize("block", range(5))
def test_whatever_workers_do_nothing_is_lost(block: int, make_assembly):
    """Over a hundred seeds: entries that a worker sent are in the corpus, the budget is used up, findings are found,
    corpus sizes in the log only grow, every process is ended."""
    for seed in range(20 * block, 20 * block + 20):
        end, assembly, spawner = run_seeded(campaign, seed, make_assembly, seed)
        corpus = set(assembly.keeper.sequences())
        sent = {frame.sequence for brain in spawner.brains for frame in brain.sent if isinstance(frame, Interesting)}
        assert all(process.ended for process in spawner.processes), seed
        assert all(test.state in ("solved", "passed") for test in end.tests), seed
        if end.reason is StopReason.REQUESTED:
            continue
        assert sent <= corpus, seed
        assert end.reason is StopReason.TEST_LIMIT, seed
        assert end.calls >= CALLS, seed
        assert [test.state for test in end.tests] == ["solved", "solved", "passed"], seed
        assert_sizes_only_grow(assembly.events(), seed)


def assert_sizes_only_grow(events: list[tuple[int, object]], seed: int) -> None:
    sizes = defaultdict(list)
    for worker, event in events:
        if isinstance(event, CoverageIncreased):
            sizes[worker].append(event.sequences)
    assert all(each == sorted(each) for each in sizes.values()), seed


def test_the_same_seed_gives_the_same_schedule(make_assembly):
    """The canary of the deterministic scheduler: equal logs for equal seeds, also with several workers and faults."""
    logs = [run_seeded(campaign, 3, make_assembly, 3)[1].events() for _ in range(2)]
    assert logs[0] == logs[1]
    assert run_seeded(campaign, 4, make_assembly, 4)[1].events() != logs[0]

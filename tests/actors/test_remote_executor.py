"""Workers behind a bridge to a cluster, under the mock clock: the same campaign, and what is lost comes again."""

from __future__ import annotations

import itertools
from functools import partial

import pytest
import trio
from msgspec.structs import replace

from actors.campaign.plan import CampaignPlan
from actors.campaign.status import CampaignEnd
from actors.events.types import StopReason, WorkerStarted
from actors.executors.bridge import BridgeLost
from actors.executors.messages import (
    WINDOW,
    Connect,
    Consumed,
    End,
    Ended,
    OutputEnded,
    ProcessOutput,
    Send,
    Started,
    Written,
)
from actors.executors.remote_process import LOST, RemoteProcess
from actors.executors.spawner import RECONNECT_SECONDS, RemoteSpawner
from actors.runtime.supervisor import RestartPolicy
from actors.steering.commands import InjectSequence
from actors.workers.services import WorkerLimits
from actors.workers.worker import MAX_CUT_OFF, FuzzWorker
from simulator.worker.commands import Inject
from tests.support.fake_cluster import NODE, FakeCluster
from tests.support.fake_worker import FakeBrain, FakeScript, FakeSpawner, behave
from tests.support.steered import ENDLESS, POKE, steer

PLAN = CampaignPlan(call_limit=50_000, time_limit=None, shrink_limit=100)
CONNECT = Connect("10.0.0.1:6379", b"project")
slow = partial(behave, seconds_per_frame=0.1)


def behind_bridge(nursery: trio.Nursery, spawner: FakeSpawner) -> tuple[RemoteSpawner, FakeCluster, list[str]]:
    said: list[str] = []
    cluster = FakeCluster(nursery, spawner)
    return RemoteSpawner(cluster.open_stream, CONNECT, nursery, said.append), cluster, said


async def test_a_campaign_behind_a_bridge_is_the_same_campaign(autojump_clock, nursery, make_assembly):
    """One worker and one seed give equal events, wherever the worker runs: only its node is named."""

    async def events(spawner: object, node: str) -> list[object]:
        assembly = make_assembly(spawner, PLAN)
        end = await assembly.run()
        assert end.reason is StopReason.TEST_LIMIT
        assert [test.state for test in end.tests] == ["solved", "solved", "passed"]
        assert end.nodes == (node,)
        assert [event.node for _, event in assembly.events() if isinstance(event, WorkerStarted)] == [node]
        return [
            (index, replace(event, node="") if isinstance(event, WorkerStarted) else event)
            for index, event in assembly.events()
            if type(event).__name__ != "TransactionExecuted"
        ]

    remote, _, _ = behind_bridge(nursery, FakeSpawner(nursery))
    assert await events(remote, NODE.address) == await events(FakeSpawner(nursery), "")


async def test_a_worker_that_dies_on_a_node_is_replaced_with_what_it_executed_known(
    autojump_clock, nursery, make_assembly
):
    spawner = FakeSpawner(nursery, lambda _, n: FakeScript(crash_after=4_000 if n == 0 else None))
    remote, cluster, _ = behind_bridge(nursery, spawner)
    assembly = make_assembly(remote, PLAN)
    end = await assembly.run()
    assert end.calls >= 50_000
    assert cluster.bridges[0].starts == ["0.0", "0.1"], "a key is never used twice"
    assert "SIGSEGV: last words" in assembly.named("WorkerRestarting")[0].reason


async def test_a_lost_bridge_costs_the_processes_behind_it_and_is_opened_again(autojump_clock, nursery, make_assembly):
    slowly = partial(behave, seconds_per_frame=0.05)
    remote, cluster, said = behind_bridge(nursery, FakeSpawner(nursery, behaviour=lambda *_: slowly))
    cluster.refusals = ["", "not yet", "not yet"]
    assembly = make_assembly(remote, PLAN, workers=2)

    async def cut() -> None:
        await trio.sleep(1)
        cluster.bridges[0].lose()

    nursery.start_soon(cut)
    end = await assembly.run()
    assert end.calls >= 50_000
    assert [test.state for test in end.tests] == ["solved", "solved", "passed"]
    assert len(cluster.bridges) == 4
    assert said == [
        f"the bridge to the cluster has ended; waiting for the cluster, for {RECONNECT_SECONDS:g} s at most",
        "the cluster is back",
    ]


async def test_a_worker_on_a_node_that_is_cut_off_is_given_up_and_its_late_answers_are_dropped(
    autojump_clock, nursery, make_assembly
):
    slowly = partial(behave, seconds_per_frame=0.05)
    remote, cluster, _ = behind_bridge(nursery, FakeSpawner(nursery, behaviour=lambda *_: slowly))
    assembly = make_assembly(remote, PLAN, limits=WorkerLimits(silence=5.0))

    async def cut_off() -> None:
        await trio.sleep(1)
        cluster.bridges[0].deaf.add("0.0")
        await trio.sleep(30)
        # The node is back: what it had to say is nobody's any more.
        await cluster.bridges[0].say(ProcessOutput("0.0", b"\x00\x00\x00\x00garbage"))

    nursery.start_soon(cut_off)
    end = await assembly.run()
    assert end.calls >= 50_000
    assert "silent" in assembly.named("WorkerRestarting")[0].reason
    assert len(assembly.named("WorkerRestarting")) == 1


class Busy(FakeBrain):
    """Never comes to what a user injects."""

    def answer(self, command):
        return iter(()) if isinstance(command, Inject) else super().answer(command)


async def fuzzes(worker: FuzzWorker, incarnation: int) -> None:
    with trio.fail_after(600):
        while (worker.statistics().incarnation, worker.statistics().state) != (incarnation, "fuzz"):  # noqa: ASYNC110
            await trio.sleep(0.1)


async def test_nodes_that_vanish_use_up_no_restarts_and_blame_nothing(autojump_clock, nursery, make_assembly):
    """Ten of them within a minute, each with a user's current sequence."""
    slowly = partial(behave, seconds_per_frame=0.05)
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}), lambda *_: slowly)
    spawner.brain = Busy
    remote, cluster, _ = behind_bridge(nursery, spawner)
    assembly = make_assembly(remote, ENDLESS, workers=1, policy=RestartPolicy(max_restarts=1))

    async def script() -> None:
        for number in range(10):
            await fuzzes(assembly.workers[0], number)
            assert assembly.workers[0].statistics().node == NODE.address
            await assembly.campaign.ask(InjectSequence((POKE,)))
            await trio.sleep(1)
            await cluster.bridges[0].lose_node(f"0.{number}")
        await fuzzes(assembly.workers[0], 10)
        status = assembly.campaign.status()
        assert (status.quarantine.suspects, status.quarantine.quarantined) == (0, 0)

    end = await steer(assembly, script)
    assert trio.current_time() < 60
    assert not any(test.info.kind == "crash" for test in end.tests)
    assert len(assembly.named("WorkerRestarting")) == 10


async def test_a_worker_whose_nodes_vanish_before_it_has_done_anything_is_given_up_in_the_end(
    autojump_clock, nursery, make_assembly
):
    remote, cluster, _ = behind_bridge(nursery, FakeSpawner(nursery, lambda *_: FakeScript(silent_after=0)))
    assembly = make_assembly(remote, PLAN, policy=RestartPolicy(max_restarts=2))

    async def lose_all() -> None:
        for number in itertools.count():
            await fuzzes(assembly.workers[0], number)
            await cluster.bridges[0].lose_node(f"0.{number}")

    nursery.start_soon(lose_all)
    end = await assembly.run()
    assert end.reason is StopReason.NO_WORKERS
    assert len(cluster.bridges[0].starts) == MAX_CUT_OFF + 3


async def test_no_cluster_at_the_start_is_said_at_once(autojump_clock, nursery):
    remote, cluster, said = behind_bridge(nursery, FakeSpawner(nursery))
    cluster.refusals = ["the token is wrong"]
    with pytest.raises(BridgeLost, match="the token is wrong"):
        await remote(0)
    assert said == []


async def test_a_cluster_that_stays_away_is_waited_for_no_longer_than_said(autojump_clock, nursery):
    remote, cluster, _ = behind_bridge(nursery, FakeSpawner(nursery))
    await remote(0)
    cluster.refusals = ["gone"] * 1_000
    cluster.bridges[0].lose()
    await trio.testing.wait_all_tasks_blocked()
    began = trio.current_time()
    with pytest.raises(BridgeLost, match="gone"):
        await remote(0)
    assert trio.current_time() - began <= RECONNECT_SECONDS


async def test_a_campaign_ends_when_its_cluster_does_not_come_back(autojump_clock, nursery, make_assembly):
    """The workers wait together, not one after the other, and the reason is told."""
    remote, cluster, said = behind_bridge(nursery, FakeSpawner(nursery, behaviour=lambda *_: slow))
    assembly = make_assembly(remote, ENDLESS, workers=3)
    ends: list[CampaignEnd] = []

    async def run() -> None:
        ends.append(await assembly.run())

    nursery.start_soon(run)
    await trio.sleep(30)
    cluster.refusals = ["no Ray cluster answers"] * 10_000
    cluster.bridges[0].lose()
    await trio.sleep(RECONNECT_SECONDS + 60)
    assert [end.reason for end in ends] == [StopReason.NO_WORKERS]
    assert "the cluster did not come back within 600 s: no Ray cluster answers" in ends[0].failure
    assert ends[0].calls > 0
    assert [line for line in said if "waiting for the cluster" in line] == said


# --- one process -----------------------------------------------------------------------------------------------------


def remote_process() -> tuple[RemoteProcess, list[object]]:
    posted: list[object] = []
    return RemoteProcess(Started("0.0", 7, "10.0.0.1"), posted.append), posted


async def test_sending_waits_while_more_than_a_window_is_unread(autojump_clock):
    process, posted = remote_process()
    for _ in range(2):
        await process.send(bytes(WINDOW))
    with trio.move_on_after(5) as scope:
        await process.send(b"more")
    assert scope.cancelled_caught
    process.hear(Written("0.0", WINDOW))
    await process.send(b"more")
    assert [len(message.data) for message in posted if isinstance(message, Send)] == [WINDOW, WINDOW, 4]


async def test_what_was_consumed_is_confirmed_and_the_output_ends_after_its_last_byte(autojump_clock):
    process, posted = remote_process()
    process.hear(ProcessOutput("0.0", bytes(WINDOW // 4) + b"end"))
    process.hear(OutputEnded("0.0"))
    taken = b""
    while data := await process.receive():
        taken += data
    assert len(taken) == WINDOW // 4 + 3
    assert Consumed("0.0", WINDOW // 4) in posted


async def test_a_lost_link_ends_a_process_for_readers_writers_and_waiters(autojump_clock):
    process, _ = remote_process()
    process.lose("the node is gone")
    assert await process.receive() == b""
    assert await process.wait() == LOST
    assert process.stderr_tail() == "the node is gone"
    with pytest.raises(trio.BrokenResourceError):
        await process.send(b"anything")
    await process.end()


@pytest.mark.parametrize("answers", [True, False])
async def test_a_process_whose_node_does_not_answer_was_cut_off(autojump_clock, answers):
    process, _ = remote_process()
    if answers:
        process.hear(Ended("0.0", ()))
    await process.end()
    assert process.was_cut_off() is not answers


async def test_ending_is_asked_for_once_and_bounded(autojump_clock):
    process, posted = remote_process()
    await process.end()
    await process.end()
    assert posted == [End("0.0")]

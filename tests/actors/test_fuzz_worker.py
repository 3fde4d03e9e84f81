"""The fuzz worker actor against processes that misbehave, under the mock clock."""

from __future__ import annotations

import struct
from functools import partial

import pytest
import trio

from actors.campaign.plan import CampaignPlan
from actors.corpus.keeper import FROM_FOLDER
from actors.events.types import StopReason
from actors.runtime.supervisor import RestartPolicy
from actors.workers.sequence_groups import sequence_groups
from actors.workers.services import WorkerLimits, worker_seed
from actors.workers.worker import COMMAND_CAPACITY
from simulator.transaction import Transaction
from simulator.worker.commands import CloseTest, Focus, Fuzz, Setup, ToWorker
from simulator.worker.frame import PROTOCOL_VERSION
from simulator.worker.framing import MAX_FRAME, FrameDecoder, encode_frame
from simulator.worker.reports import Coverage, Done, Failed, FunctionCounts, Hello, Ready, Warn
from tests.support.fake_worker import CODE, FUNCTIONS, TESTS, FakeBrain, FakeProcess, FakeScript, FakeSpawner, behave

PLAN = CampaignPlan(call_limit=20_000, time_limit=None, shrink_limit=100)
HELLO = encode_frame(Hello(1, PROTOCOL_VERSION))
READY = encode_frame(Ready(TESTS, FUNCTIONS, (CODE,), ()))


def say(*data: bytes, then_exit: int | None = None):
    """A process that writes these bytes, then stays silent or exits."""

    async def behaviour(process: FakeProcess, brain: FakeBrain) -> None:
        for part in data:
            await process.theirs.send_all(part)
        if then_exit is not None:
            process.exit(then_exit)
        await trio.sleep_forever()

    return behaviour


def first_then_well(first):
    """The first process misbehaves, its replacement does not."""
    return lambda _, incarnation: first if incarnation == 0 else behave


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (say(), "did not send Hello within 20 s"),
        (say(HELLO), "did not send Ready within 300 s"),
        (say(encode_frame(Hello(1, 99))), "speaks protocol 99"),
        (say(READY), "sent Ready instead of Hello"),
        (say(HELLO, HELLO), "Hello before Ready"),
        (say(b"\xff" * 16), "exceeds the limit"),
        (say(struct.pack("<I", MAX_FRAME + 1)), "exceeds the limit"),
        (say(struct.pack("<I", 3) + b"abc"), "not a valid frame"),
        (say(HELLO, READY, encode_frame(Coverage(9, b"", b""))), "has not introduced"),
        (say(HELLO, READY, READY), "unexpected Ready"),
        (say(HELLO, READY), "silent for more than 30 s"),
        (say(then_exit=3), "exited with code 3: first line\nlast words"),
        (say(HELLO, READY, then_exit=-9), "was killed by SIGKILL"),
        (say(HELLO, encode_frame(Failed("E_INTERNAL", "a bug"))), "failed: a bug"),
    ],
)
async def test_a_process_that_breaks_the_protocol_is_replaced(autojump_clock, nursery, make_assembly, first, reason):
    """Whatever is wrong is said in the event log, and the campaign continues with another process."""
    spawner = FakeSpawner(nursery, behaviour=first_then_well(first))
    assembly = make_assembly(spawner, PLAN)
    end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    assert [test.state for test in end.tests] == ["solved", "solved", "passed"]
    assert reason in assembly.named("WorkerRestarting")[0].reason
    assert spawner.processes[0].ended


async def test_a_silent_worker_is_replaced_after_one_that_broke_the_protocol(autojump_clock, nursery, make_assembly):
    """A frame that could not be delivered is not taken for one that is still being delivered."""
    lives = (say(HELLO, READY, READY), say(HELLO, READY), behave)
    spawner = FakeSpawner(nursery, behaviour=lambda _, incarnation: lives[min(incarnation, 2)])
    assembly = make_assembly(spawner, PLAN)
    with trio.fail_after(1_000):
        end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    reasons = [event.reason for event in assembly.named("WorkerRestarting")]
    assert ["unexpected Ready" in reasons[0], "silent" in reasons[1]] == [True, True]


async def test_a_worker_that_lets_its_commands_pile_up_is_replaced(autojump_clock, nursery, make_assembly):
    """Once a command was lost the process is not trusted any more, whatever work it is given afterwards."""

    async def is_buried(process: FakeProcess, brain: FakeBrain) -> None:
        for _ in range(COMMAND_CAPACITY + 1):
            assembly.workers[0].tell(CloseTest(2))
        await say(HELLO, READY)(process, brain)

    spawner = FakeSpawner(nursery, behaviour=first_then_well(is_buried))
    assembly = make_assembly(spawner, PLAN)
    await assembly.run()
    assert "does not take commands" in assembly.named("WorkerRestarting")[0].reason
    assert spawner.processes[0].ended


async def test_a_refused_target_ends_the_campaign_at_once(autojump_clock, nursery, make_assembly):
    """A typed error of the target is not retried and is passed on with its code."""
    refusing = say(HELLO, encode_frame(Failed("E_TARGET", "the constructor reverts")))
    spawner = FakeSpawner(nursery, behaviour=lambda *_: refusing)
    end = await make_assembly(spawner, PLAN, workers=2).run()
    assert (end.reason, end.refusal, end.failure) == (StopReason.REFUSED, "E_TARGET", "the constructor reverts")
    assert len(spawner.processes) == 2
    assert all(process.ended for process in spawner.processes)


async def test_a_chain_that_is_lost_ends_the_campaign_with_what_was_found(autojump_clock, nursery, make_assembly):
    """Once a worker was ready there is something to report; before, the target is refused."""
    lost = encode_frame(Failed("E_CHAIN", "out of reach"))
    for frames, reason, refusal in (
        ((HELLO, READY, lost), StopReason.CHAIN_LOST, None),
        ((HELLO, lost), StopReason.REFUSED, "E_CHAIN"),
    ):
        spawner = FakeSpawner(nursery, behaviour=lambda *_, frames=frames: say(*frames))
        assembly = make_assembly(spawner, PLAN)
        end = await assembly.run()
        assert (end.reason, end.refusal, end.failure) == (reason, refusal, "out of reach")
        assert (end.ready is not None) == (refusal is None)


async def test_a_warning_is_told_once(autojump_clock, nursery, make_assembly):
    """A worker may say the same thing after each restart; the user reads it once."""
    warn = encode_frame(Warn("vm.ffi is off"))

    async def warning(process: FakeProcess, brain: FakeBrain) -> None:
        await process.theirs.send_all(HELLO + warn + warn + READY + warn)
        decoder: FrameDecoder[ToWorker] = FrameDecoder(ToWorker)
        while data := await process.theirs.receive_some(65_536):
            for command in decoder.feed(bytes(data)):
                for frame in brain.answer(command) if not isinstance(command, Setup) else ():
                    await process.theirs.send_all(encode_frame(frame))

    assembly = make_assembly(FakeSpawner(nursery, behaviour=lambda *_: warning), PLAN)
    await assembly.run()
    assert [event.message for event in assembly.named("Warned")] == ["vm.ffi is off"]


async def test_a_worker_over_its_memory_limit_is_replaced(autojump_clock, nursery, make_assembly):
    """Resident memory is measured every second; the successor continues."""
    slow = partial(behave, seconds_per_frame=0.2)

    async def big(process: FakeProcess, brain: FakeBrain) -> None:
        process.resident = 2 << 30
        await slow(process, brain)

    spawner = FakeSpawner(nursery, behaviour=lambda _, n: big if n == 0 else slow)
    assembly = make_assembly(spawner, PLAN, limits=WorkerLimits(memory=1 << 30))
    end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    assert "2048 MiB" in assembly.named("WorkerRestarting")[0].reason


async def test_a_replacement_replays_the_corpus_and_gets_another_seed(autojump_clock, nursery, make_assembly):
    """What was found before the crash reaches the new process before it fuzzes."""

    async def dies_later(process: FakeProcess, brain: FakeBrain) -> None:
        brain.script.crash_after = 6_000
        await behave(process, brain)

    spawner = FakeSpawner(nursery, behaviour=first_then_well(dies_later))
    assembly = make_assembly(spawner, PLAN)
    await assembly.run()
    seeds = [event.seed for event in assembly.named("WorkerStarted")]
    before_the_crash = 6_000 // FakeScript().new_coverage_every
    assert spawner.brains[1].replayed == before_the_crash + 1, "what brought coverage, and the shrunk failure"
    assert len(set(seeds)) == 2


async def test_a_worker_that_does_not_leave_is_killed(autojump_clock, nursery, make_assembly):
    """Deaf to `Stop`, a process has one second, then it is ended; the campaign's result is not touched."""

    async def stays(process: FakeProcess, brain: FakeBrain) -> None:
        process.exit = lambda code: None
        await behave(process, brain)
        await trio.sleep_forever()

    spawner = FakeSpawner(nursery, behaviour=lambda *_: stays)
    end = await make_assembly(spawner, PLAN).run()
    assert end.reason is StopReason.TEST_LIMIT
    assert spawner.processes[0].ended


async def test_a_worker_that_fails_while_idle_is_replaced_in_time_for_the_next_work(
    autojump_clock, nursery, make_assembly
):
    """Restarts within the intensity never end a campaign, however many processes they cost."""

    async def short_lived(process: FakeProcess, brain: FakeBrain) -> None:
        brain.script.crash_after = 3_500
        await behave(process, brain)

    spawner = FakeSpawner(nursery, behaviour=lambda *_: short_lived)
    policy = RestartPolicy(max_restarts=50)
    end = await make_assembly(spawner, PLAN, policy=policy).run()
    assert end.reason is StopReason.TEST_LIMIT
    assert len(spawner.processes) >= 5


async def test_work_for_a_dead_process_is_ignored(autojump_clock, nursery, make_assembly):
    """The campaign may not have heard yet that a worker is down; nothing of it reaches the successor."""
    assembly = make_assembly(FakeSpawner(nursery), PLAN)
    assembly.workers[0].assign(Fuzz(100), 0)
    assert assembly.workers[0].statistics().commands.waiting == 0


async def test_a_slow_reader_is_not_taken_for_a_silent_worker(autojump_clock, nursery, make_assembly):
    """While a worker's frames wait for the corpus keeper, its silence is ours."""
    spawner = FakeSpawner(nursery)
    assembly = make_assembly(spawner, PLAN, limits=WorkerLimits(silence=2.0))

    async def late_keeper() -> None:
        await trio.sleep(60)
        await assembly.keeper.run()

    nursery.start_soon(late_keeper)
    end = await assembly.campaign.run()
    assert end.reason is StopReason.TEST_LIMIT
    assert len(spawner.processes) == 1


async def test_loaded_entries_are_replayed_and_not_adopted_as_well(autojump_clock, nursery, make_assembly):
    """Each process gets an entry once."""
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}, most_coverage=0))
    assembly = make_assembly(spawner, PLAN, workers=2)
    async with trio.open_nursery() as keeping:
        keeping.start_soon(assembly.keeper.run)
        entries = tuple((Transaction(b"\x01" * 20, b"\x02" * 20, bytes([number])),) for number in range(5))
        await assembly.keeper.keep(FROM_FOLDER, entries)
        await assembly.campaign.run()
        keeping.cancel_scope.cancel()
    assert [(brain.replayed, brain.adopted) for brain in spawner.brains] == [(5, 0)] * 2


def test_every_process_has_a_seed_of_its_own():
    """The first worker's first process has the campaign's seed; all others differ and repeat."""
    seeds = [worker_seed(7, index, incarnation) for index in range(4) for incarnation in range(5)]
    assert seeds[0] == 7
    assert len(set(seeds)) == 20
    assert seeds == [worker_seed(7, index, incarnation) for index in range(4) for incarnation in range(5)]
    assert all(0 <= seed < 2**63 for seed in [*seeds, worker_seed(2**63 - 1, 3, 0)])


async def test_workers_are_set_up_with_different_seeds(autojump_clock, nursery, make_assembly):
    """Otherwise they would all generate the same."""
    spawner = FakeSpawner(nursery)
    await make_assembly(spawner, PLAN, workers=3, seed=5).run()
    seeds = [command.seed for brain in spawner.brains for command in brain.commands if isinstance(command, Setup)]
    assert sorted(seeds) == [5, 6, 7]


def test_groups_hold_all_sequences_in_order_and_stay_small():
    """Replays and adoptions are cut by number and by size."""
    small = tuple((Transaction(b"\x01" * 20, b"\x02" * 20, bytes([n])),) for n in range(200))
    groups = list(sequence_groups(small))
    assert [len(group) for group in groups] == [64, 64, 64, 8]
    assert sum(groups, ()) == small
    large = ((Transaction(b"\x01" * 20, b"\x02" * 20, bytes(1 << 19)),),) * 5
    assert [len(group) for group in sequence_groups(large)] == [1, 1, 1, 1, 1]


async def test_a_worker_is_recycled_in_good_order_after_its_calls(autojump_clock, nursery, make_assembly):
    """At a sequence boundary, without a failure, with another seed; the budget is used exactly."""
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}))
    assembly = make_assembly(
        spawner, PLAN, limits=WorkerLimits(recycle=5_000), policy=RestartPolicy(max_restarts=0), workers=1
    )
    end = await assembly.run()
    assert (end.reason, end.calls) == (StopReason.TEST_LIMIT, 20_000)
    assert [brain.calls for brain in spawner.brains if brain.calls] == [5_000] * 4
    assert {event.reason for event in assembly.named("WorkerRestarting")} == {"worker 0 is recycled after 5000 calls"}
    assert len({command.seed for brain in spawner.brains for command in brain.commands[:1]}) == len(spawner.brains)
    assert end.calls == sum(brain.calls for brain in spawner.brains)


async def test_a_worker_that_does_not_leave_when_recycled_is_killed_and_replaced(
    autojump_clock, nursery, make_assembly
):
    """That is a failure like any other, and the campaign continues."""

    async def clinging(process: FakeProcess, brain: FakeBrain) -> None:
        await process.theirs.send_all(HELLO)
        decoder: FrameDecoder[ToWorker] = FrameDecoder(ToWorker)
        while data := await process.theirs.receive_some(65_536):
            for command in decoder.feed(bytes(data)):
                for frame in brain.answer(command):
                    await process.theirs.send_all(encode_frame(frame))

    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}), first_then_well(clinging))
    assembly = make_assembly(spawner, PLAN, limits=WorkerLimits(recycle=5_000))
    end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    assert any("did not leave within 15 s" in event.reason for event in assembly.named("WorkerRestarting"))
    assert spawner.processes[0].ended


async def test_reviews_of_priorities_follow_calls_and_not_the_clock(autojump_clock, nursery, make_assembly):
    """The focus changes after the same calls however fast the worker is, and never while it works."""

    class Counting(FakeBrain):
        """Has covered nothing for long, and one function rarely executed."""

        def answer(self, command):
            if isinstance(command, Focus):
                self.heard.append((self.calls, command.weights))
            for frame in super().answer(command):
                if isinstance(frame, Done):
                    yield FunctionCounts((self.calls, 5), (0, 0), (100, 0), (self.calls, 1))
                yield frame

        def __init__(self, script: FakeScript) -> None:
            super().__init__(script)
            self.heard: list[object] = []

    async def heard(seconds: float) -> list[object]:
        slow = partial(behave, seconds_per_frame=seconds)
        spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}, heartbeat_every=20_000), lambda *_: slow)
        spawner.brain = Counting
        plan = CampaignPlan(call_limit=1_100_000, time_limit=None, shrink_limit=100)
        await make_assembly(spawner, plan).run()
        return spawner.brains[0].heard

    first = await heard(0.0)
    assert first == await heard(0.013)
    assert [calls for calls, _ in first] == [1_000_000]
    assert dict(first[0][1])["Fake.give(address,uint256)"] == 4.0

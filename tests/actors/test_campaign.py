"""The campaign actor over fake workers under the mock clock."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import trio

from actors.campaign.messages import StopCampaign
from actors.campaign.plan import CampaignPlan
from actors.events.types import StopReason
from actors.runtime.mailbox import Ask
from actors.runtime.supervisor import RestartPolicy
from actors.steering.commands import Pause, Resume
from actors.workers.services import WorkerLimits
from simulator.worker.commands import Fuzz, Interrupt, Shrink, ToWorker
from simulator.worker.reports import Done, FromWorker, Shrunk, Warn
from tests.support.fake_worker import LENGTH, CrashedError, FakeBrain, FakeProcess, FakeScript, FakeSpawner, behave

PLAN = CampaignPlan(call_limit=50_000, time_limit=None, shrink_limit=100)


async def test_a_campaign_finds_shrinks_and_ends_at_its_budget(autojump_clock, fake_spawner, make_assembly):
    """Both failing tests are solved with minimal sequences, the third passes, and the budget is used exactly."""
    assembly = make_assembly(fake_spawner, PLAN)
    end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    assert end.calls == 50_000
    assert [(test.state, len(test.sequence), test.minimal) for test in end.tests] == [
        ("solved", 2, True),
        ("solved", 2, True),
        ("passed", 0, False),
    ]
    corpus = assembly.keeper.statistics()
    assert (corpus.sequences - corpus.kept_always, corpus.kept_always) == (12, 2)
    assert assembly.tracker.statistics().points == 12
    assert all(process.ended for process in fake_spawner.processes)


async def test_one_worker_and_one_seed_give_the_same_events(autojump_clock, nursery, make_assembly):
    """Two runs have equal event logs, although their processes answer at different speeds."""

    async def events(seed: int, seconds: float) -> list[object]:
        slow = partial(behave, seconds_per_frame=seconds)
        assembly = make_assembly(FakeSpawner(nursery, behaviour=lambda *_: slow), PLAN, seed=seed)
        await assembly.run()
        return [event for event in assembly.events() if type(event[1]).__name__ != "TransactionExecuted"]

    assert await events(1, 0.0) == await events(1, 0.07)
    assert await events(1, 0.0) != await events(2, 0.0)


async def test_a_worker_fuzzes_between_two_slices_of_shrinking(autojump_clock, nursery, make_assembly):
    """A failure that takes many attempts does not keep the only worker from fuzzing, and still gets all of them."""
    script = FakeScript(falsify={0: 3_000}, never_minimal=True)
    spawner = FakeSpawner(nursery, lambda *_: script)
    plan = CampaignPlan(call_limit=200_000, time_limit=None, shrink_limit=1_000)
    end = await make_assembly(spawner, plan).run()
    work = [each for each in spawner.brains[0].commands if isinstance(each, Fuzz | Shrink)]
    slices = [index for index, each in enumerate(work) if isinstance(each, Shrink)]
    assert sum(work[index].attempts for index in slices) == 1_000
    assert len(slices) > 1
    assert all(second > first + 1 for first, second in itertools.pairwise(slices))
    assert (end.tests[0].state, end.tests[0].attempts, end.calls) == ("solved", 1_000, 200_000)


class FarSpawner(FakeSpawner):
    """What is sent to its workers arrives a tenth of a second later."""

    async def __call__(self, worker: int) -> FakeProcess:
        process = await super().__call__(worker)
        process.delay = 0.1
        return process


async def test_workers_far_away_do_not_wait_for_their_next_piece(autojump_clock, nursery, make_assembly):
    """One that has the next piece already makes use of the time in which its `Done` and the answer travel."""

    async def seconds(spawner: FakeSpawner) -> float:
        plan = CampaignPlan(call_limit=20_000, time_limit=None, shrink_limit=10)
        end = await make_assembly(spawner, plan, workers=2).run()
        assert 20_000 <= end.calls < 20_000 + 2 * LENGTH
        return end.seconds

    def workers(*_: int) -> FakeScript:
        return FakeScript(falsify={}, heartbeat_every=100, most_coverage=0)

    slow = partial(behave, seconds_per_frame=0.1)
    near = await seconds(FakeSpawner(nursery, workers, lambda *_: slow))
    far = await seconds(FarSpawner(nursery, workers, lambda *_: slow))
    assert far < 1.15 * near


async def test_an_only_worker_gets_one_piece_at_a_time(autojump_clock, fake_spawner, make_assembly):
    """What it does follows from its seed and its calls, whatever arrives when."""
    await make_assembly(fake_spawner, PLAN).run()
    assert not any(isinstance(each, Fuzz) and each.ahead for each in fake_spawner.brains[0].commands)


async def test_a_worker_that_dies_with_two_pieces_in_hand_loses_neither(autojump_clock, nursery, make_assembly):
    """Both are given out again."""
    spawner = FakeSpawner(nursery, lambda _, n: FakeScript(falsify={}, crash_after=30_000 if n == 0 else None))
    plan = CampaignPlan(call_limit=200_000, time_limit=None, shrink_limit=10)
    assembly = make_assembly(spawner, plan, workers=2)
    end = await assembly.run()
    assert any(isinstance(each, Fuzz) and each.ahead for brain in spawner.brains for each in brain.commands)
    assert len(spawner.processes) > 2
    assert 200_000 <= end.calls < 200_000 + 2 * LENGTH


async def test_a_crashed_worker_is_replaced_and_its_budget_is_not_lost(autojump_clock, nursery, make_assembly):
    """The first process dies in the middle of its work; the campaign still makes all calls and finds everything."""
    spawner = FakeSpawner(nursery, lambda _, n: FakeScript(crash_after=4_000 if n == 0 else None))
    assembly = make_assembly(spawner, PLAN)
    end = await assembly.run()
    assert len(spawner.processes) == 2
    assert end.calls >= 50_000
    assert [test.state for test in end.tests] == ["solved", "solved", "passed"]
    assert spawner.brains[1].closed >= {0}
    assert "SIGSEGV" in assembly.named("WorkerRestarting")[0].reason


async def test_a_silent_worker_is_killed_and_replaced(autojump_clock, nursery, make_assembly):
    """Silence during work for longer than the limit costs the process, not the campaign."""
    spawner = FakeSpawner(nursery, lambda _, n: FakeScript(silent_after=4_000 if n == 0 else None))
    assembly = make_assembly(spawner, PLAN, limits=WorkerLimits(silence=2.0))
    end = await assembly.run()
    assert spawner.processes[0].ended
    assert end.reason is StopReason.TEST_LIMIT
    assert assembly.campaign.status().workers[0].restarts == 1, "the process that left at the end was not lost"
    assert "silent" in assembly.named("WorkerRestarting")[0].reason


async def test_workers_that_fail_at_once_end_the_campaign_as_a_failure(autojump_clock, nursery, make_assembly):
    """Past the restart intensity of every worker there is nobody left, and open tests are in error."""
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(crash_after=0))
    end = await make_assembly(spawner, PLAN, workers=2, policy=RestartPolicy(max_restarts=3)).run()
    assert end.reason is StopReason.NO_WORKERS
    assert {test.state for test in end.tests} == {"error"}
    assert len(spawner.processes) == 8


async def test_one_broken_worker_does_not_end_the_campaign_of_the_others(autojump_clock, nursery, make_assembly):
    """Worker 0 is given up; worker 1 uses the whole budget."""
    spawner = FakeSpawner(nursery, lambda worker, _: FakeScript(crash_after=0 if worker == 0 else None))
    end = await make_assembly(spawner, PLAN, workers=2, policy=RestartPolicy(max_restarts=1)).run()
    assert end.reason is StopReason.TEST_LIMIT
    assert [test.state for test in end.tests] == ["solved", "solved", "passed"]
    assert end.calls >= 50_000


async def test_a_time_limit_interrupts_fuzzing(autojump_clock, nursery, make_assembly):
    """The campaign ends soon after its seconds are over, whatever is under way."""
    slow = partial(behave, seconds_per_frame=0.5)
    spawner = FakeSpawner(nursery, behaviour=lambda *_: slow)
    plan = CampaignPlan(call_limit=None, time_limit=20.0, shrink_limit=100)
    end = await make_assembly(spawner, plan, workers=2).run()
    assert end.reason is StopReason.TIMEOUT
    assert 20.0 <= end.seconds < 40.0


async def test_stop_on_fail_shrinks_the_failure_and_leaves(autojump_clock, fake_spawner, make_assembly):
    """Only the first failing test is found, and it is shrunk before the end."""
    plan = CampaignPlan(call_limit=50_000, time_limit=None, shrink_limit=100, stop_on_fail=True)
    end = await make_assembly(fake_spawner, plan).run()
    assert end.reason is StopReason.STOP_ON_FAIL
    assert [test.state for test in end.tests] == ["solved", "passed", "passed"]
    assert end.tests[0].minimal


async def test_a_campaign_ends_when_every_test_is_decided(autojump_clock, nursery, make_assembly):
    """With no open test left, fuzzing stops before the budget is used."""
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={0: 100, 1: 200, 2: 300}))
    end = await make_assembly(spawner, PLAN, workers=2).run()
    assert end.reason is StopReason.ALL_TESTS_CLOSED
    assert [test.state for test in end.tests] == ["solved"] * 3
    assert end.calls < 50_000


async def test_a_stop_command_ends_the_campaign_and_keeps_what_was_found(autojump_clock, nursery, make_assembly):
    """After a stop no process is left and a test that was shrinking is reported as it stands."""
    slow = partial(behave, seconds_per_frame=0.5)
    spawner = FakeSpawner(nursery, behaviour=lambda *_: slow)
    assembly = make_assembly(spawner, CampaignPlan(None, None, 100))

    async def stop_while_shrinking() -> None:
        while not assembly.named("ShrinkProgress"):  # noqa: ASYNC110  # virtual time
            await trio.sleep(0.1)
        await assembly.campaign.send(StopCampaign(StopReason.INTERRUPTED))

    nursery.start_soon(stop_while_shrinking)
    end = await assembly.run()
    assert end.reason is StopReason.INTERRUPTED
    assert end.tests[0].state == "solved"
    assert all(process.ended for process in spawner.processes)


async def test_workers_adopt_what_others_found(autojump_clock, nursery, make_assembly):
    """Entries of one worker reach the other, and not their finder."""
    finder, other = FakeScript(falsify={}, new_coverage_every=50), FakeScript(falsify={}, most_coverage=0)
    spawner = FakeSpawner(nursery, lambda worker, _: finder if worker == 0 else other)
    await make_assembly(spawner, PLAN, workers=2).run()
    assert spawner.latest[0].adopted == 0
    assert spawner.latest[1].adopted == 12


async def test_a_worker_that_dies_while_shrinking_is_followed_by_another(autojump_clock, nursery, make_assembly):
    """The replacement continues from the smallest sequence that was reported, and the limit counts both."""
    spawner = FakeSpawner(nursery, lambda _, n: FakeScript(crash_in_shrink=n == 0))
    end = await make_assembly(spawner, PLAN).run()
    assert [(test.state, test.minimal) for test in end.tests[:2]] == [("solved", True)] * 2
    assert len(spawner.processes) == 2


async def test_the_worker_that_ends_fuzzing_is_not_interrupted(autojump_clock, nursery, make_assembly):
    """With one worker no interrupt is ever sent, because where it takes effect would depend on the clock."""
    for falsify in ({0: 100, 1: 200, 2: 300}, {}):
        spawner = FakeSpawner(nursery, lambda *_, falsify=falsify: FakeScript(falsify=falsify))
        await make_assembly(spawner, PLAN).run()
        assert not any(isinstance(command, Interrupt) for command in spawner.brains[0].commands)


async def test_other_workers_are_interrupted_when_every_test_is_decided(autojump_clock, nursery, make_assembly):
    """They need not finish pieces that nobody waits for."""
    finder, other = FakeScript(falsify={0: 100, 1: 200, 2: 300}), FakeScript(falsify={})
    # The finder is the slower one, so that the other is in the middle of a piece.
    speeds = [partial(behave, seconds_per_frame=seconds) for seconds in (5.0, 1.0)]
    spawner = FakeSpawner(nursery, lambda worker, _: finder if worker == 0 else other, lambda worker, _: speeds[worker])
    patient = WorkerLimits(interrupt=600.0)  # a fake reads nothing before its piece ends
    await make_assembly(spawner, PLAN, workers=2, limits=patient).run()
    kinds = [type(command) for command in spawner.latest[1].commands]
    assert Interrupt in kinds[kinds.index(Fuzz) :]


async def test_a_pause_gives_out_no_work_until_it_is_resumed(autojump_clock, nursery, make_assembly):
    """Calls stand still while paused; the budget is used up afterwards."""
    slow = partial(behave, seconds_per_frame=0.1)
    assembly = make_assembly(FakeSpawner(nursery, behaviour=lambda *_: slow), PLAN)
    paused: list[int] = []

    async def pause() -> None:
        await trio.sleep(1)
        await assembly.campaign.send(Ask(Pause()))
        for _ in range(3):
            await trio.sleep(60)
            paused.append(assembly.campaign.status().calls)
        await assembly.campaign.send(Ask(Resume()))

    nursery.start_soon(pause)
    end = await assembly.run()
    assert len(set(paused)) == 1
    assert paused[0] < end.calls
    assert end.reason is StopReason.TEST_LIMIT


async def test_shrinking_after_the_time_limit_has_a_bounded_grace(autojump_clock, nursery, make_assembly):
    """A shrink that never ends is cut off, and the failure is reported as it was found."""

    class Endless(FakeBrain):
        def shrink(self, command):
            while True:
                yield self.heartbeat()

    spawner = FakeSpawner(nursery, behaviour=lambda *_: partial(behave, seconds_per_frame=0.5))
    spawner.brain = Endless
    plan = CampaignPlan(call_limit=None, time_limit=20.0, shrink_limit=100, shrink_grace=30.0)
    assembly = make_assembly(spawner, plan)
    end = await assembly.run()
    assert end.tests[0].state == "solved"
    assert not end.tests[0].minimal
    assert 50.0 <= end.seconds < 75.0
    assert "of an interrupt" in assembly.named("WorkerRestarting")[0].reason


async def test_calls_are_counted_once_when_a_process_dies_between_two_pieces(autojump_clock, nursery, make_assembly):
    """A piece that was done before the process died is not lost with it as well, however busy the campaign is."""

    async def dies_after_its_first_piece(process: FakeProcess, brain: FakeBrain) -> None:
        original = brain.answer

        def answer(command: ToWorker) -> Iterator[FromWorker]:
            yield from original(command)
            if isinstance(command, Fuzz):
                raise CrashedError

        brain.answer = answer
        await slow(process, brain)

    slow = partial(behave, seconds_per_frame=0.02)
    spawner = FakeSpawner(
        nursery,
        lambda worker, _: FakeScript(falsify={0: 1_000} if worker == 1 else {}),
        lambda worker, incarnation: dies_after_its_first_piece if (worker, incarnation) == (0, 0) else slow,
    )
    assembly = make_assembly(spawner, PLAN, workers=2)

    async def slow_disk(*_: object, **__: object) -> None:
        await trio.sleep(1)

    assembly.keeper.keep_reproducer = slow_disk
    end = await assembly.run()
    assert len(spawner.brains) == 3
    assert end.calls == sum(brain.calls for brain in spawner.brains)


async def test_calls_shown_before_an_interruption_are_in_the_result(autojump_clock, nursery, make_assembly):
    """Also those of a process that dies at the same moment, whose end nobody could report any more."""
    everything = trio.CancelScope()

    async def dies_at_the_end(process: FakeProcess, brain: FakeBrain) -> None:
        async def end() -> None:
            everything.cancel()
            await FakeProcess.end(process)

        process.end = end
        await behave(process, brain)

    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}, crash_after=1_500), lambda *_: dies_at_the_end)
    assembly = make_assembly(spawner, PLAN)
    nursery.start_soon(assembly.keeper.run)
    with everything:
        await assembly.campaign.run()
    assert (await assembly.campaign.conclude()).calls == 1_000
    assert assembly.campaign.status().calls == 1_000
    nursery.cancel_scope.cancel()


class WarningBrain(FakeBrain):
    """Meets in each piece of work what is not supported."""

    def fuzz(self, calls: int) -> Iterator[FromWorker]:
        yield Warn("the cheatcode vm.rpc(string,string) is not supported")
        yield from super().fuzz(calls)


async def test_a_warning_is_given_once_for_all_workers(autojump_clock, fake_spawner, make_assembly):
    """Each of them meets it."""
    fake_spawner.brain = WarningBrain
    assembly = make_assembly(fake_spawner, PLAN, workers=3)
    await assembly.run()
    warnings = [event.message for event in assembly.named("Warned")]
    assert warnings == ["the cheatcode vm.rpc(string,string) is not supported"]


async def test_a_campaign_without_a_single_call_has_tested_nothing(autojump_clock, nursery, make_assembly):
    """The time is over while the first call hangs: no test passes, and the result says why."""
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}, silent_after=0))
    plan = CampaignPlan(call_limit=None, time_limit=0.5, shrink_limit=100)
    assembly = make_assembly(spawner, plan)
    end = await assembly.run()
    reason = "nothing was fuzzed: the campaign ended before its first call (time limit reached)"
    assert (end.calls, end.failure) == (0, reason)
    assert {(test.state, test.reason) for test in end.tests} == {("error", reason)}
    assert [event.message for event in assembly.named("Warned")] == [reason]


async def test_a_campaign_that_was_to_make_no_call_may_pass(autojump_clock, fake_spawner, make_assembly):
    """A limit of 0 only checks the deployed state and replays the corpus."""
    end = await make_assembly(fake_spawner, CampaignPlan(call_limit=0, time_limit=None, shrink_limit=100)).run()
    assert (end.calls, end.failure) == (0, None)
    assert {test.state for test in end.tests} == {"passed"}


async def test_failures_are_shrunk_by_several_workers_while_others_fuzz(autojump_clock, nursery, make_assembly):
    """Each failing test has one worker; the rest of them continue fuzzing, and shrink when it is their turn."""
    slow = partial(behave, seconds_per_frame=0.05)

    class Thorough(FakeBrain):
        def shrink(self, command):
            for _ in range(50):
                yield self.heartbeat()
            yield from super().shrink(command)

    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={0: 1_000, 1: 1_500}), lambda *_: slow)
    spawner.brain = Thorough
    assembly = make_assembly(spawner, CampaignPlan(call_limit=400_000, time_limit=None, shrink_limit=100), workers=3)
    seen: set[tuple[str, ...]] = set()

    async def look() -> None:
        while True:
            seen.add(tuple(sorted(worker.work for worker in assembly.campaign.status().workers)))
            await trio.sleep(0.05)

    nursery.start_soon(look)
    end = await assembly.run()
    assert ("fuzz", "shrink", "shrink") in seen
    assert [test.state for test in end.tests] == ["solved", "solved", "passed"]


async def test_idle_workers_help_to_shrink_when_fuzzing_is_over(autojump_clock, nursery, make_assembly):
    """All of them shrink the one failure; it is decided when the last is done, by the simplest result."""
    slow = partial(behave, seconds_per_frame=0.05)
    variants: list[int] = []

    class Diligent(FakeBrain):
        def shrink(self, command):
            variants.append(command.variant)
            for _ in range(50 * (1 + command.variant)):
                yield self.heartbeat()
            kept = command.sequence[: 2 if command.variant == 1 else 3]
            yield Shrunk(command.test, kept, 7, command.variant == 1, "returned false")
            yield Done(7, "finished")

    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={0: 100}), lambda *_: slow)
    spawner.brain = Diligent
    plan = CampaignPlan(call_limit=50_000, time_limit=None, shrink_limit=100, stop_on_fail=True)
    assembly = make_assembly(spawner, plan, workers=3)
    end = await assembly.run()
    assert sorted(variants) == [0, 1, 2]
    assert (len(end.tests[0].sequence), end.tests[0].minimal, end.tests[0].state) == (2, True, "solved")
    assert len(assembly.named("TestDecided")) == len(end.tests)

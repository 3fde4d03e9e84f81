"""A campaign that continues where another program left it."""

from __future__ import annotations

from functools import partial

import msgspec
import pytest
import trio
import trio.testing

from actors.campaign.plan import CampaignPlan
from actors.campaign.state import CampaignState, Earlier
from actors.campaign.tests import TestRecord, TestTable
from actors.campaign.worker_steering import SteeringState
from actors.coverage.function_table import FunctionTotals
from actors.events.types import FuzzingResumed, StopReason
from actors.steering.commands import (
    AddDictionaryValues,
    AddTemplate,
    CallRequest,
    DictionaryValue,
    ExcludeFunction,
    Limits,
)
from actors.workers.services import worker_seed
from simulator.worker.commands import AddWords, Focus, Fuzz, Replay, SetTemplates
from simulator.worker.reports import TestInfo
from tests.support.fake_worker import TESTS, FakeBrain, FakeScript, FakeSpawner, behave

QUIET = FakeScript(falsify={})
NO_LIMITS = Limits(None, None, None, 5_000)


def earlier(**fields: object) -> Earlier:
    plain = CampaignState(0, 0.0, NO_LIMITS, (), SteeringState(), 1, (1,))
    return Earlier(msgspec.structs.replace(plain, **fields), trio.current_time())


def slow_spawner(nursery: trio.Nursery) -> FakeSpawner:
    slow = partial(behave, seconds_per_frame=0.5)
    return FakeSpawner(nursery, lambda *_: QUIET, lambda *_: slow)


def told(spawner: FakeSpawner, kind: type, worker: int = 0) -> list[object]:
    return [command for command in spawner.latest[worker].commands if isinstance(command, kind)]


async def test_what_was_used_of_a_limit_counts(autojump_clock, nursery, make_assembly):
    """Of 10,000 calls 9,000 were made before: 1,000 follow, and the total is told."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    assembly = make_assembly(spawner, CampaignPlan(10_000, None, 100), earlier=earlier(calls=9_000, seconds=50.0))
    end = await assembly.run()
    assert (end.reason, end.calls) == (StopReason.TEST_LIMIT, 10_000)
    assert end.seconds >= 50.0
    assert sum(work.calls for work in told(spawner, Fuzz)) == 1_000


async def test_a_campaign_that_has_ended_continues_with_as_many_workers(autojump_clock, nursery, make_assembly):
    """Those that left because it ended are to be there again."""
    assembly = make_assembly(FakeSpawner(nursery, lambda *_: QUIET), CampaignPlan(4_000, None, 100), workers=3)
    await assembly.run()
    assert assembly.campaign.state().workers == 3


async def test_seconds_that_were_used_count(autojump_clock, nursery, make_assembly):
    """A campaign of 60 s that had 50 s fuzzes for 10 s more."""
    spawner = slow_spawner(nursery)
    began = trio.current_time()
    end = await make_assembly(spawner, CampaignPlan(None, 60.0, 100), earlier=earlier(seconds=50.0)).run()
    assert end.reason is StopReason.TIMEOUT
    assert 60.0 <= end.seconds < 75.0
    assert trio.current_time() - began < 25.0


SOLVED = msgspec.structs.replace(
    TestRecord(TestInfo(0, "", "property", "Fake"), "solved", "false", FakeBrain().sequence()), minimal=True
)
DECIDED = tuple(msgspec.structs.replace(SOLVED, info=info) for info in TESTS)


@pytest.mark.parametrize(
    ("plan", "state", "reason"),
    [
        (CampaignPlan(5_000, None, 100), {"calls": 5_000}, StopReason.TEST_LIMIT),
        (CampaignPlan(None, 60.0, 100), {"calls": 9_000, "seconds": 60.5}, StopReason.TIMEOUT),
        (CampaignPlan(None, None, 100), {"tests": DECIDED}, StopReason.ALL_TESTS_CLOSED),
        (CampaignPlan(None, None, 100, stop_on_fail=True), {"tests": DECIDED[:1]}, StopReason.STOP_ON_FAIL),
    ],
)
async def test_a_campaign_with_nothing_left_to_fuzz_replays_its_corpus(
    autojump_clock, nursery, make_assembly, plan, state, reason
):
    """So its coverage is that of its corpus. Two workers begin at other places; one of them sees all of it."""
    spawner = slow_spawner(nursery)
    assembly = make_assembly(spawner, plan, workers=2, earlier=earlier(**state))
    brain = FakeBrain()
    corpus = [brain.sequence() for _ in range(200)]
    nursery.start_soon(assembly.keeper.run)
    await assembly.keeper.keep(-1, tuple(corpus))
    with trio.fail_after(300):
        end = await assembly.campaign.run()
    assert (end.reason, end.failure) == (reason, None)
    assert max(brain.replayed for brain in spawner.brains) == len(corpus)
    assert not any(isinstance(command, Fuzz) for brain in spawner.brains for command in brain.commands)


async def test_a_limit_of_no_calls_is_a_replay_of_the_corpus(autojump_clock, nursery, make_assembly):
    """Nothing is resumed here."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    assembly = make_assembly(spawner, CampaignPlan(0, None, 100))
    nursery.start_soon(assembly.keeper.run)
    await assembly.keeper.keep(-1, (FakeBrain().sequence(),))
    end = await assembly.campaign.run()
    assert (end.reason, end.calls, spawner.latest[0].replayed) == (StopReason.TEST_LIMIT, 0, 1)


async def test_counts_of_functions_continue(autojump_clock, nursery, make_assembly):
    """Both for those that read priorities and for those that read coverage."""
    totals = FunctionTotals("Fake", "poke(uint256)", 100, 7, 90)
    assembly = make_assembly(
        FakeSpawner(nursery, lambda *_: QUIET), CampaignPlan(4_000, None, 100), earlier=earlier(functions=(totals,))
    )
    await assembly.run()
    assert assembly.tracker.function_counts()[0] == (100, 7)
    assert assembly.campaign.state().functions[0] == totals
    kept = msgspec.json.decode(msgspec.json.encode(assembly.campaign.state()), type=CampaignState)
    assert kept.functions[0] == totals


async def test_a_limit_that_is_used_up_ends_the_campaign_with_what_it_knew(autojump_clock, nursery, make_assembly):
    """Nothing is fuzzed, and a finding stays one."""
    found = TestRecord(TestInfo(0, "echidna_first", "property", "Fake"), "solved", "false", FakeBrain().sequence())
    found = msgspec.structs.replace(found, minimal=True)
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    state = earlier(calls=5_000, tests=(found,))
    end = await make_assembly(spawner, CampaignPlan(5_000, None, 100), earlier=state).run()
    assert end.failure is None
    assert [record.state for record in end.tests] == ["solved", "passed", "passed"]
    assert not told(spawner, Fuzz)


async def test_workers_continue_with_seeds_that_were_not_used(autojump_clock, nursery, make_assembly):
    """Worker 0 had two processes before, worker 1 none: the third seed of one, the first of the other."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    assembly = make_assembly(
        spawner, CampaignPlan(4_000, None, 100), workers=2, seed=7, earlier=earlier(processes=(2,))
    )
    assert assembly.campaign.state().processes == (2, 0)
    await assembly.run()
    seeds = {worker: event.seed for worker, event in assembly.events() if type(event).__name__ == "WorkerStarted"}
    assert seeds == {0: worker_seed(7, 0, 2), 1: worker_seed(7, 1, 0)}
    assert assembly.campaign.state().processes == (3, 1)


async def test_what_people_said_holds_again(autojump_clock, nursery, make_assembly):
    """Exclusions, dictionary values and templates reach the workers before their first work."""
    first = make_assembly(slow_spawner(nursery), CampaignPlan(None, None, 100))
    async with trio.open_nursery() as inner:
        inner.start_soon(first.run)
        await trio.sleep(5)
        await first.campaign.ask(ExcludeFunction("poke"), 5)
        await first.campaign.ask(AddTemplate((CallRequest("give(?, 1)", sender=None),)), 5)
        await first.campaign.ask(AddDictionaryValues((DictionaryValue("77"),)), 5)
        state = msgspec.json.decode(msgspec.json.encode(first.campaign.state()), type=CampaignState)
        inner.cancel_scope.cancel()
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    again = make_assembly(spawner, CampaignPlan(state.calls + 100, None, 100), earlier=Earlier(state, 0.0))
    await again.run()
    commands = spawner.latest[0].commands
    before = commands[: next(index for index, command in enumerate(commands) if isinstance(command, Fuzz))]
    assert [type(command) for command in before if isinstance(command, Focus | AddWords | SetTemplates)] == [
        Focus,
        AddWords,
        SetTemplates,
    ]
    assert again.campaign.state().steering == state.steering


async def test_a_template_that_fits_no_longer_is_told_and_dropped(autojump_clock, nursery, make_assembly):
    """The rest of the checkpoint holds."""
    first = make_assembly(slow_spawner(nursery), CampaignPlan(None, None, 100))
    async with trio.open_nursery() as inner:
        inner.start_soon(first.run)
        await trio.sleep(5)
        await first.campaign.ask(AddTemplate((CallRequest("poke(?)"),)), 5)
        state = first.campaign.state()
        inner.cancel_scope.cancel()
    (info,) = state.steering.templates
    gone = msgspec.structs.replace(info, calls=(CallRequest("gone(?)"),))
    steering = msgspec.structs.replace(state.steering, templates=(gone,))
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    again = make_assembly(spawner, CampaignPlan(100, None, 100), earlier=earlier(steering=steering))
    await again.run()
    assert ["template 1 is dropped" in event.message for event in again.named("Warned")] == [True]


async def test_the_first_call_that_was_not_made_before_is_told_once(autojump_clock, nursery, make_assembly):
    """With the time it took; a campaign that begins says nothing of the kind."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    assembly = make_assembly(spawner, CampaignPlan(4_000, None, 100), workers=2, earlier=earlier())
    await assembly.run()
    assert assembly.named("FuzzingResumed") == [FuzzingResumed(0.0, 0)]
    plain = make_assembly(FakeSpawner(nursery, lambda *_: QUIET), CampaignPlan(4_000, None, 100))
    await plain.run()
    assert plain.named("FuzzingResumed") == []


async def test_every_worker_replays_failing_entries_first(autojump_clock, nursery, make_assembly):
    """Whatever came before them, and each worker begins at another one of the rest."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    assembly = make_assembly(spawner, CampaignPlan(4_000, None, 100), workers=2)
    brain = FakeBrain()
    plain, failing = [brain.sequence() for _ in range(4)], brain.sequence()
    async with trio.open_nursery() as inner:
        inner.start_soon(assembly.keeper.run)
        await assembly.keeper.keep(-1, tuple(plain))
        await assembly.keeper.keep_reproducer(failing, shrunk=True)
        inner.start_soon(assembly.campaign.run)
        with trio.fail_after(30):
            while not assembly.named("CampaignStopped"):  # noqa: ASYNC110  # the mock clock makes it cheap
                await trio.sleep(0.1)
        inner.cancel_scope.cancel()
    for worker in (0, 1):
        replayed = [sequence for work in told(spawner, Replay, worker) for sequence in work.sequences]
        assert replayed[0] == failing
        assert replayed[1:] == plain[2 * worker :] + plain[: 2 * worker]


def record(name: str, state: str, kind: str = "property", **fields: object) -> TestRecord:
    return TestRecord(TestInfo(0, name, kind, "Fake"), state, **fields)


def test_tests_are_taken_up_by_name():
    """What passed is open again, shrinking continues, findings and crashes stay, an unknown test is left out."""
    sequence = FakeBrain().sequence()
    table = TestTable(5_000)
    names = ("a", "b", "c", "d", "new")
    kinds = ("property", "property", "property", "optimization", "property")
    table.introduce(
        tuple(TestInfo(i, name, kind, "Fake") for i, (name, kind) in enumerate(zip(names, kinds, strict=True)))
    )
    known = table.restore(
        (
            record("gone", "solved", sequence=sequence),
            record("c", "solved", sequence=sequence, attempts=10),
            record("b", "solved", sequence=sequence, minimal=True),
            record("a", "passed"),
            record("d", "solved", "optimization", sequence=sequence, value="7", minimal=True, attempts=9),
            record("crash_1", "solved", "crash", sequence=sequence),
        )
    )
    assert known == 4
    assert [one.state for one in table.records] == ["open", "solved", "shrinking", "open", "open", "solved"]
    assert [one.info.id for one in table.records] == [0, 1, 2, 3, 4, 5]
    assert table[3].value == "7"
    assert table.next_shrink().test == 2
    assert table.closed == (1, 2)

"""Commands to a campaign about its course: limits, workers, pause, corpus, reports."""

from __future__ import annotations

from functools import partial

import pytest
import trio

from actors.campaign.plan import CampaignPlan
from actors.campaign.status import CampaignEnd
from actors.events.types import StopReason
from actors.runtime.errors import (
    CommandRejected,
)
from actors.steering.commands import (
    AddTemplate,
    Changed,
    DumpReports,
    ExecuteSequence,
    FunctionsChanged,
    Injection,
    InjectSequence,
    Limits,
    Pause,
    PrioritizeFunction,
    ReloadCorpus,
    Reloaded,
    Reopened,
    ResetTests,
    Resume,
    SetLimits,
    SetWorkers,
    TemplateInfo,
    WorkerCount,
)
from simulator.worker.commands import Replay
from tests.support.fake_worker import FakeBrain, FakeScript, FakeSpawner, behave
from tests.support.patience import until
from tests.support.steered import ENDLESS, POKE, QUIET, endless, sent, slowly, steer


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (SetLimits(call_limit=10), StopReason.TEST_LIMIT),
        (SetLimits(time_limit=3.0), StopReason.TIMEOUT),
        (SetLimits(time_limit=1.0), StopReason.TIMEOUT),
        (SetLimits(coverage_limit=0.5), StopReason.NO_NEW_COVERAGE),
    ],
)
async def test_a_limit_can_be_set_while_the_campaign_runs(autojump_clock, nursery, make_assembly, limits, reason):
    """One that is passed already ends fuzzing at once; what was not named stays."""
    _, assembly = endless(nursery, make_assembly)

    async def script() -> None:
        present = await assembly.campaign.ask(limits)
        assert present.shrink_limit == 100
        assert assembly.campaign.status().limits == present
        with trio.move_on_after(60):
            while not assembly.named("CampaignStopped"):  # noqa: ASYNC110  # virtual time
                await trio.sleep(0.1)

    assert (await steer(assembly, script)).reason is reason


async def test_a_limit_can_be_raised_and_taken_away(autojump_clock, nursery, make_assembly):
    """The budget grows while its last pieces are executed; all of it is used."""
    plan = CampaignPlan(call_limit=30_000, time_limit=None, shrink_limit=100)
    _, assembly = endless(nursery, make_assembly, plan=plan)

    async def script() -> None:
        await assembly.campaign.ask(SetLimits(call_limit=None))
        assert await assembly.campaign.ask(SetLimits(call_limit=90_000, shrink_limit=7)) == Limits(
            90_000, None, None, 7
        )
        for wrong in (SetLimits(call_limit=-1), SetLimits(time_limit=-0.5), SetLimits(coverage_limit=1e18)):
            with pytest.raises(CommandRejected):
                await assembly.campaign.ask(wrong)
        while not assembly.named("CampaignStopped"):  # noqa: ASYNC110  # virtual time
            await trio.sleep(1)

    end = await steer(assembly, script, after=0.1)
    assert end.reason is StopReason.TEST_LIMIT
    assert 90_000 <= end.calls < 90_020


async def test_workers_are_hired_and_leave_without_losing_budget(autojump_clock, nursery, make_assembly):
    """From two to four to one; every call of the limit is made once."""
    plan = CampaignPlan(call_limit=600_000, time_limit=None, shrink_limit=100)
    spawner, assembly = endless(nursery, make_assembly, plan=plan)

    async def script() -> None:
        assert await assembly.campaign.ask(SetWorkers(4)) == WorkerCount(4, 2)
        await trio.sleep(2)
        assert all(spawner.latest[worker].calls > 0 for worker in range(4))
        assert await assembly.campaign.ask(SetWorkers(1)) == WorkerCount(1, 4)
        await trio.sleep(3)
        assert [worker.ended for worker in assembly.campaign.status().workers] == [False, True, True, True]
        for wrong in (0, -1, 256):
            with pytest.raises(CommandRejected):
                await assembly.campaign.ask(SetWorkers(wrong))
        while not assembly.named("CampaignStopped"):  # noqa: ASYNC110  # virtual time
            await trio.sleep(1)

    end = await steer(assembly, script)
    assert end.reason is StopReason.TEST_LIMIT
    assert end.calls == sum(brain.calls for brain in spawner.brains)
    assert 600_000 <= end.calls < 600_040
    assert len(spawner.processes) == 4


async def test_a_paused_campaign_still_takes_injections_and_does_not_end_for_lack_of_coverage(
    autojump_clock, nursery, make_assembly
):
    """Workers that have nothing to do execute at once; the time of the pause is no time without coverage."""
    plan = CampaignPlan(None, None, 100, coverage_limit=500.0)
    _, assembly = endless(nursery, make_assembly, plan=plan)

    async def script() -> None:
        assert await assembly.campaign.ask(Pause()) == Changed(True)
        assert await assembly.campaign.ask(Pause()) == Changed(False)
        await trio.sleep(1_000)
        await assembly.campaign.ask(InjectSequence((POKE,)))
        await trio.sleep(0.5)
        assert assembly.campaign.statistics().steering.unanswered == 0
        assert await assembly.campaign.ask(Resume()) == Changed(True)
        calls = assembly.campaign.status().calls
        await trio.sleep(5)
        assert assembly.campaign.status().calls > calls

    assert (await steer(assembly, script)).reason is StopReason.REQUESTED


async def test_no_time_passes_during_a_pause(autojump_clock, nursery, make_assembly):
    """The whole time limit is left for fuzzing, and the time that is reported is that of fuzzing."""
    plan = CampaignPlan(None, 60.0, 100)
    _, assembly = endless(nursery, make_assembly, plan=plan)
    ends: list[float] = []

    async def script() -> None:
        await assembly.campaign.ask(Pause())
        before = assembly.campaign.status().seconds
        await trio.sleep(100)
        assert assembly.campaign.status().seconds == pytest.approx(before)
        await assembly.campaign.ask(Resume())
        began = trio.current_time()
        await until(lambda: assembly.campaign.is_over)
        ends.append(before + trio.current_time() - began)

    end = await steer(assembly, script)
    assert end.reason is StopReason.TIMEOUT
    assert 60 <= end.seconds < 62
    assert 60 <= ends[0] < 62


async def test_a_campaign_can_begin_paused(autojump_clock, nursery, make_assembly):
    """It deploys, takes commands, and makes its first call once it is resumed; no time has passed until then."""
    plan = CampaignPlan(None, 60.0, 100, begins_paused=True)
    _, assembly = endless(nursery, make_assembly, plan=plan)

    async def script() -> None:
        await trio.sleep(100)
        status = assembly.campaign.status()
        assert (status.paused, status.calls) == (True, 0)
        assert status.seconds == pytest.approx(0)
        assert (await assembly.campaign.ask(ExecuteSequence((POKE,)), 5)).outcomes
        assert await assembly.campaign.ask(Resume()) == Changed(True)
        await trio.sleep(5)
        assert assembly.campaign.status().calls > 0

    assert (await steer(assembly, script)).reason is StopReason.REQUESTED


async def becomes_idle(assembly) -> None:
    await until(lambda: assembly.campaign.status().phase == "idle")


async def test_an_open_campaign_whose_tests_are_decided_takes_commands_until_it_is_stopped(
    autojump_clock, nursery, make_assembly
):
    """It is idle, no time passes, and tests that are reset are checked again by new processes."""
    plan = CampaignPlan(None, 10_000.0, 100, stays_open=True)
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={0: 100, 1: 200, 2: 300}), slowly)
    assembly = make_assembly(spawner, plan, workers=2)
    ask = assembly.campaign.ask

    async def script() -> None:
        await becomes_idle(assembly)
        before = assembly.campaign.status()
        assert before.ended == StopReason.ALL_TESTS_CLOSED.value
        await trio.sleep(1_000)
        assert assembly.campaign.status().seconds == pytest.approx(before.seconds)
        assert (await ask(ExecuteSequence((POKE,)), 5)).outcomes
        assert (await ask(InjectSequence((POKE,)))).workers == 2
        assert (await ask(PrioritizeFunction("poke"))).matched
        with pytest.raises(CommandRejected):
            await ask(ResetTests((99,)))
        processes = len(spawner.processes)
        reset = await ask(ResetTests())
        assert len(reset.tests) == len(before.tests)
        assert assembly.campaign.status().phase == "fuzzing"
        await becomes_idle(assembly)
        after = assembly.campaign.status()
        assert after.calls > before.calls
        assert len(spawner.processes) > processes
        assert all(record.state == "solved" for record in after.tests)
        assert await ask(ResetTests((0,))) == Reopened((0,))

    end = await steer(assembly, script)
    assert end.reason in (StopReason.ALL_TESTS_CLOSED, StopReason.REQUESTED)


async def test_an_open_campaign_at_its_limit_fuzzes_again_when_the_limit_is_extended(
    autojump_clock, nursery, make_assembly
):
    """Of calls as of time; a limit that leaves nothing changes nothing. Reports are written each time it is idle."""
    plan = CampaignPlan(50_000, None, 100, stays_open=True)
    reports: list[CampaignEnd] = []

    async def write(end: CampaignEnd) -> tuple[str, ...]:
        reports.append(end)
        return ()

    _, assembly = endless(nursery, make_assembly, plan=plan, dump=write)
    ask = assembly.campaign.ask

    async def script() -> None:
        await becomes_idle(assembly)
        await until(lambda: reports)
        assert [end.reason for end in reports] == [StopReason.TEST_LIMIT]
        calls = assembly.campaign.status().calls
        await ask(SetLimits(call_limit=40_000))
        assert assembly.campaign.status().phase == "idle"
        await ask(SetLimits(call_limit=calls + 50_000))
        assert assembly.campaign.status().ended == ""
        await becomes_idle(assembly)
        assert assembly.campaign.status().calls >= calls + 50_000
        await ask(SetLimits(call_limit=None, time_limit=assembly.campaign.status().seconds + 20))
        await becomes_idle(assembly)
        assert assembly.campaign.status().ended == StopReason.TIMEOUT.value

    assert (await steer(assembly, script, after=0)).reason is StopReason.TIMEOUT


async def test_a_campaign_ends_when_nothing_new_is_covered_for_long_enough(autojump_clock, nursery, make_assembly):
    """The last new coverage counts, not the start."""
    plan = CampaignPlan(None, None, 100, coverage_limit=30.0)
    _, assembly = endless(nursery, make_assembly, plan=plan)
    end = await assembly.run()
    assert end.reason is StopReason.NO_NEW_COVERAGE
    assert 30.0 < end.seconds < 200.0


async def test_new_files_of_the_corpus_folder_are_replayed_by_every_worker(autojump_clock, nursery, make_assembly):
    """Reloading answers how many there were; a second time there are none."""
    brain = FakeBrain()
    sequences = tuple(brain.sequence() for _ in range(3))
    spawner, assembly = endless(nursery, make_assembly)
    fresh = [sequences]

    async def load() -> tuple[str, ...]:
        if fresh:
            await assembly.keeper.keep_injected(fresh.pop())
        return ("a file that was left alone",)

    assembly.keeper.load = load

    async def script() -> None:
        assert await assembly.campaign.ask(ReloadCorpus(), 5) == Reloaded(3, ("a file that was left alone",))
        assert (await assembly.campaign.ask(ReloadCorpus(), 5)).sequences == 0
        await trio.sleep(5)
        for worker in (0, 1):
            replayed = [sequence for replay in sent(spawner, Replay, worker) for sequence in replay.sequences]
            assert set(replayed) >= set(sequences)

    await steer(assembly, script)


async def test_reports_are_written_on_demand(autojump_clock, nursery, make_assembly):
    """The writer gets the campaign as it stands; without one the command is rejected."""
    ends: list[object] = []

    async def dump(end: object) -> tuple[str, ...]:
        ends.append(end)
        return ("coverage.lcov",)

    _, assembly = endless(nursery, make_assembly, dump=dump)

    async def script() -> None:
        assert await assembly.campaign.ask(DumpReports(), 5) == ("coverage.lcov",)
        assert ends[0].reason is StopReason.RUNNING
        assert ends[0].calls > 0

    await steer(assembly, script)
    _, without = endless(nursery, make_assembly)

    async def refused() -> None:
        with pytest.raises(CommandRejected):
            await without.campaign.ask(DumpReports(), 5)

    await steer(without, refused)


async def test_every_command_is_answered_within_its_deadline_while_workers_are_busy(
    autojump_clock, nursery, make_assembly
):
    """A hundred milliseconds suffice though each worker reads its pipe once a second only."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET, lambda *_: partial(behave, seconds_per_frame=1.0))
    assembly = make_assembly(spawner, ENDLESS, workers=3)

    commands = (InjectSequence((POKE,)), PrioritizeFunction("poke"), AddTemplate((POKE,)), Pause(), Resume())
    answers = []

    async def script() -> None:
        answers.extend([await assembly.campaign.ask(command) for command in commands])

    await steer(assembly, script, after=10)
    assert [type(answer) for answer in answers] == [Injection, FunctionsChanged, TemplateInfo, Changed, Changed]
    assert (answers[0].workers, answers[1].prioritized) == (3, ("poke",))
    assert answers[3:] == [Changed(True), Changed(True)]

"""Commands to a running campaign over fake workers, under the mock clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio
from fake_worker import FakeBrain, FakeScript, FakeSpawner, behave

from actors.campaign_plan import CampaignPlan
from actors.errors import (
    AskTimeout,
    CampaignEnding,
    CommandRejected,
    ExecutionLost,
    NoLiveWorkers,
)
from actors.messages import StopReason
from actors.steering import (
    AddDictionaryValues,
    AddTemplate,
    CallRequest,
    Changed,
    ClearFunctions,
    ClearPriorities,
    DictionaryValue,
    DumpReports,
    ExcludeFunction,
    ExecuteSequence,
    FunctionsChanged,
    Injection,
    InjectSequence,
    Limits,
    ListTemplates,
    Pause,
    PrioritizeFunction,
    ReloadCorpus,
    Reloaded,
    RemoveTemplates,
    Resume,
    SetLimits,
    SetWorkers,
    Stop,
    TemplateInfo,
    WeighFunction,
    WorkerCount,
)
from simulator.transaction import address_bytes
from simulator.worker.protocol import Execute, Executed, Focus, Inject, Replay, SetTemplates, Teach

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


@pytest.mark.requirement("004-27", "004-28")
async def test_an_injected_sequence_goes_to_all_live_workers_and_into_the_corpus(
    autojump_clock, nursery, make_assembly
):
    """In order, with sender, value and delay of each call; the answer counts the calls once; the corpus holds it."""
    spawner, assembly = endless(nursery, make_assembly)
    calls = (CallRequest("poke(7)", address_bytes(0x77), 5, seconds=3, blocks=1), CallRequest("give(0x1, 1 ether)"))

    async def script() -> None:
        assert await assembly.campaign.ask(InjectSequence(calls)) == Injection(2, 2)
        await trio.sleep(0.5)
        assert assembly.campaign.desk.statistics().unanswered == 0
        sequence = sent(spawner, Inject)[0].sequence
        assert sequence in assembly.keeper.sequences()
        assert [sent(spawner, Inject, worker)[0].sequence for worker in (0, 1)] == [sequence, sequence]
        assert (sequence[0].sender, sequence[0].wei, sequence[0].seconds) == (address_bytes(0x77), 5, 3)
        assert sequence[1].data[-32:] == (10**18).to_bytes(32, "big")

    await steer(assembly, script)
    assert [event.command for event in assembly.named("Steered")] == ["inject", "stop"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("poke(-1)", r"call 2: poke\(uint256\): at position 5: uint256"),
        ("pokee(1)", "did you mean 'poke'"),
        ("poke(0xZZ, -100)", "call 2"),
        ("", "call 2"),
        ("Nobody.poke(1)", "no contract 'Nobody' is deployed; known are Fake, Other"),
    ],
)
async def test_nothing_is_injected_unless_every_call_can_be_read(autojump_clock, nursery, make_assembly, text, message):
    """The first problem is named with the number of its call."""
    spawner, assembly = endless(nursery, make_assembly)

    async def script() -> None:
        with pytest.raises(CommandRejected, match=message):
            await assembly.campaign.ask(InjectSequence((POKE, CallRequest(text))))
        assert not sent(spawner, Inject)

    await steer(assembly, script)


async def test_sizes_senders_and_values_of_sequences_are_limited(autojump_clock, nursery, make_assembly):
    """1 to 100 calls, an address for a sender, a word of wei."""
    _, assembly = endless(nursery, make_assembly)

    async def script() -> None:
        for calls in (
            (),
            (POKE,) * 101,
            (CallRequest("poke(1)", b"short"),),
            (CallRequest("poke(1)", bytes(20)),),
            (CallRequest("poke(1)", value=2**256),),
            (CallRequest("poke(1)", seconds=-1),),
            (CallRequest("poke(" + " " * 300_000 + "1)"),),
        ):
            with pytest.raises(CommandRejected):
                await assembly.campaign.ask(InjectSequence(calls))

    await steer(assembly, script)


async def test_a_function_of_another_contract_is_found_by_name_or_named(autojump_clock, nursery, make_assembly):
    """What only one contract has needs no prefix; a prefix chooses among several."""
    spawner, assembly = endless(nursery, make_assembly, workers=1)

    async def script() -> None:
        await assembly.campaign.ask(InjectSequence((CallRequest("only()"), CallRequest("Other.poke(1)"), POKE)))
        await trio.sleep(0.5)
        assert [call.to[-1] for call in sent(spawner, Inject)[0].sequence] == [0xB, 0xB, 0xA]

    await steer(assembly, script)


async def test_a_sequence_with_wildcards_is_injected_filled_and_kept_as_a_template(
    autojump_clock, nursery, make_assembly
):
    """All workers get the same values now, and the template for later."""
    spawner, assembly = endless(nursery, make_assembly)
    calls = (CallRequest("give(0xabcd..., ?)"),)

    async def script() -> None:
        answer = await assembly.campaign.ask(InjectSequence(calls))
        assert (answer.calls, answer.workers) == (1, 2)
        assert [info.id for info in await assembly.campaign.ask(ListTemplates())] == [answer.template]
        await trio.sleep(0.5)
        first, second = (sent(spawner, Inject, worker)[0].sequence for worker in (0, 1))
        assert first == second
        assert first[0].data[16:18] == b"\xab\xcd"
        templates = sent(spawner, Inject)[0].templates
        assert templates.templates[0].calls[0].text == "give(0xabcd..., ?)"

    await steer(assembly, script)


async def test_templates_are_listed_and_removed(autojump_clock, nursery, make_assembly):
    """Workers hear of each change; ids are never given twice."""
    spawner, assembly = endless(nursery, make_assembly)
    ask = assembly.campaign.ask

    async def script() -> None:
        first = await ask(AddTemplate((CallRequest("poke(?)", sender=None),), 0.1))
        second = await ask(AddTemplate((POKE, POKE)))
        assert await ask(ListTemplates()) == (first, second)
        assert await ask(RemoveTemplates((first.id, 999))) == 1
        assert await ask(ListTemplates()) == (second,)
        assert await ask(RemoveTemplates()) == 1
        assert await ask(RemoveTemplates()) == 0
        for share in (0.0, 1.5, -1.0):
            with pytest.raises(CommandRejected):
                await ask(AddTemplate((POKE,), share))
        await trio.sleep(0.5)
        assert [len(command.templates) for command in sent(spawner, SetTemplates, 1)] == [1, 2, 1, 0]

    await steer(assembly, script)


@pytest.mark.requirement("004-30", "004-33")
async def test_functions_are_prioritized_excluded_weighed_and_cleared(autojump_clock, nursery, make_assembly):
    """A set that grows; every change reaches every worker; clearing tells how many there were."""
    spawner, assembly = endless(nursery, make_assembly)
    ask = assembly.campaign.ask

    async def script() -> None:
        poke = await ask(PrioritizeFunction("poke(uint256)"))
        assert (poke.matched, poke.prioritized) == (1, ("poke(uint256)",))
        again = await ask(PrioritizeFunction("poke(uint256)"))
        assert again.prioritized == ("poke(uint256)",)
        both = await ask(PrioritizeFunction("Fake.give(address,uint256)"))
        assert both.prioritized == ("poke(uint256)", "Fake.give(address,uint256)")
        assert await ask(ClearPriorities()) == 2
        assert await ask(ClearPriorities()) == 0
        assert (await ask(ExcludeFunction("give"))).excluded == ("give",)
        assert (await ask(WeighFunction("poke", 2.5))).weights == (("poke", 2.5),)
        await trio.sleep(0.5)
        for worker in (0, 1):
            commands = sent(spawner, Focus, worker)
            assert commands[2].prioritized == both.prioritized
            assert commands[-1] == Focus((), ("give",), (("poke", 2.5),))
        assert await ask(ClearFunctions()) == 2
        await trio.sleep(0.5)
        assert sent(spawner, Focus)[-1] == Focus()

    await steer(assembly, script)


async def test_an_unknown_function_is_accepted_and_reported_as_without_effect(autojump_clock, nursery, make_assembly):
    """It may belong to a contract that is created later."""
    _, assembly = endless(nursery, make_assembly)

    async def script() -> None:
        answer = await assembly.campaign.ask(PrioritizeFunction("mint(uint8)"))
        assert (answer.matched, answer.prioritized) == (0, ("mint(uint8)",))

    await steer(assembly, script)


async def test_a_restarted_worker_is_told_everything_again(autojump_clock, nursery, make_assembly):
    """Focus, dictionary, templates and injected sequences reach the replacement before it works."""
    spawner = FakeSpawner(nursery, lambda _, n: FakeScript(falsify={}, crash_after=100_000 if n == 0 else None), slowly)
    assembly = make_assembly(spawner, ENDLESS)
    ask = assembly.campaign.ask

    async def script() -> None:
        await ask(PrioritizeFunction("poke(uint256)"))
        await ask(AddTemplate((CallRequest("poke(?)"),)))
        await ask(AddDictionaryValues((DictionaryValue("77"),)))
        await ask(InjectSequence((POKE,)))
        with trio.fail_after(600):
            while len(spawner.brains) < 2 or not spawner.brains[1].calls:  # noqa: ASYNC110  # virtual time
                await trio.sleep(0.1)
        kinds = [type(command) for command in spawner.brains[1].commands]
        assert kinds[1:6] == [Focus, Teach, SetTemplates, Inject, Replay]
        assert assembly.campaign.desk.statistics().unanswered == 0

    await steer(assembly, script)


async def test_dictionary_values_are_read_by_type_or_by_looks(autojump_clock, nursery, make_assembly):
    """Numbers come with their neighbours; what is no value of its type rejects all of them."""
    spawner, assembly = endless(nursery, make_assembly, workers=1)
    ask = assembly.campaign.ask
    values = ("1 ether", "0x" + "ab" * 20, "0x" + "cd" * 32, '"hello"', "0x1234", "-5")

    async def script() -> None:
        assert await ask(AddDictionaryValues(tuple(map(DictionaryValue, values)))) == 6
        assert await ask(AddDictionaryValues((DictionaryValue("0x01020304", "bytes4"),))) == 1
        for wrong in (DictionaryValue("300", "uint8"), DictionaryValue("?"), DictionaryValue("[1]", "uint256[]")):
            with pytest.raises(CommandRejected, match="value 2"):
                await ask(AddDictionaryValues((DictionaryValue("1"), wrong)))
        with pytest.raises(CommandRejected):
            await ask(AddDictionaryValues(()))
        await trio.sleep(0.5)
        lesson, typed = sent(spawner, Teach)
        numbers = {int.from_bytes(word, "big") for word in lesson.numbers}
        assert {10**18, 10**18 + 1, 2**256 - 5} <= numbers
        assert lesson.addresses == (b"\xab" * 20,)
        assert b"\xcd" * 32 in lesson.fixed_bytes
        assert set(lesson.blobs) >= {b"hello", b"\x12\x34"}
        assert typed.fixed_bytes[0] == b"\x01\x02\x03\x04" + bytes(28)

    await steer(assembly, script)


async def test_a_sequence_is_executed_once_on_one_worker(autojump_clock, nursery, make_assembly):
    """The answer is the outcome; wildcards and too many at once are rejected."""
    spawner, assembly = endless(nursery, make_assembly)

    async def script() -> None:
        outcome = await assembly.campaign.ask(ExecuteSequence((POKE, POKE)), 5)
        assert isinstance(outcome, Executed)
        assert len(outcome.outcomes) == 2
        assert sum(len(sent(spawner, Execute, worker)) for worker in (0, 1)) == 1
        entry = FakeBrain().sequence()
        outcome = await assembly.campaign.ask(ExecuteSequence((), transactions=entry), 5)
        assert len(outcome.outcomes) == len(entry)
        for wrong in (ExecuteSequence(()), ExecuteSequence((), transactions=entry * 3_000)):
            with pytest.raises(CommandRejected):
                await assembly.campaign.ask(wrong)
        with pytest.raises(CommandRejected, match="without wildcards"):
            await assembly.campaign.ask(ExecuteSequence((CallRequest("poke(?)"),)))
        assert not assembly.keeper.sequences() or all(len(s) != 2 for s in assembly.keeper.sequences())

    await steer(assembly, script)


async def test_whoever_waits_for_an_execution_hears_when_its_worker_dies(autojump_clock, nursery, make_assembly):
    """At once, not at the end of its patience."""

    class Deadly(FakeBrain):
        def answer(self, command):
            if isinstance(command, Execute):
                self.script = FakeScript(falsify={}, crash_after=0)
                return iter(())
            return super().answer(command)

    spawner = FakeSpawner(nursery, lambda *_: QUIET, slowly)
    spawner.brain = Deadly
    assembly = make_assembly(spawner, ENDLESS)

    async def script() -> None:
        with pytest.raises(ExecutionLost):
            await assembly.campaign.ask(ExecuteSequence((POKE,)), 3_600)

    await steer(assembly, script)


async def test_without_live_workers_nothing_can_be_injected_or_executed(autojump_clock, nursery, make_assembly):
    """Before deployment, as well as while every worker is being replaced."""

    async def silent(*_: object) -> None:
        await trio.sleep_forever()

    spawner = FakeSpawner(nursery, behaviour=lambda *_: silent)
    assembly = make_assembly(spawner, ENDLESS)

    async def script() -> None:
        for command in (InjectSequence((POKE,)), ExecuteSequence((POKE,))):
            with pytest.raises(NoLiveWorkers):
                await assembly.campaign.ask(command)

    await steer(assembly, script)


async def test_a_campaign_that_ends_takes_no_commands(autojump_clock, nursery, make_assembly):
    """While it shrinks, stops, and after its end the answer is the same; nobody waits in vain."""
    slow = partial(behave, seconds_per_frame=0.5)
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={0: 10_000}), lambda *_: slow)
    assembly = make_assembly(spawner, CampaignPlan(call_limit=10_000, time_limit=None, shrink_limit=100))
    refused: list[str] = []

    async def pester() -> None:
        while True:
            try:
                await assembly.campaign.ask(PrioritizeFunction("poke(uint256)"))
            except CampaignEnding as error:
                refused.append(str(error))
            except AskTimeout:
                refused.append("timeout")
            await trio.sleep(0.05)

    nursery.start_soon(pester)
    await assembly.run()
    with pytest.raises(CampaignEnding):
        await assembly.campaign.ask(Pause())
    assert "timeout" not in refused
    assert refused


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
    """The budget grows while its last pieces are in hand; all of it is used."""
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
        assert assembly.campaign.desk.statistics().unanswered == 0
        assert await assembly.campaign.ask(Resume()) == Changed(True)
        calls = assembly.campaign.status().calls
        await trio.sleep(5)
        assert assembly.campaign.status().calls > calls

    assert (await steer(assembly, script)).reason is StopReason.REQUESTED


async def test_a_time_limit_passes_during_a_pause(autojump_clock, nursery, make_assembly):
    """Also where the time without coverage would have passed first."""
    plan = CampaignPlan(None, 60.0, 100, coverage_limit=10.0)
    _, assembly = endless(nursery, make_assembly, plan=plan)

    async def script() -> None:
        await assembly.campaign.ask(Pause())
        await trio.sleep(100)

    assert (await steer(assembly, script)).reason is StopReason.TIMEOUT


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

"""Commands to a campaign about sequences: injected, kept as templates, executed once."""

from __future__ import annotations

from functools import partial

import pytest
import trio

from actors.campaign.plan import CampaignPlan
from actors.campaign.worker_steering import INSTANCES
from actors.runtime.errors import (
    AskTimeout,
    CampaignEnding,
    CommandRejected,
    ExecutionLost,
    NoLiveWorkers,
)
from actors.steering.commands import (
    AddTemplate,
    CallRequest,
    ExecuteSequence,
    Injection,
    InjectSequence,
    ListTemplates,
    Pause,
    PrioritizeFunction,
    RemoveTemplates,
)
from simulator.transaction import address_bytes
from simulator.worker.commands import Execute, Inject, SetTemplates
from simulator.worker.reports import Executed
from tests.support.fake_worker import FakeBrain, FakeScript, FakeSpawner, behave
from tests.support.steered import ENDLESS, POKE, QUIET, endless, sent, slowly, steer


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
        assert assembly.campaign.statistics().steering.unanswered == 0
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
        ("Nobody.poke(1)", "no contract 'Nobody' is deployed; known are Other, Fake"),
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


async def test_a_sequence_with_wildcards_is_injected_in_several_instances(autojump_clock, nursery, make_assembly):
    """All workers get the same ones, and no template is left behind."""
    spawner, assembly = endless(nursery, make_assembly)
    calls = (CallRequest("give(0xabcd..., ?)"),)

    async def script() -> None:
        answer = await assembly.campaign.ask(InjectSequence(calls))
        assert (answer.calls, answer.workers, answer.instances) == (1, 2, INSTANCES)
        assert await assembly.campaign.ask(ListTemplates()) == ()
        await trio.sleep(0.5)
        first, second = ([each.sequence for each in sent(spawner, Inject, worker)] for worker in (0, 1))
        assert first == second
        assert len(set(first)) == INSTANCES
        assert {sequence[0].data[16:18] for sequence in first} == {b"\xab\xcd"}

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
        (order,) = (each for worker in (0, 1) for each in sent(spawner, Execute, worker) if len(each.sequence) == 2)
        assert order.sequence not in assembly.keeper.sequences()

    await steer(assembly, script)


async def test_the_caller_of_an_execution_hears_when_its_worker_dies(autojump_clock, nursery, make_assembly):
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

"""Many short campaigns whose workers fail and which several people steer at once, each under its own schedule."""

from __future__ import annotations

import random

import pytest
import trio

from actors.campaign.plan import CampaignPlan
from actors.events.types import StopReason
from actors.runtime.errors import ActorError, AskTimeout
from actors.runtime.mailbox import Ask
from actors.runtime.supervisor import RestartPolicy
from actors.steering.commands import (
    AddDictionaryValues,
    AddTemplate,
    CallRequest,
    ClearFunctions,
    Command,
    DictionaryValue,
    DumpReports,
    ExcludeFunction,
    ExecuteSequence,
    InjectSequence,
    ListTemplates,
    Pause,
    PrioritizeFunction,
    ReloadCorpus,
    RemoveTemplates,
    Resume,
    SetLimits,
    SetWorkers,
    WeighFunction,
)
from actors.workers.services import WorkerLimits
from tests.support.deterministic import run_seeded
from tests.support.fake_worker import FakeScript, FakeSpawner, behave

CALLS = 40_000
POKE = CallRequest("poke(1)")


def command(rng: random.Random) -> Command:
    """Any command, some of them wrong."""
    choices: list[Command] = [
        InjectSequence((POKE,) * rng.randrange(0, 3)),
        InjectSequence((CallRequest("poke(?)"),)),
        AddTemplate((POKE,), rng.choice((0.1, 2.0))),
        ListTemplates(),
        RemoveTemplates(),
        ExecuteSequence((POKE,)),
        PrioritizeFunction("poke"),
        ExcludeFunction(rng.choice(("give", "poke"))),
        WeighFunction("poke", rng.choice((2.0, -1.0))),
        ClearFunctions(),
        AddDictionaryValues((DictionaryValue(rng.choice(("7", "seven"))),)),
        Pause(),
        SetLimits(shrink_limit=rng.randrange(0, 200)),
        SetWorkers(rng.randrange(0, 5)),
        ReloadCorpus(),
        DumpReports(),
    ]
    return rng.choice(choices)


async def person(assembly, rng: random.Random, answers: list[object]) -> None:
    """Asks until cancelled. A pause is soon taken back."""
    while True:
        await trio.sleep(rng.uniform(0.0, 0.3))
        wanted = command(rng)
        asked = trio.current_time()
        try:
            answers.append(await assembly.campaign.ask(wanted, rng.choice((0.1, 10.0))))
        except AskTimeout:
            answers.append("timeout")
        except ActorError as error:
            answers.append(error.code)
        assert trio.current_time() - asked <= 10.0
        if isinstance(wanted, Pause):
            await trio.sleep(rng.uniform(0.0, 2.0))
            assembly.mailbox.post(Ask(Resume()))


async def campaign(assemble, seed: int):
    rng = random.Random(seed)
    answers: list[object] = []

    def script(*_: int) -> FakeScript:
        crash = rng.randrange(0, 8_000) if rng.randrange(4) == 0 else None
        return FakeScript(falsify={0: rng.randrange(100, 9_000)}, crash_after=crash)

    async def slow(process, brain) -> None:
        await behave(process, brain, seconds_per_frame=0.04)

    async with trio.open_nursery() as nursery:
        spawner = FakeSpawner(nursery, script, lambda *_: slow)
        assembly = assemble(
            spawner,
            CampaignPlan(CALLS, None, 100),
            workers=rng.randrange(1, 4),
            seed=seed,
            limits=WorkerLimits(silence=2.0),
            policy=RestartPolicy(max_restarts=1_000),
        )
        for number in range(3):
            nursery.start_soon(person, assembly, random.Random(f"{seed}/{number}"), answers)
        with trio.fail_after(3_600):
            end = await assembly.run()
        nursery.cancel_scope.cancel()
    return end, assembly, spawner, answers


@pytest.mark.parametrize("block", range(4))
def test_however_a_campaign_is_steered_every_command_is_answered_and_the_budget_is_kept(block: int, make_assembly):
    """Twenty seeds, three people each: answers or typed errors within the deadline, all calls made, all processes
    ended, injected sequences in the corpus."""
    answered = 0
    for seed in range(5 * block, 5 * block + 5):
        end, assembly, spawner, answers = run_seeded(campaign, seed, make_assembly, seed)
        assert end.reason is StopReason.TEST_LIMIT, seed
        assert end.calls >= CALLS, seed
        assert all(process.ended for process in spawner.processes), seed
        assert end.tests[0].state == "solved", seed
        assert set(filter(lambda each: isinstance(each, str), answers)) <= {
            "timeout",
            "E_COMMAND",
            "E_NO_WORKERS",
            "E_CAMPAIGN_ENDING",
            "E_EXECUTION_LOST",
        }, seed
        answered += len(answers)
        if any(getattr(event, "command", "") == "inject" for _, event in assembly.events()):
            assert any(len(sequence) < 4 for sequence in assembly.keeper.sequences()), seed
    assert answered > 40

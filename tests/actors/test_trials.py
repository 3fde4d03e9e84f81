"""Trials with `ExecuteSequence` that kill the worker: a client that may only look changes nothing of the campaign."""

from __future__ import annotations

import pytest
import trio

from actors.campaign.plan import CampaignPlan
from actors.runtime.errors import CommandRejected, ExecutionLost
from actors.runtime.supervisor import RestartPolicy
from actors.steering.commands import AddTemplate, CallRequest, ExecuteSequence
from actors.steering.executions import MAX_DEATHS
from simulator.worker.commands import Execute, Fuzz
from tests.support.fake_worker import CrashedError, FakeBrain, FakeSpawner
from tests.support.steered import ENDLESS, POKE, QUIET, slowly, steer

KILLING = CallRequest("poke(13)")
ONCE = RestartPolicy(max_restarts=1)


class Mortal(FakeBrain):
    """Dies of executing what ends in poke(13), and tells what it was at."""

    tells = True

    def answer(self, command):
        if isinstance(command, Execute) and any(call.data[-1] == 13 for call in command.sequence):
            last = next(i for i, call in enumerate(command.sequence) if call.data[-1] == 13)
            self.executing = command.sequence[: last + 1] if self.tells else ()
            raise CrashedError
        return super().answer(command)


class Silent(Mortal):
    tells = False


def mortals(nursery, make_assembly, brain: type[FakeBrain], plan: CampaignPlan = ENDLESS, **options: object):
    spawner = FakeSpawner(nursery, lambda *_: QUIET, slowly)
    spawner.brain = brain
    return spawner, make_assembly(spawner, plan, workers=1, **options)


async def tried(assembly, *calls: CallRequest) -> str:
    """Try calls as soon as a worker lives; returns what became of them."""
    while not any(worker.statistics().state == "fuzz" for worker in assembly.campaign.workers):  # noqa: ASYNC110
        await trio.sleep(0.1)
    try:
        await assembly.campaign.ask(ExecuteSequence(calls), 3_600)
    except (ExecutionLost, CommandRejected) as error:
        return str(error)
    return "executed"


@pytest.mark.parametrize("brain", [Mortal, Silent])
async def test_what_is_tried_and_kills_is_no_finding_and_excludes_nothing(
    autojump_clock, nursery, make_assembly, brain
):
    """Its asker hears why, nothing that begins with it is tried again, and the worker has lost no restart by it."""
    spawner, assembly = mortals(nursery, make_assembly, brain, policy=ONCE)

    async def script() -> None:
        for number in range(4):
            of_what = "executing" if brain is Mortal else "and may have been executing"
            assert f"died {of_what} these calls" in await tried(assembly, CallRequest(f"poke({number})"), KILLING)
        again = await tried(assembly, CallRequest("poke(3)"), KILLING, *((POKE,) if brain is Mortal else ()))
        assert "not tried again" in again
        assert await tried(assembly, POKE) == "executed"
        status = assembly.campaign.status()
        assert [test.info.kind for test in status.tests] == ["property"] * 3
        assert status.quarantine.quarantined == 0
        assert not assembly.campaign.priorities.state().excluded

    end = await steer(assembly, script)
    assert len(spawner.processes) == 5
    assert not any(test.info.kind == "crash" for test in end.tests)


async def test_so_many_deaths_of_trials_are_enough(autojump_clock, nursery, make_assembly):
    """Each costs the campaign time, so that further trials are refused for a while."""
    _, assembly = mortals(nursery, make_assembly, Mortal)

    async def script() -> None:
        for number in range(MAX_DEATHS):
            assert "died" in await tried(assembly, CallRequest(f"poke({number + 20})"), KILLING)
        assert "try again later" in await tried(assembly, POKE)
        await trio.sleep(601)
        assert await tried(assembly, POKE) == "executed"

    await steer(assembly, script)


async def test_a_campaign_that_dies_of_its_own_blames_no_trial(autojump_clock, nursery, make_assembly):
    """A trial that waits meanwhile is lost, may be tried again, and the death counts."""

    class Own(FakeBrain):
        def answer(self, command):
            if isinstance(command, Execute):
                self.executing = self.sequence()
                raise CrashedError
            return super().answer(command)

    _, assembly = mortals(nursery, make_assembly, Own)

    async def script() -> None:
        for _ in range(2):
            assert "ended before it had executed" in await tried(assembly, POKE)

    await steer(assembly, script)


async def test_trying_takes_no_number_of_a_template(autojump_clock, nursery, make_assembly):
    """A replay of the commands repeats no trials, and removes the templates that were removed."""
    spawner, assembly = mortals(nursery, make_assembly, FakeBrain)

    async def script() -> None:
        first = await assembly.campaign.ask(AddTemplate((CallRequest("poke(?)"),)))
        assert await tried(assembly, POKE) == "executed"
        second = await assembly.campaign.ask(AddTemplate((CallRequest("poke(?)"),)))
        assert second.id == first.id + 1
        assert any(isinstance(command, Fuzz) for command in spawner.latest[0].commands)

    await steer(assembly, script)

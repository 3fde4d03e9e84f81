"""Sequences that kill workers, alone and in campaigns."""

from __future__ import annotations

from functools import partial

import pytest
import trio
from fake_worker import CrashedError, FakeBrain, FakeScript, FakeSpawner, behave

from actors.campaign_plan import CampaignPlan
from actors.messages import StopReason
from actors.quarantine import Quarantine
from actors.steering import CallRequest, InjectSequence
from actors.supervisor import RestartPolicy
from simulator.transaction import Transaction
from simulator.worker.protocol import Inject, Replay

PLAN = CampaignPlan(call_limit=50_000, time_limit=None, shrink_limit=100)
PATIENT = RestartPolicy(max_restarts=20)


def sequence(number: int) -> tuple[Transaction, ...]:
    return (Transaction(bytes(19) + b"\x01", bytes(19) + b"\x0a", number.to_bytes(4, "big")),)


KILLER = sequence(13)
CORPUS = tuple(map(sequence, range(30)))


class Mortal(FakeBrain):
    """Dies of one sequence, wherever it meets it."""

    def answer(self, command):
        if isinstance(command, Replay) and KILLER in command.sequences:
            raise CrashedError
        if isinstance(command, Inject) and command.sequence[0].data[-1] == 13:
            raise CrashedError
        return super().answer(command)


def test_two_deaths_alone_are_a_quarantine():
    """One is a suspicion; a survival in between clears it."""
    quarantine = Quarantine()
    assert not quarantine.blame(KILLER)
    quarantine.clear((KILLER,))
    assert not quarantine.blame(KILLER)
    assert quarantine.blame(KILLER)
    assert not quarantine.blame(KILLER)
    assert not quarantine.admits(KILLER)
    assert quarantine.admits(sequence(1))


def test_a_death_with_many_in_hand_makes_suspects_only_however_often_it_happens():
    """The innocent among them are never quarantined."""
    quarantine = Quarantine()
    for _ in range(5):
        quarantine.suspect(CORPUS)
    assert quarantine.statistics().quarantined == 0
    groups = list(quarantine.groups((*CORPUS, sequence(99))))
    assert groups == [(each,) for each in CORPUS] + [(sequence(99),)]


def test_quarantined_sequences_are_in_no_group():
    """Suspects come first, each alone."""
    quarantine = Quarantine()
    quarantine.suspect((sequence(1),))
    quarantine.blame(KILLER)
    quarantine.blame(KILLER)
    assert list(quarantine.groups((sequence(2), KILLER, sequence(1)))) == [(sequence(1),), (sequence(2),)]


@pytest.mark.parametrize("workers", [1, 3])
async def test_a_corpus_entry_that_kills_is_found_out_and_not_executed_again(
    autojump_clock, nursery, make_assembly, workers
):
    """The campaign makes all its calls, and reports the entry as a crash."""
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}))
    spawner.brain = Mortal
    assembly = make_assembly(spawner, PLAN, workers=workers, policy=PATIENT)
    nursery.start_soon(assembly.keeper.run)
    await assembly.keeper.keep_injected(CORPUS)
    end = await assembly.campaign.run()
    assert end.reason is StopReason.TEST_LIMIT
    crashes = [test for test in end.tests if test.info.kind == "crash"]
    assert [(crash.sequence, crash.state, crash.falsified) for crash in crashes] == [(KILLER, "solved", True)]
    assert len(spawner.processes) <= 3 * workers
    assert assembly.campaign.status().quarantine.quarantined == 1
    assert any(brain.replayed >= len(CORPUS) - 1 for brain in spawner.latest.values())


async def test_an_injected_sequence_that_kills_is_quarantined(autojump_clock, nursery, make_assembly):
    """It is injected into replacements once more, and then no longer."""
    slow = partial(behave, seconds_per_frame=0.05)
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}), lambda *_: slow)
    spawner.brain = Mortal
    assembly = make_assembly(spawner, PLAN, policy=PATIENT)

    async def inject() -> None:
        while assembly.campaign.ready is None:  # noqa: ASYNC110  # virtual time
            await trio.sleep(0.1)
        await assembly.campaign.ask(InjectSequence((CallRequest("poke(13)"),)))

    nursery.start_soon(inject)
    end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    assert [test.info.name for test in end.tests if test.info.kind == "crash"] == ["crash_1"]
    assert len(spawner.processes) == 3


async def test_a_test_whose_shrinking_kills_is_reported_unshrunk(autojump_clock, nursery, make_assembly):
    """After two deaths nobody shrinks it any more; a crash of its own it is not."""
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={0: 3_000}, crash_in_shrink=True))
    assembly = make_assembly(spawner, PLAN, policy=PATIENT)
    end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    assert [(test.state, test.minimal) for test in end.tests] == [("solved", False)] + [("passed", False)] * 2
    assert any("goes on no further" in warning.message for warning in assembly.named("Warned"))
    assert len(spawner.processes) == 3

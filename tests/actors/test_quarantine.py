"""Sequences that kill workers, alone and in campaigns."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import pytest
import trio

from actors.campaign.plan import CampaignPlan
from actors.events.types import StopReason
from actors.runtime.supervisor import RestartPolicy
from actors.steering.commands import CallRequest, InjectSequence
from actors.workers.quarantine import Quarantine
from simulator.transaction import Transaction
from simulator.worker.commands import Fuzz, Inject, Replay
from tests.support.fake_worker import SELECTOR, CrashedError, FakeBrain, FakeScript, FakeSpawner, behave

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


def test_a_death_with_many_executed_makes_suspects_only_however_often_it_happens():
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
    assert any("continues no further" in warning.message for warning in assembly.named("Warned"))
    assert len(spawner.processes) == 3


def poked(number: int) -> tuple[Transaction, ...]:
    """Ends with a call of `Fake.poke(uint256)`."""
    return (*sequence(1), Transaction(bytes(19) + b"\x01", bytes(19) + b"\x0a", SELECTOR + number.to_bytes(32, "big")))


class Generating(FakeBrain):
    """Dies of sequences of its own making, each another one, `deaths` times in all; and of each of them when it is
    executed again, unless `harmless`."""

    deaths = 1
    harmless = False
    made: ClassVar[list[tuple[Transaction, ...]]]
    tried: ClassVar[list[tuple[Transaction, ...]]]

    def answer(self, command):
        if isinstance(command, Fuzz) and len(self.made) < self.deaths:
            self.executing = poked(len(self.made))
            self.made.append(self.executing)
            raise CrashedError
        if isinstance(command, Replay):
            self.tried.extend(command.sequences)
            if not self.harmless and set(command.sequences) & set(self.made):
                self.executing = command.sequences[0]
                raise CrashedError
        return super().answer(command)


def generating(nursery: trio.Nursery, **fields: object) -> FakeSpawner:
    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}))
    spawner.brain = type("Mine", (Generating,), {"made": [], "tried": [], **fields})
    return spawner


async def test_a_sequence_that_a_worker_made_and_died_of_is_tried_again_and_found(
    autojump_clock, nursery, make_assembly
):
    """The second death is no accident: it is a finding with its reproducer, and the campaign makes all its calls."""
    spawner = generating(nursery)
    assembly = make_assembly(spawner, PLAN)
    end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    (crash,) = [test for test in end.tests if test.info.kind == "crash"]
    assert (crash.sequence, crash.state, crash.info.contract) == (poked(0), "solved", "Fake")
    assert crash.reason.endswith("worker 0 was killed by SIGSEGV: first line\nlast words")
    assert len(spawner.processes) == 3
    assert assembly.campaign.status().quarantine.trials == 0


async def test_a_sequence_that_a_worker_survives_is_no_finding(autojump_clock, nursery, make_assembly):
    """The user's kill -9 hits whatever is executed at that moment."""
    spawner = generating(nursery, harmless=True)
    assembly = make_assembly(spawner, PLAN, workers=2)
    end = await assembly.run()
    assert not [test for test in end.tests if test.info.kind == "crash"]
    assert spawner.brain.tried == [poked(0)]
    assert assembly.campaign.status().quarantine.suspects == 0


async def test_a_sequence_of_the_last_moment_is_tried_before_the_campaign_ends(autojump_clock, nursery, make_assembly):
    """Also when its worker was the one that used up the budget, or the time is over."""
    spawner = generating(nursery)
    slow = partial(behave, seconds_per_frame=0.05)
    spawner.behaviour = lambda *_: slow
    assembly = make_assembly(spawner, CampaignPlan(call_limit=None, time_limit=0.01, shrink_limit=100))
    end = await assembly.run()
    assert [test.info.name for test in end.tests if test.info.kind == "crash"] == ["crash_1"]


async def test_a_function_that_workers_keep_dying_of_is_called_no_more(autojump_clock, nursery, make_assembly):
    """After the second sequence that ends with it. Deaths that are explained do not use up the restarts."""
    spawner = generating(nursery, deaths=4)
    assembly = make_assembly(spawner, PLAN, policy=RestartPolicy(max_restarts=2))
    end = await assembly.run()
    assert end.reason is StopReason.TEST_LIMIT
    assert len([test for test in end.tests if test.info.kind == "crash"]) == 4
    assert assembly.campaign.priorities.state().excluded == ("Fake.poke(uint256)",)
    assert any("is no longer called" in warning.message for warning in assembly.named("Warned"))


async def test_what_is_known_of_a_death_clears_the_other_suspects(autojump_clock, nursery, make_assembly):
    """Of a whole replay only the entry that was executed is tried alone."""

    class Precise(Mortal):
        def answer(self, command):
            self.executing = KILLER
            return super().answer(command)

    spawner = FakeSpawner(nursery, lambda *_: FakeScript(falsify={}))
    spawner.brain = Precise
    assembly = make_assembly(spawner, PLAN, policy=PATIENT)
    nursery.start_soon(assembly.keeper.run)
    await assembly.keeper.keep_injected(CORPUS)
    end = await assembly.campaign.run()
    assert [test.sequence for test in end.tests if test.info.kind == "crash"] == [KILLER]
    replays = [command for command in spawner.brains[2].commands if isinstance(command, Replay)]
    assert [len(replay.sequences) for replay in replays] == [len(CORPUS) - 1]
    assert len(spawner.processes) == 3


def test_what_an_earlier_campaign_quarantined_is_not_executed():
    """It need not kill again."""
    quarantine = Quarantine()
    quarantine.condemn(KILLER)
    assert not quarantine.admits(KILLER)
    quarantine.try_again(KILLER)
    assert quarantine.next_trial() is None
    assert quarantine.statistics().quarantined == 1

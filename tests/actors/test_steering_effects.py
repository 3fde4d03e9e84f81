"""Where commands take effect, told by workers that count, and campaigns that hold still on the way."""

from __future__ import annotations

import trio

from actors.campaign.budget import CallStops
from actors.campaign.plan import CampaignPlan
from actors.events.types import StopReason
from actors.runtime.errors import CampaignEnding
from actors.steering.commands import AddDictionaryValues, DictionaryValue, SetLimits, Stop
from actors.steering.effects import Effect, SteeringEffects
from simulator.worker.commands import AddWords, Fuzz
from simulator.worker.reports import Obeyed
from tests.support.fake_worker import FakeScript, FakeSpawner

QUIET = FakeScript(falsify={})


def test_with_one_worker_the_calls_are_its_own():
    """Counted from the campaign's calls when its process began; the last of several commands counts."""
    books = SteeringEffects(lambda: 1_000)
    books.begin(0)
    first, second = Effect(), Effect()
    for effect in (first, second):
        books.told(0)
        books.watch(effect, [0])
    books.obeyed(0, Obeyed(1, 70))
    assert (first.calls, second.is_settled) == (1_070, False)
    books.obeyed(0, Obeyed(2, 90))
    assert second.calls == 1_090


def test_with_several_workers_the_last_one_counts():
    """The campaign's total at that moment."""
    total = iter((0, 0, 5_000))
    books = SteeringEffects(lambda: next(total))
    effect = Effect()
    for worker in (0, 1):
        books.begin(worker)
        books.told(worker)
    books.watch(effect, [0, 1])
    books.obeyed(1, Obeyed(1, 10))
    assert not effect.is_settled
    books.obeyed(0, Obeyed(1, 20))
    assert effect.calls == 5_000


def test_nobody_knows_what_a_process_that_died_did():
    """Those who wait hear so at once, and the next process counts from zero."""
    books = SteeringEffects(lambda: 300)
    books.begin(0)
    books.told(0)
    effect = Effect()
    books.watch(effect, [0])
    books.lose(0)
    assert effect.is_settled
    assert effect.calls is None
    books.begin(0)
    books.told(0)
    after = Effect()
    books.watch(after, [0])
    books.obeyed(0, Obeyed(1, 5))
    assert after.calls == 305


def test_what_told_no_worker_anything_has_taken_effect():
    """And what waits for the end hears of it there."""
    books = SteeringEffects(lambda: 40)
    books.begin(0)
    now, late = Effect(), Effect()
    books.watch(now, [0])
    books.watch_end(late)
    assert (now.calls, late.is_settled) == (40, False)
    books.close()
    assert late.calls == 40


async def test_a_campaign_holds_still_at_each_stop(autojump_clock, nursery, make_assembly):
    """Exactly there, until it is told to continue; a worker hears before it fuzzes on."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    assembly = make_assembly(spawner, CampaignPlan(10_000, None, 100, stops=(2_000, 7_500, 7_500)))
    campaign = assembly.campaign
    seen = []

    async def steer() -> None:
        for value in ("1", "2"):
            stop = await campaign.stops.reached()
            seen.append((stop, campaign.status().calls))
            await campaign.ask(AddDictionaryValues((DictionaryValue(value),)), 5)
            await campaign.proceed()

    nursery.start_soon(steer)
    end = await assembly.run()
    assert (end.reason, end.calls) == (StopReason.TEST_LIMIT, 10_000)
    assert seen == [(2_000, 2_000), (7_500, 7_500)]
    commands = [each for each in spawner.latest[0].commands if isinstance(each, Fuzz | AddWords)]
    made = 0
    places = []
    for command in commands:
        if isinstance(command, Fuzz):
            made += command.calls
        else:
            places.append(made)
    assert places == [2_000, 7_500]


async def test_several_workers_come_to_a_stop_together(autojump_clock, nursery, make_assembly):
    """Nobody continues while another is making calls before it."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    assembly = make_assembly(spawner, CampaignPlan(20_000, None, 100, stops=(5_000,)), workers=3)
    nursery.start_soon(assembly.run)
    await assembly.campaign.stops.reached()
    await trio.sleep(5)
    status = assembly.campaign.status()
    assert status.calls == 5_000
    assert {worker.work for worker in status.workers} == {""}
    await assembly.campaign.proceed()
    with trio.fail_after(60):
        while not assembly.named("CampaignStopped"):  # noqa: ASYNC110  # the mock clock makes it cheap
            await trio.sleep(0.1)
    assert assembly.campaign.status().calls >= 20_000


async def test_an_effect_is_known_at_the_end_at_the_latest(autojump_clock, nursery, make_assembly):
    """Of a stop it is the end; of limits, which no worker hears of, the moment."""
    spawner = FakeSpawner(nursery, lambda *_: QUIET)
    assembly = make_assembly(spawner, CampaignPlan(None, None, 100, stops=(3_000,)))
    effects = [Effect(), Effect(), Effect()]

    async def steer() -> None:
        await assembly.campaign.stops.reached()
        await assembly.campaign.ask(SetLimits(call_limit=9_000), 5, effects[0])
        await assembly.campaign.ask(Stop(), 5, effects[1])
        try:
            await assembly.campaign.ask(SetLimits(call_limit=1), 5, effects[2])
        except CampaignEnding:
            effects[2].settle(7)

    nursery.start_soon(steer)
    await assembly.run()
    assert [effect.calls for effect in effects] == [3_000, 3_000, 7]


def test_a_stop_that_was_passed_holds_at_once():
    """And the next one after it."""
    stops = CallStops((10, 30))
    assert stops.left(0, 4) == 6
    assert stops.left(12, 0) == 0
    stops.proceed()
    assert stops.left(12, 0) == 18
    assert stops.left(12, 40) == 0
    assert stops.left(31, 0) == 0
    stops.proceed()
    assert stops.left(31, 0) is None

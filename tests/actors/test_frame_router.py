"""Where frames go: what entries cover is known before they are, and what they cause is told in order."""

from __future__ import annotations

import random
import struct

import pytest
import trio

from actors.corpus.keeper import CorpusKeeper
from actors.coverage.tracker import CoverageTracker
from actors.events.log import EventLog
from actors.events.types import CorpusMinimised
from actors.runtime.mailbox import Mailbox
from actors.workers.frames import Meter
from actors.workers.reports import EntryKept, EventCaused
from actors.workers.router import FrameRouter
from actors.workers.services import WorkerServices
from simulator.corpus.identity import sequence_hash
from simulator.coverage.code_map import CodeMap
from simulator.errors import FrameError
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence, Transaction
from simulator.worker.reports import Heartbeat, Interesting, Measured, NewCode, Ready
from tests.support.fake_worker import CODE, FUNCTIONS

LATE = CodeMap("Late.sol:Late", "runtime", (0,), (4,), ())


def sequence(number: int) -> Sequence:
    return (Transaction(b"\x01" * 20, b"\x02" * 20, b"\x01\x02\x03\x04" + number.to_bytes(32, "big")),)


def features(*numbers: int, code: int = 0) -> tuple[tuple[int, bytes], ...]:
    return ((code, struct.pack(f"<{len(numbers)}I", *numbers)),)


@pytest.fixture
async def services(nursery) -> WorkerServices:
    keeper, tracker = CorpusKeeper(minimise_from=3), CoverageTracker()
    tracker.begin(0, (CODE,), Ready((), FUNCTIONS, (CODE,), ()))
    nursery.start_soon(keeper.run)
    log = EventLog(None, wall_clock=trio.current_time)
    mailbox = Mailbox("campaign", 100)
    return WorkerServices(None, mailbox, keeper, tracker, log, b"", CampaignSettings(), 1, random.Random(1))


async def deliver(services: WorkerServices, *frames) -> list[object]:
    await FrameRouter(0, services, Meter(), lambda: None).deliver(list(frames))
    return services.campaign.receive_nowait(100)


async def test_an_entry_comes_with_what_it_covers(services: WorkerServices):
    """Codes that are introduced in the same chunk count, wherever in it they stand."""
    reports = await deliver(
        services, Interesting(sequence(1), 5, 1, features(0, 33) + features(0, code=1), (700,)), NewCode(1, LATE)
    )
    assert [type(report) for report in reports] == [EntryKept]
    entries = services.keeper.entries
    assert entries.summary(0, 0).id == sequence_hash(sequence(1))
    assert entries.features.rarity(0).features == 3


async def test_a_replayed_entry_is_measured(services: WorkerServices):
    """`Measured` completes what was loaded without a measure."""
    await deliver(services, Interesting(sequence(1), 5, 1))
    assert not services.keeper.is_measured(sequence(1))
    assert await deliver(services, Measured(sequence_hash(sequence(1)), features(4), (9,))) == []
    assert services.keeper.is_measured(sequence(1))


async def test_what_the_keeper_sets_aside_is_told_before_the_entry_that_caused_it(services: WorkerServices):
    """The campaign logs both in this order."""
    frames = [Interesting(sequence(n), n, 1, features(*range(n + 1)), (1,)) for n in range(3)]
    reports = await deliver(services, *frames)
    assert [type(report) for report in reports] == [EntryKept, EntryKept, EventCaused, EntryKept]
    assert reports[2].event == CorpusMinimised(2, 1, 1)
    assert reports[3].sequences == 1


async def test_a_big_corpus_is_minimised_while_it_is_replayed(services: WorkerServices):
    """Entries that were loaded count as soon as they are measured; no new coverage is needed."""
    for number in range(5):
        await services.keeper.keep(1, (sequence(number),))
    frames = [Measured(sequence_hash(sequence(n)), features(*range(n + 1)), (1,)) for n in range(5)]
    reports = await deliver(services, *frames)
    assert [report.event for report in reports] == [CorpusMinimised(2, 3, 3), CorpusMinimised(2, 1, 1)]


async def test_coverage_is_credited_to_the_function_that_was_called_last(services: WorkerServices, autojump_clock):
    """Only for what is new to the campaign."""
    await deliver(services, Interesting(sequence(1), 5, 1))
    first = services.tracker.functions()[0].last_coverage
    await trio.sleep(5)
    await deliver(services, Interesting(sequence(1), 5, 1))
    assert services.tracker.functions()[0].last_coverage == first is not None


async def test_features_of_a_code_that_nobody_introduced_break_the_protocol(services: WorkerServices):
    """The worker is replaced; nothing was kept."""
    with pytest.raises(FrameError):
        await deliver(services, Interesting(sequence(1), 5, 1, features(0, code=7), (1,)))
    assert services.keeper.statistics().sequences == 0


def test_a_rate_falls_when_no_calls_come():
    """What was measured before a stall is not shown as if it were measured now; the time of silence is told."""
    meter = Meter()
    meter.start_work(0.0)
    for tenth in range(21):
        meter.beat(Heartbeat(100 * tenth, 0, 0, 0), tenth / 10)
    assert (meter.rate(2.0), meter.age(2.0)) == (1_000.0, 0.0)
    assert meter.rate(3.5) == 1_000.0, "a late beat is no stall"
    assert meter.rate(8.0) == 250.0
    assert (meter.rate(13.0), meter.age(13.0)) == (0.0, 11.0)


def test_without_work_there_is_nothing_to_be_heard_of():
    """A pause is no stall, and silence counts from the beginning of work."""
    meter = Meter()
    meter.start_work(0.0)
    meter.beat(Heartbeat(100, 0, 0, 0), 1.0)
    meter.end_work()
    assert meter.age(60.0) == 0.0
    meter.start_work(100.0)
    assert meter.age(101.0) == 1.0

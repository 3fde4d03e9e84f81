"""The event log: ring, cursor, telemetry, file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import get_args

import pytest
import trio
import trio.testing

from actors.events.file import EventFile
from actors.events.log import EventLog
from actors.events.ring import EventBatch
from actors.events.types import AnyEvent, EventFileFailed, PropertyFalsified, TransactionExecuted, Warned, WorkerStarted
from simulator.transaction import Transaction
from tests.support.patience import PATIENCE


def log(capacity: int = 2_500) -> EventLog:
    return EventLog(None, wall_clock=lambda: 1.0, capacity=capacity)


def test_the_ring_drops_its_oldest_event():
    """One event over the capacity costs the oldest and nothing else."""
    events = log(capacity=2_500)
    for number in range(2_501):
        events.append(0, Warned(str(number)))
    held = events.since(0)
    assert (len(held), held[0].cursor, held[-1].cursor) == (2_500, 2, 2_501)
    assert events.statistics().evicted == 1


def test_a_cursor_continues_where_it_ended():
    """A poller sees each event once, in order, however it cuts its reads."""
    events = log()
    for number in range(10):
        events.append(0, Warned(str(number)))
    seen, cursor = [], 0
    while batch := events.since(cursor, limit=3):
        seen += [logged.cursor for logged in batch]
        cursor = batch[-1].cursor
    assert seen == list(range(1, 11))


def test_the_newest_come_first():
    """`newest` reads backwards."""
    events = log()
    for number in range(5):
        events.append(0, Warned(str(number)))
    assert [logged.cursor for logged in events.newest(2)] == [5, 4]


def test_times_never_go_back():
    """A clock that is set back does not reorder the log."""
    clock = iter([5.0, 3.0, 6.0])
    events = EventLog(None, wall_clock=lambda: next(clock))
    for _ in range(3):
        events.append(0, Warned(""))
    assert [logged.time for logged in events.since(0)] == [5.0, 5.0, 6.0]


async def test_telemetry_is_coalesced(autojump_clock):
    """An hour of heartbeats makes one event every five seconds, with all calls in them."""
    events = log()
    for _ in range(36_000):
        events.count_transactions(0, 10, 1)
        await trio.sleep(0.1)
    telemetry = [logged.event for logged in events.since(0)]
    assert len(telemetry) <= 3_600 / 5
    assert all(isinstance(event, TransactionExecuted) and event.calls == 10 * event.reverted for event in telemetry)
    assert sum(event.calls for event in telemetry) == pytest.approx(360_000, abs=600)


async def test_events_reach_the_file_while_it_runs(tmp_path):
    """A line is there soon, with bytes as hex, and the rest when the log ends."""
    path = tmp_path / "deep" / "events.jsonl"
    events = EventLog(path, wall_clock=lambda: 1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(events.run)
        call = Transaction(b"\x01" * 20, b"\x02" * 20)
        events.append(3, PropertyFalsified(0, "p", "property", "C", "false", (call,)))
        with trio.fail_after(PATIENCE):
            while not path.exists() or not path.read_bytes():  # noqa: ASYNC110  # a file has no event
                await trio.sleep(0.01)
        events.append(3, Warned("last"))
        nursery.cancel_scope.cancel()
    first, last = (json.loads(line) for line in path.read_text().splitlines())
    assert first["worker"] == 3
    assert first["event"]["counterexample"][0]["sender"] == "0x" + "01" * 20
    assert last["event"] == {"type": "Warned", "message": "last"}
    assert events.statistics().written == 2


@pytest.mark.requirement("004-11")
def test_filters_apply_to_what_the_ring_holds():
    """Type and worker combine; the newest that fit come first."""
    events = log(capacity=6)
    for number in range(10):
        events.append(number % 2, Warned(str(number)) if number % 3 else WorkerStarted(number, 0))
    assert [logged.cursor for logged in events.newest(9, event_type="Warned")] == [9, 8, 6, 5, 3, 2]
    assert [logged.cursor for logged in events.newest(9, event_type="Warned", worker=0)] == [9, 5, 3]
    assert events.newest(9, event_type="CoverageIncreased") == ()


async def test_a_poller_waits_for_the_next_event(autojump_clock, nursery):
    """A long poll returns with the first event that fits, and with nothing once its time is up."""
    events = log()
    batches = []

    async def poll() -> None:
        batches.append(await events.wait(0, 60, event_type="WorkerStarted"))

    nursery.start_soon(poll)
    await trio.testing.wait_all_tasks_blocked()
    assert events.statistics().waiting == 1
    events.append(0, Warned("not this"))
    await trio.testing.wait_all_tasks_blocked()
    assert not batches
    events.append(0, WorkerStarted(7, 0))
    await trio.testing.wait_all_tasks_blocked()
    assert [logged.cursor for logged in batches[0].events] == [2]
    began = trio.current_time()
    assert await events.wait(2, 5) == EventBatch((), 2, 0)
    assert trio.current_time() - began == 5


async def test_a_poller_is_told_what_it_missed(autojump_clock):
    """Events that were evicted between two polls are counted, not invented."""
    events = log(capacity=5)
    for number in range(12):
        events.append(0, Warned(str(number)))
    batch = events.read(3)
    assert ([logged.cursor for logged in batch.events], batch.missed, batch.cursor) == ([8, 9, 10, 11, 12], 4, 12)
    assert (await events.wait(3, 0)).missed == 4


async def test_a_waiting_poller_counts_what_passed_it_by(autojump_clock, nursery):
    """Events that came and went between two looks of one wait are missed as well."""
    events = log(capacity=3)
    batches = []

    async def poll() -> None:
        batches.append(await events.wait(0, 60, event_type="WorkerStarted"))

    nursery.start_soon(poll)
    await trio.testing.wait_all_tasks_blocked()
    for number in range(7):
        events.append(0, Warned(str(number)))
    await trio.testing.wait_all_tasks_blocked()
    events.append(0, WorkerStarted(1, 0))
    await trio.testing.wait_all_tasks_blocked()
    assert (batches[0].cursor, batches[0].missed) == (8, 4)


async def test_more_pollers_than_may_wait_are_answered_at_once(autojump_clock, nursery, monkeypatch):
    """Waiting pollers are bounded; one too many gets an empty batch."""
    monkeypatch.setattr("actors.events.log.MAX_WAITING", 1)
    events = log()
    nursery.start_soon(events.wait, 0, 10)
    await trio.testing.wait_all_tasks_blocked()
    began = trio.current_time()
    assert (await events.wait(0, 10)).events == ()
    assert trio.current_time() == began


async def test_a_folder_that_cannot_be_written_costs_one_event(tmp_path, nursery):
    """The log says so once, continues in memory, and writes everything once it can."""
    path = tmp_path / "events.jsonl"
    path.mkdir()
    events = EventLog(path, wall_clock=lambda: 1.0)
    file = EventFile(path)
    events.append(0, Warned("first"))
    await events._flush(file)
    events.append(0, Warned("second"))
    await events._flush(file)
    failed = events.newest(9, event_type="EventFileFailed")
    assert [type(logged.event) for logged in failed] == [EventFileFailed]
    assert "directory" in failed[0].event.reason
    path.rmdir()
    await events._flush(file)
    await events._flush(file)
    file.close()
    types = [json.loads(line)["event"]["type"] for line in path.read_text().splitlines()]
    assert types == ["Warned", "EventFileFailed", "Warned", "EventFileRestored"]
    assert events.statistics().lost == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
async def test_a_full_disk_costs_the_oldest_lines_only(tmp_path, monkeypatch):
    """ENOSPC while writing: one event, and what waits for the disk is bounded, the newest kept."""
    monkeypatch.setattr("actors.events.log.PENDING_LIMIT", 3)
    path = tmp_path / "events.jsonl"
    path.symlink_to("/dev/full")
    events = EventLog(path, wall_clock=lambda: 1.0)
    file = EventFile(path)
    for number in range(5):
        events.append(0, Warned(str(number)))
        await events._flush(file)
    figures = events.statistics()
    assert (figures.pending, figures.lost) == (3, 3)
    assert "No space left" in events.newest(1, event_type="EventFileFailed")[0].event.reason
    assert len(events.newest(9, event_type="EventFileFailed")) == 1


async def test_cursors_and_times_continue_where_an_earlier_campaign_ended(tmp_path):
    """A poller's cursor outlives a restart, and no time is before one that stands in the file."""
    path = tmp_path / "events.jsonl"
    clock = iter([100.0, 200.0, 50.0])
    for _ in range(3):
        events = EventLog(path, wall_clock=lambda: next(clock))
        events.append(0, Warned(""))
        with trio.CancelScope() as scope:
            scope.cancel()
            await events.run()
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert [entry["cursor"] for entry in entries] == [1, 2, 3]
    assert [entry["time"] for entry in entries] == [
        "1970-01-01T00:01:40.000Z",
        "1970-01-01T00:03:20.000Z",
        "1970-01-01T00:03:20.000Z",
    ]
    assert events.read(1).missed == 1


def test_the_reference_page_names_every_event_and_its_fields():
    """Who reads `events.jsonl` finds each type described, with exactly its fields."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "events.md").read_text()
    rows = "\n".join(line for line in page.splitlines() if line.startswith("| `"))
    for kind in get_args(AnyEvent):
        row = next((line for line in rows.splitlines() if f"`{kind.__name__}`" in line), "")
        described = row.split("|")[2] if row else ""
        assert all(f"`{field}`" in described for field in kind.__struct_fields__), kind.__name__

"""The event log: ring, cursor, telemetry, file."""

from __future__ import annotations

import json
import os

import pytest
import trio

from actors.event_log import FLUSH_INTERVAL, EventLog
from actors.messages import PropertyFalsified, TransactionExecuted, Warned
from simulator.transaction import Transaction


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
    """A line is there within the flush interval, with bytes as hex, and the rest when the log ends."""
    path = tmp_path / "deep" / "events.jsonl"
    events = EventLog(path, wall_clock=lambda: 1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(events.run)
        call = Transaction(b"\x01" * 20, b"\x02" * 20)
        events.append(3, PropertyFalsified(0, "p", "property", "C", "false", (call,)))
        with trio.fail_after(20 * FLUSH_INTERVAL):
            while not path.exists() or not path.read_bytes():  # noqa: ASYNC110  # a file has no event
                await trio.sleep(0.01)
        events.append(3, Warned("last"))
        nursery.cancel_scope.cancel()
    first, last = (json.loads(line) for line in path.read_text().splitlines())
    assert first["worker"] == 3
    assert first["event"]["counterexample"][0]["sender"] == "0x" + "01" * 20
    assert last["event"] == {"type": "Warned", "message": "last"}
    assert events.statistics().written == 2


async def test_a_file_that_cannot_be_written_costs_the_file_only(tmp_path):
    """The log says so once and goes on in memory."""
    (tmp_path / "events.jsonl").mkdir()
    events = EventLog(tmp_path / "events.jsonl", wall_clock=lambda: 1.0)
    await events.run()
    events.append(0, Warned("after"))
    messages = [logged.event.message for logged in events.since(0)]
    assert "kept in memory only" in messages[0]
    assert messages[-1] == "after"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
async def test_a_full_disk_is_reported(tmp_path):
    """ENOSPC while writing gives the file up, with the lost events counted."""
    path = tmp_path / "events.jsonl"
    path.symlink_to("/dev/full")
    events = EventLog(path, wall_clock=lambda: 1.0)
    events.append(0, Warned("lost"))
    await events.run()
    assert events.statistics().lost == 1
    assert "No space left" in events.newest(1)[0].event.message

"""The ring of the newest events, against a model that keeps everything."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from actors.events.ring import FALSIFIED_SHARE, TELEMETRY_SHARE, EventRing
from actors.events.types import (
    CoverageIncreased,
    LoggedEvent,
    PropertyFalsified,
    TransactionExecuted,
    Warned,
)

CAPACITY = 20
SHARE = int(CAPACITY * TELEMETRY_SHARE)
FALSIFIED = int(CAPACITY * FALSIFIED_SHARE)
COVERED = CoverageIncreased(1, 1, 1, 1)
FAILED = PropertyFalsified(0, "p", "property", "C", "false", ())
AnyOfThem = Warned | TransactionExecuted | CoverageIncreased | PropertyFalsified


def anything(_: LoggedEvent) -> bool:
    return True


class RingMachine(RuleBasedStateMachine):
    """Appends of telemetry and others, in any order, against lists."""

    def __init__(self) -> None:
        super().__init__()
        self.ring = EventRing(CAPACITY)
        self.everything: list[LoggedEvent] = []
        self.poller: list[int] = []
        self.polled_to = 0
        self.missed = 0

    def _append(self, event: AnyOfThem) -> None:
        logged = LoggedEvent(len(self.everything) + 1, float(len(self.everything)), 0, event)
        self.everything.append(logged)
        self.ring.append(logged)

    @rule(times=st.integers(1, 30))
    def append_telemetry(self, times: int) -> None:
        for _ in range(times):
            self._append(TransactionExecuted(1, 0))

    @rule(times=st.integers(1, 30))
    def append_coverage(self, times: int) -> None:
        for _ in range(times):
            self._append(COVERED)

    @rule(times=st.integers(1, 30))
    def append_falsifications(self, times: int) -> None:
        for _ in range(times):
            self._append(FAILED)

    @rule(times=st.integers(1, 30))
    def append_unnamed(self, times: int) -> None:
        for _ in range(times):
            self._append(Warned(""))

    @rule(limit=st.integers(1, 8))
    def poll(self, limit: int) -> None:
        batch = self.ring.after(self.polled_to, limit, anything)
        assert len(batch.events) <= limit
        assert batch.cursor - self.polled_to == len(batch.events) + batch.missed
        self.poller += [logged.cursor for logged in batch.events]
        self.polled_to, self.missed = batch.cursor, self.missed + batch.missed

    @invariant()
    def both_rings_are_used_whole(self) -> None:
        unnamed = [logged for logged in self.everything if isinstance(logged.event, Warned)]
        named = len(self.everything) - len(unnamed)
        held = self.ring.newest(2 * CAPACITY + 1, anything)
        cursors = [logged.cursor for logged in held]
        assert cursors == sorted(cursors, reverse=True)
        assert len(held) == len(self.ring) == min(CAPACITY, named) + min(CAPACITY, len(unnamed))
        assert len(self.ring.newest_named(CAPACITY + 1, anything)) == self.ring.named == min(CAPACITY, named)
        assert set(unnamed[-CAPACITY:]) <= set(held)

    @invariant()
    def floods_leave_the_others_their_room(self) -> None:
        held = {logged.cursor for logged in self.ring.newest_named(CAPACITY, anything)}
        failed = [logged.cursor for logged in self.everything if isinstance(logged.event, PropertyFalsified)]
        assert set(failed[-FALSIFIED:]) <= held
        covered = [logged.cursor for logged in self.everything if isinstance(logged.event, CoverageIncreased)]
        assert set(covered[-(CAPACITY - SHARE - FALSIFIED) :]) <= held

    @invariant()
    def a_poller_sees_each_event_at_most_once_in_order(self) -> None:
        assert self.poller == sorted(set(self.poller))
        assert len(self.poller) + self.missed == self.polled_to


RingMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestRingMachine = RingMachine.TestCase


@pytest.mark.requirement("004-12")
@pytest.mark.parametrize(
    "event", [COVERED, TransactionExecuted(1, 0), FAILED, Warned("")], ids=["named", "telemetry", "failed", "unnamed"]
)
def test_one_event_over_the_capacity_costs_the_oldest(event: AnyOfThem):
    """2,501 events of one kind: 2,500 are held, the first is gone."""
    ring = EventRing()
    for cursor in range(1, 2_502):
        ring.append(LoggedEvent(cursor, 0.0, 0, event))
    held = ring.newest(3_000, anything)
    assert (len(ring), held[0].cursor, held[-1].cursor) == (2_500, 2_501, 2)


def test_telemetry_never_pushes_out_a_falsification():
    """A falsification stays while a hundred thousand telemetry events go by."""
    ring = EventRing()
    ring.append(LoggedEvent(1, 0.0, 0, PropertyFalsified(0, "p", "property", "C", "false", ())))
    for cursor in range(2, 100_000):
        ring.append(LoggedEvent(cursor, 0.0, 0, TransactionExecuted(1, 0)))
    assert ring.newest(1, lambda logged: isinstance(logged.event, PropertyFalsified))[0].cursor == 1
    assert len(ring) == 2_500


@given(st.integers(0, 60), st.integers(1, 60), st.integers(1, 5))
def test_a_filtered_read_goes_past_what_it_does_not_want(appended: int, modulus: int, limit: int):
    """The cursor of a batch covers what was filtered out, so that nothing is looked at twice."""
    ring = EventRing(100)
    for cursor in range(1, appended + 1):
        ring.append(LoggedEvent(cursor, 0.0, cursor % modulus, Warned("")))
    found, cursor = [], 0
    while (batch := ring.after(cursor, limit, lambda logged: logged.worker == 0)).events:
        found += [logged.cursor for logged in batch.events]
        cursor = batch.cursor
    assert found == [cursor for cursor in range(1, appended + 1) if cursor % modulus == 0]
    assert batch.cursor == appended


def test_a_cursor_of_another_log_starts_anew():
    """A cursor beyond the last event is read as 0."""
    ring = EventRing()
    ring.append(LoggedEvent(1, 0.0, 0, Warned("")))
    assert [logged.cursor for logged in ring.after(99, 10, anything).events] == [1]

"""Log lines that clients can cause."""

from __future__ import annotations

import logging

from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import ClientDisconnect

from tools.serving.complaints import LONGEST, Complaints, printable
from tools.serving.library_logs import LibraryLogHandler

Lines = list[tuple[str, dict]]


def complaints(lines: Lines, now: list[float]) -> Complaints:
    return Complaints(lambda: now[0], lambda text, **fields: lines.append((text, fields)))


@given(st.text())
def test_whatever_a_client_sends_is_printed_as_one_safe_line(text: str):
    """Nothing of it reaches a terminal as a control character."""
    shown = printable(text)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= LONGEST + 3


def test_a_flood_is_one_line_a_second_whose_rest_is_counted():
    """The first one appears at once."""
    lines: Lines = []
    now = [0.0]
    told = complaints(lines, now)
    for _ in range(5):
        told.tell("a")
    now[0] = 1.0
    told.tell("b")
    assert lines == [("a", {}), ("b", {"left_out": 4})]


def test_the_innermost_cause_is_told_with_its_place():
    """Not the groups around it."""
    lines: Lines = []
    try:
        raise ZeroDivisionError("by \x1b")
    except ZeroDivisionError as error:
        complaints(lines, [0.0]).tell("a", ExceptionGroup("outer", [ExceptionGroup("inner", [error])]))
    ((_, fields),) = lines
    assert fields["reason"].startswith("ZeroDivisionError: by \\x1b in test_the_innermost_cause")


def test_a_log_that_cannot_be_written_is_no_error():
    """The line is counted as left out."""

    def full(text: str, **fields: object) -> None:
        raise OSError("no space left")

    Complaints(log=full).tell("a")


def test_libraries_tell_of_departures_nothing():
    """Of anything else one line, with what the client sent escaped."""
    lines: Lines = []
    logger = logging.getLogger("tests.library")
    logger.propagate = False
    handler = LibraryLogHandler(complaints(lines, [0.0]))
    logger.addHandler(handler)
    try:
        raise ExceptionGroup("", [ClientDisconnect()])
    except ExceptionGroup:
        logger.exception("Error handling POST request")
    logger.info("nothing of note")
    logger.warning("Invalid Host header: %s", "\x1b[31m")
    logger.removeHandler(handler)
    assert lines == [("tests.library: Invalid Host header: \\x1b[31m", {})]

"""`events.jsonl`: whole lines, rotation, broken ends."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from actors.events.file import EventFile, event_line, last_line, numbered
from actors.events.types import LoggedEvent, Warned
from actors.runtime.timestamps import rfc3339, unix_seconds


def event(cursor: int, text: str = "") -> LoggedEvent:
    return LoggedEvent(cursor, float(cursor), 0, Warned(text))


def cursors(path: Path) -> list[int]:
    return [json.loads(line)["cursor"] for line in path.read_text().splitlines()]


def test_files_are_rotated_by_size_and_bounded(tmp_path):
    """A full file gets a number; the newest `kept_files` of them stay, without a gap between them."""
    file = EventFile(tmp_path / "events.jsonl", rotate_bytes=1_000, kept_files=2)
    for cursor in range(1, 101):
        file.write([event(cursor, "x" * 50)])
    file.close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert set(names) <= {"events.jsonl", "events.jsonl.1", "events.jsonl.2"}
    kept = [
        cursor
        for path in (numbered(file.path, 2), numbered(file.path, 1), file.path)
        if path.exists()
        for cursor in cursors(path)
    ]
    assert kept == list(range(kept[0], 101))
    assert all(path.stat().st_size <= 1_200 for path in tmp_path.iterdir())


@given(cut=st.integers(0, 400))
def test_a_file_cut_anywhere_is_whole_again(tmp_path_factory, cut: int):
    """After a kill in the middle of a write, opening removes the broken line and nothing else."""
    path = tmp_path_factory.mktemp("log") / "events.jsonl"
    lines = [event_line(event(cursor, "é\n")) for cursor in range(1, 5)]
    content = b"".join(lines)[:cut]
    path.write_bytes(content)
    whole = content.count(b"\n")
    assert last_line(path).cursor == whole
    file = EventFile(path)
    file.write([event(whole + 1)])
    file.close()
    assert cursors(path) == list(range(1, whole + 2))


def test_a_file_that_is_removed_is_made_anew(tmp_path):
    """With its folder: what comes after is for readers, who find no nameless file."""
    file = EventFile(tmp_path / "corpus" / "events.jsonl")
    file.write([event(1)])
    shutil.rmtree(tmp_path / "corpus")
    file.write([event(2)])
    assert len(file.path.read_text().splitlines()) == 1
    file.close()


def test_a_line_longer_than_any_buffer_is_found(tmp_path):
    """The last event is found however long it is, and a broken one of that length is cut off."""
    path = tmp_path / "events.jsonl"
    long = event_line(event(7, "x" * 300_000))
    path.write_bytes(event_line(event(6)) + long)
    assert last_line(path).cursor == 7
    path.write_bytes(event_line(event(6)) + long[:-1])
    assert last_line(path).cursor == 6
    file = EventFile(path)
    file.write([event(8)])
    file.close()
    assert cursors(path) == [6, 8]


def test_lines_of_another_program_are_passed_over(tmp_path):
    """What is no event of ours does not stop the search for the last one."""
    path = tmp_path / "events.jsonl"
    path.write_bytes(
        event_line(event(3)) + b'nonsense\n{"cursor":-1,"time":"x"}\n{"cursor":9,"time":"yesterday"}\n\xff\n'
    )
    assert last_line(path).cursor == 3


def test_the_last_event_may_be_in_the_file_before(tmp_path):
    """Right after a rotation, the cursor comes from the numbered file."""
    file = EventFile(tmp_path / "events.jsonl", rotate_bytes=10)
    file.write([event(5)])
    assert not file.path.exists()
    assert last_line(file.path).cursor == 5


def test_a_write_that_breaks_off_leaves_no_half_line(tmp_path, monkeypatch):
    """A disk that is full in the middle of a batch: the file is what it was before."""
    file = EventFile(tmp_path / "events.jsonl")
    file.write([event(1)])
    write = os.write

    def full(descriptor: int, data: memoryview) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:90])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        file.write([event(2, "x" * 100)])
    monkeypatch.undo()
    assert cursors(file.path) == [1]
    file.write([event(2)])
    file.close()
    assert cursors(file.path) == [1, 2]


@pytest.mark.requirement("004-3")
@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_written_times_keep_their_order_and_can_be_read(first: float, second: float):
    """RFC 3339 in UTC, milliseconds; a text that is read and written again is the same."""
    one, other = rfc3339(first), rfc3339(second)
    assert (one <= other) or first > second
    assert rfc3339(unix_seconds(one)) == one
    assert one.endswith("Z")
    assert len(one) == 24


def test_only_times_in_utc_are_read():
    """A time without a zone, or in another one, is refused."""
    with pytest.raises(ValueError, match="ends with Z"):
        unix_seconds("2026-11-22T01:10:27.042+01:00")

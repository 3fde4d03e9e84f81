"""The line index and the readers of logs, against what splitting the whole log gives."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors.processes.line_index import STRIDE, LogLineIndex
from actors.processes.log_lines import BLOCK, MAX_LINE_LENGTH, LogLine, log_lines
from actors.processes.run_folder import INDEX, LOG
from actors.processes.run_log import RunLog

# Short lines, lines longer than a stride, CR LF, empty lines, an open end.
PIECES = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.sampled_from(
            [
                b"\n",
                b"\r\n",
                b"\n\n\n",
                b"\r",
                b"x" * (STRIDE + 3),
                b"w" * (BLOCK - 1) + b"\r",
                (b"z" * 40 + b"\n") * 1_700,
                b"y" * 9_000 + b"\n",
            ]
        ),
    ),
    max_size=6,
)


def expected_lines(data: bytes) -> list[LogLine]:
    """The lines by definition: split at LF, CR before it dropped, no line behind a last LF; the text is what was
    drawn last."""
    lines: list[LogLine] = []
    position = 0
    pieces = data.split(b"\n")
    for number, piece in enumerate(pieces if pieces[-1] else pieces[:-1], 1):
        text = piece.removesuffix(b"\r")
        drawn = piece.rstrip(b"\r").split(b"\r")[-1]
        lines.append(LogLine(number, position, position + len(text), drawn[:MAX_LINE_LENGTH]))
        position += len(piece) + 1
    return lines


def store(folder: Path, chunks: list[bytes]) -> LogLineIndex:
    index = LogLineIndex()
    marks = b"".join(index.add(chunk) for chunk in chunks)
    (folder / LOG).write_bytes(b"".join(chunks))
    (folder / INDEX).write_bytes(marks)
    return index


@given(PIECES)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_line_is_found_live_and_stored(tmp_path: Path, chunks: list[bytes]) -> None:
    """Whatever pieces a log came in, each line has its number, its bytes and its text, from any line on."""
    index = store(tmp_path, chunks)
    expected = expected_lines(b"".join(chunks))
    for log in (RunLog(tmp_path, index), RunLog(tmp_path)):
        assert log.total_lines() == len(expected)
        assert log.total_bytes() == sum(map(len, chunks))
        assert list(log.lines()) == expected
        for start in {1, 2, len(expected) // 2, len(expected), len(expected) + 1} - {0}:
            assert list(log.page(start, 3).lines) == expected[start - 1 : start + 2]


@given(PIECES, st.binary(max_size=64), st.integers(0, 40))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_torn_index_loses_no_line(tmp_path: Path, chunks: list[bytes], rubbish: bytes, kept: int) -> None:
    """A server that was killed may leave an index that is cut off, or ends in something else."""
    store(tmp_path, chunks)
    marks = (tmp_path / INDEX).read_bytes()
    (tmp_path / INDEX).write_bytes(marks[:kept])
    expected = expected_lines(b"".join(chunks))
    assert list(RunLog(tmp_path).lines()) == expected
    (tmp_path / INDEX).write_bytes(marks + rubbish[: len(rubbish) // 16 * 16 + 5])
    assert RunLog(tmp_path).total_bytes() == sum(map(len, chunks))


@given(st.lists(st.binary(min_size=1, max_size=300_000), max_size=4), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_marks_are_sparse_and_begin_lines(chunks: list[bytes], factor: int) -> None:
    """At most one mark in 64 KiB, each at the beginning of a line."""
    data = b"".join(chunk * factor for chunk in chunks)
    index = LogLineIndex()
    index.add(data)
    before = 0
    for line in range(1, index.total_lines + 1, max(1, index.total_lines // 50)):
        mark = index.before_line(line)
        assert mark.lines < line
        assert mark.offset == 0 or data[mark.offset - 1 : mark.offset] == b"\n"
        assert data.count(b"\n", 0, mark.offset) == mark.lines
        assert mark.offset == before or mark.offset - before >= STRIDE
        before = mark.offset


def test_a_line_of_a_hundred_megabytes_takes_little_memory() -> None:
    """Only its first 16 KiB are kept, its bytes are counted."""

    class Endless(io.RawIOBase):
        """Bytes without a line end."""

        def seek(self, offset: int, whence: int = 0) -> int:
            return offset

        def read(self, size: int = -1) -> bytes:
            return b"x" * size

    size = 100 << 20
    (line,) = log_lines(Endless(), 1, 0, size)  # type: ignore[arg-type]
    assert (line.start, line.end, len(line.data)) == (0, size, MAX_LINE_LENGTH)


@pytest.mark.parametrize("cut", [BLOCK - 1, BLOCK, BLOCK + 1])
def test_a_line_end_cut_by_a_block(cut: int) -> None:
    """CR and LF in two blocks of reading are one line end."""
    data = b"x" * (cut - 1) + b"\r\nnext"
    first, second = log_lines(io.BytesIO(data), 1, 0, len(data))
    assert (first.end, second.start, second.data) == (cut - 1, cut + 1, b"next")

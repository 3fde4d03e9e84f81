"""LCOV from many tools, whole and broken."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.coverage.lcov_parser import CHUNK, LcovError, parse_lcov
from tools.coverage.report import Lines, change


def parse(text: str | bytes) -> dict[str, tuple[int, int]]:
    data = text.encode() if isinstance(text, str) else text
    return {path: (lines.hit, lines.found) for path, lines in parse_lcov(io.BytesIO(data)).files.items()}


@pytest.mark.requirement("000-D8")
@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("SF:a\nDA:1,1\nDA:2,0\nend_of_record\n", {"a": (1, 2)}),
        ("TN:\nSF:a\nDA:1,1\nLF:9\nLH:9\nend_of_record\n", {"a": (1, 1)}),
        ("SF:a\nLF:9\nLH:3\nend_of_record\n", {"a": (3, 9)}),
        ("SF:a\nLF:3\nLH:9\n", {"a": (3, 3)}),
        ("SF:a\nDA:1,1\nDA:2,0", {"a": (1, 2)}),
        ("SF:a\r\nDA:1,1\r\n\r\nDA:2,5,abc==\r\nend_of_record\r\n", {"a": (2, 2)}),
        ("SF:a\nDA:1,0\nend_of_record\nTN:x\nSF:a\nDA:1,2\nDA:3,0\nend_of_record\n", {"a": (1, 2)}),
        ("SF:a\nDA:1,1\nDA:1,0\nDA:1,1\n", {"a": (1, 1)}),
        ("SF:C:\\src\\a.ts\nDA:1,1\n", {"C:\\src\\a.ts": (1, 1)}),
        ("SF:with space é.sol\nDA:1,1\n", {"with space é.sol": (1, 1)}),
        ("SF:a\nFN:-1,f\nFNDA:0,f\nBRDA:1,0,0,-\nBRDA:-1,0,0,1\nMCDC:1\nVER:7\nFNL:0,1\nDA:7,00\n", {"a": (0, 1)}),
        ("SF:a\nend_of_record\nSF:b\nDA:4294967295,18446744073709551616\n", {"a": (0, 0), "b": (1, 1)}),
        ("", {}),
    ],
)
def test_every_dialect_is_read(text: str, files: dict):
    """Shards merge, summaries yield to lines, unknown records are passed over."""
    assert parse(text) == files


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\n", "no coverage records found"),
        ("TN:\n", "no coverage records found"),
        ("{}", "no coverage records found"),
        ("SF:a\nDA:1,-1\n", "line 2: expected DA:line,hits, found DA:1,-1"),
        ("SF:a\nDA:1,1\nDA:1,1.5\n", "line 3: expected DA:line,hits, found DA:1,1.5"),
        ("SF:a\nDA:x,1\n", "line 2: expected DA:line,hits, found DA:x,1"),
        ("SF:a\nDA:1\n", "line 2: expected DA:line,hits, found DA:1"),
        ("SF:a\nDA:0,1\n", "a line number near here is not in 1..4294967295"),
        ("SF:a\nDA:9999999999,1\n", "a line number near here"),
        ("DA:1,1\nSF:a\n", "line 1: DA before any SF"),
        ("SF:a\nend_of_record\nDA:1,1\n", "line 3: DA before any SF"),
        ("SF:\nDA:1,1\n", "line 1: SF without a path"),
        ("SF:a" + "x" * 200_000, "longer than"),
    ],
)
def test_what_is_no_lcov_is_told_with_its_place(text: str, reason: str):
    """Rather than counted."""
    with pytest.raises(LcovError) as caught:
        parse(text)
    assert reason in str(caught.value)


def test_pieces_are_put_together_at_their_borders():
    """The file is read in pieces, and nothing depends on where they end."""
    lines = [f"DA:{number},{number % 3}" for number in range(1, CHUNK // 4)]
    text = "SF:a\n" + "\n".join(lines) + "\nLF:1\nLH:1\nend_of_record\nSF:b\nLF:4\nLH:2\nend_of_record\n"
    assert len(text) > 2 * CHUNK
    assert parse(text) == {"a": (sum(n % 3 > 0 for n in range(1, CHUNK // 4)), len(lines)), "b": (2, 4)}


def test_places_are_counted_over_pieces():
    """The line of an error is that of the file."""
    text = "SF:a\n" + "DA:1,1\n" * 100_000 + "DA:bad,1\n"
    with pytest.raises(LcovError, match="line 100002: expected"):
        parse(text)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b/c", "d e"]),
            st.lists(st.tuples(st.integers(1, 50), st.integers(0, 3)), max_size=20),
        ),
        max_size=8,
    ),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_a_line_is_hit_if_it_is_anywhere(records: list, end: str):
    """Against the plainest model there is."""
    text = "".join(
        end.join(["TN:", f"SF:{path}", *(f"DA:{line},{hits}" for line, hits in lines), "end_of_record", ""])
        for path, lines in records
    )
    model: dict[str, dict[int, bool]] = {}
    for path, lines in records:
        known = model.setdefault(path, {})
        for line, hits in lines:
            known[line] = known.get(line, False) or hits > 0
    assert parse(text) == {path: (sum(known.values()), len(known)) for path, known in model.items()}


@given(st.binary(max_size=300) | st.text("SFDALHend_of_record:,0123456789\n\r ", max_size=300).map(str.encode))
def test_anything_is_a_report_or_an_error(data: bytes):
    """Never another exception, and never more hits than lines."""
    try:
        files = parse(data)
    except LcovError:
        return
    assert all(0 <= hit <= found for hit, found in files.values())


@pytest.mark.nightly
def test_fifty_megabytes_are_parsed():
    """000: "50 MB LCOV in under 5 s"; the time is measured by `python -m benchmarks.lcov`."""
    record = "".join(f"DA:{line},{line % 7}\n" for line in range(1, 5_000))
    text = "".join(f"TN:\nSF:src/file{number}.sol\n{record}end_of_record\n" for number in range(1_200)).encode()
    assert len(text) > 50 << 20
    report = parse_lcov(io.BytesIO(text))
    assert len(report.files) == 1_200


@pytest.mark.requirement("000-1")
def test_percentages_are_exact_and_rounded_half_up():
    """Python's own rounding of binary fractions would give 0.2 and 12.4."""
    assert Lines(1, 400).percentage == 0.3
    assert Lines(249, 2000).percentage == 12.5
    assert Lines(0, 0).percentage == 0.0
    assert Lines(3, 3).percentage == 100.0


@pytest.mark.requirement("000-D5")
@given(st.integers(0, 1000), st.integers(0, 1000))
def test_changes_reconcile_with_what_was_shown(before: int, after: int):
    """before + change is after, to the digit."""
    assert round(before / 10 + change(before / 10, after / 10), 1) == after / 10

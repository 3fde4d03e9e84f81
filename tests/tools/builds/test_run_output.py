"""Output of every kind: ranges of lines, pages, colours, binary, floods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from actors.processes.runner import CommandLimits
from tests.support.build_bench import BuildBench, make_bench
from tools.builds.run_reading import _whole_characters

pytestmark = pytest.mark.integration


async def finished_run(bench: BuildBench, output: bytes, exit_code: int = 0) -> dict[str, Any]:
    bench.printer("dotnet", output, exit_code)
    return await bench.call("dotnet_build")


@pytest.mark.requirement("003-8", "003-D8", "003-D9")
async def test_line_ranges(bench: BuildBench) -> None:
    """1-based and inclusive; a start below 1 is 1, one behind the end gives no lines."""
    answer = await finished_run(bench, b"".join(b"line %d\n" % n for n in range(1, 101)))

    async def lines(start: int, **more: int) -> dict[str, Any]:
        return await bench.call("run_logRange", runId=answer["runId"], startLine=start, **more)

    page = await lines(3, lineCount=2)
    assert page == {"lines": ["line 3", "line 4"], "startLine": 3, "endLine": 4, "totalLines": 100, "hasMore": True}
    assert len((await lines(1))["lines"]) == 50
    for start in (0, -5):
        assert (await lines(start, lineCount=1))["lines"] == ["line 1"]
        assert (await lines(start, lineCount=1))["startLine"] == 1
    assert not (await lines(99, lineCount=2))["hasMore"]
    empty = await lines(101)
    assert empty == {"lines": [], "startLine": 101, "endLine": 100, "totalLines": 100, "hasMore": False}
    error = await bench.refusal("run_logRange", runId=answer["runId"], startLine=1, lineCount=501)
    assert "lineCount must be less than or equal to 500" in error.message


@pytest.mark.requirement("003-8", "003-D11")
async def test_pages_of_raw_output_put_together_are_the_log(bench: BuildBench) -> None:
    """No page cuts a character, and `length` counts bytes."""
    text = "aé€😀\n" * 4
    answer = await finished_run(bench, text.encode())
    for length in (1, 2, 3, 4, 5, 7, 64):
        offset, pages = 0, []
        while True:
            page = await bench.call("run_raw", runId=answer["runId"], offset=offset, length=length)
            pages.append(page["data"])
            offset += page["length"]
            if not page["hasMore"]:
                break
        assert offset == len(text.encode())
        if length >= 4:
            assert "".join(pages) == text
    page = await bench.call("run_raw", runId=answer["runId"], offset=10_000)
    assert (page["data"], page["length"], page["hasMore"]) == ("", 0, False)
    assert "length must be" in (await bench.refusal("run_raw", runId=answer["runId"], length=65_537)).message


@given(st.text("aé€😀", max_size=30), st.integers(1, 40))
def test_a_page_ends_between_characters(text: str, length: int) -> None:
    """Where the page has room for one at all."""
    data = text.encode()
    taken = _whole_characters(data[: length + 3], length)
    assert len(taken) <= length
    assert taken or not data
    if length >= 4:
        taken.decode()


@pytest.mark.requirement("003-D11", "003-D13", "003-15")
async def test_binary_and_coloured_output(bench: BuildBench) -> None:
    """Colours and cursor movements go, bytes that are no text become U+FFFD, offsets stay those of the log."""
    prefix = b"\x00\xff\xfe binary \xc3\n" + b"50%\r100%\n"
    line = b"\x1b[31mA.cs(1,2): \x1b]8;;http://x\x07error\x1b]8;;\x07 CS1: caf\xc3\xa9 \xff\x1b[0m"
    answer = await finished_run(bench, prefix + line + b"\r\n\xe2\x82", 1)
    (error,) = answer["errors"]
    assert error["message"] == "café \ufffd"
    assert error["byteOffsets"] == {"start": len(prefix), "end": len(prefix + line)}
    page = await bench.call("run_logRange", runId=answer["runId"], startLine=1, lineCount=9)
    assert page["lines"] == ["\ufffd\ufffd binary \ufffd", "100%", "A.cs(1,2): error CS1: café \ufffd", "\ufffd"]
    raw = await bench.call("run_raw", runId=answer["runId"])
    assert "\x1b[31m" in raw["data"]


@pytest.mark.requirement("003-15", "003-D6", "003-D14", "X13")
async def test_answers_are_bounded(bench: BuildBench) -> None:
    """A hundred of each severity, the number of the others, messages of 2,000 characters; all are stored."""
    output = b"".join(b"A.cs(%d,1): error CS1: %s\n" % (n, b"m" * 3_900) for n in range(1, 151))
    answer = await finished_run(bench, output + b"A.cs(1,1): warning CS2: w\n", 1)
    assert (len(answer["errors"]), len(answer["warnings"]), answer["omitted"]) == (100, 1, 50)
    assert len(answer["errors"][0]["message"]) == 2_000
    stored = (bench.runs / answer["runId"] / "diagnostics.json").read_text()
    assert stored.count('"CS1"') == 150


@pytest.mark.parametrize("megabytes", [8, pytest.param(100, marks=pytest.mark.nightly)])
async def test_a_flood_is_logged_whole_and_parsed(bench: BuildBench, megabytes: int) -> None:
    """The last line of it is found with its exact place."""
    code = "import sys\nblock = b'a line of some output\\n' * 47_663\n"
    code += f"for _ in range({megabytes}): sys.stdout.buffer.write(block)\n"
    bench.program("dotnet", code + "print('A.cs(1,2): error CS1: the end')\nraise SystemExit(1)")
    answer = await bench.call("dotnet_build", waitSeconds=55)
    if "status" in answer:
        answer = await bench.call("run_status", runId=answer["runId"], waitSeconds=55)
    (error,) = answer["errors"]
    assert error["logRange"]["startLine"] == megabytes * 47_663 + 1
    start = error["byteOffsets"]["start"]
    assert start == megabytes * 47_663 * 22
    assert (await bench.call("run_raw", runId=answer["runId"], offset=start))["data"].startswith("A.cs(1,2)")


async def test_a_progress_bar_does_not_hide_what_was_drawn_last(bench: BuildBench) -> None:
    """A line may be drawn over for megabytes; its end is parsed, and its place is the whole line."""
    bar = b"".join(b"\r%s %d%%" % (b"#" * 90, n % 100) for n in range(3_000))
    answer = await finished_run(bench, bar + b"\rA.cs(1,2): error CS1: x\r\nnext\n", 1)
    (error,) = answer["errors"]
    assert (error["message"], error["line"], error["logRange"]["startLine"]) == ("x", 1, 1)
    assert error["byteOffsets"] == {"start": 0, "end": len(bar) + 24}
    page = await bench.call("run_logRange", runId=answer["runId"], startLine=1, lineCount=2)
    assert page["lines"] == ["A.cs(1,2): error CS1: x", "next"]


async def test_output_beyond_its_limit_ends_the_run(tmp_path: Path, nursery: trio.Nursery) -> None:
    """OUTPUT_LIMIT, with what the log has of it."""
    bench = await make_bench(tmp_path, nursery, CommandLimits(output=200_000))
    bench.program("dotnet", "print('A.cs(1,2): error CS1: x')\nwhile True: print('x' * 999)")
    answer = await bench.call("dotnet_build")
    assert [each["code"] for each in answer["errors"]] == ["CS1", "OUTPUT_LIMIT"]

"""Reading a recorded log: every line accounted for, every wrong one named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.replay.errors import CommandLogError
from orchestrator.replay.recorded import read_commands

TIME = "2026-11-22T01:10:27.042Z"


def line(tool: str = "clear_priorities", result: str = "success", **more: object) -> str:
    return json.dumps({"timestamp": TIME, "tool": tool, "args": {}, "result": result, **more}) + "\n"


def log(folder: Path, text: str) -> Path:
    path = folder / "mcp-commands.jsonl"
    path.write_text(text)
    return path


def test_commands_come_in_order_with_the_call_they_belong_to(tmp_path: Path):
    """Without a number a command belongs where the one before it did, and numbers never go back."""
    text = line(calls=100) + line() + "\n" + line(calls=None) + line(calls=250) + line(calls=90)
    commands = read_commands(log(tmp_path, text))
    assert [(one.line, one.calls) for one in commands] == [(1, 100), (2, 100), (4, 100), (5, 250), (6, 250)]
    assert {one.skipped for one in commands} == {""}
    assert [one.line for one in commands if one.is_moved] == [6]


@pytest.mark.parametrize("result", ["failure", "timeout", "dropped", "started"])
def test_what_did_not_succeed_is_listed_and_not_applied(tmp_path: Path, result: str):
    """With the result, and the message where there is one."""
    (plain, told) = read_commands(log(tmp_path, line(result=result) + line(result=result, message="no such function")))
    assert plain.skipped == f"its result was {result}"
    assert told.skipped == f"its result was {result}: no such function"


@pytest.mark.parametrize("tool", ["start_campaign", "pause_campaign", "resume_campaign", "execute_sequence"])
def test_what_changes_nothing_of_the_execution_is_left_out(tmp_path: Path, tool: str):
    """It has a reason each."""
    (command,) = read_commands(log(tmp_path, line(tool)))
    assert command.skipped


@pytest.mark.parametrize(
    "wrong",
    ["nonsense\n", "[]\n", '{"tool":"x"}\n', line(result="perhaps"), line(calls=-1), line(calls="many"), "\xff{\n"],
)
def test_a_malformed_line_is_named_with_the_allowed_form(tmp_path: Path, wrong: str):
    """File and line come first, as editors understand them."""
    path = log(tmp_path, line() + wrong)
    with pytest.raises(CommandLogError) as caught:
        read_commands(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert 'a line is {"timestamp"' in str(caught.value)


def test_a_last_line_that_was_cut_off_is_listed(tmp_path: Path):
    """The program was killed while it wrote it; what stands before it counts."""
    commands = read_commands(log(tmp_path, line() + line()[:30]))
    assert [one.skipped for one in commands] == ["", "the line was cut off"]


def test_a_log_that_cannot_be_read_is_an_error(tmp_path: Path):
    """Nothing else happens."""
    with pytest.raises(CommandLogError, match="cannot be read"):
        read_commands(tmp_path)


@given(st.binary(max_size=300))
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    """With the typed error and no other. Only a last line that was cut off may be wrong: none is applied then."""
    path = tmp_path_factory.mktemp("any") / "log"
    path.write_bytes(data)
    refused, commands = "", ()
    try:
        commands = read_commands(path)
    except CommandLogError as error:
        refused = str(error)
    lines = [text for text in data.split(b"\n") if text.strip()]
    assert refused.startswith(f"{path}:") or len(commands) == len(lines)
    assert all(one.skipped for one in commands)

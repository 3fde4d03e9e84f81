"""No output breaks a parser: generated logs, generated JSON, escapes, repetitions."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.parser_bench import parsed
from tools.builds.diagnostics import MAX_STORED, collected, diagnostic
from tools.builds.plugins import (
    PLUGINS,
    dotnet_build,
)
from tools.builds.responses import parsed_form, stored_form
from tools.builds.text import plain


@pytest.mark.requirement("003-D13b")
def test_repetitions_are_dropped_by_place_and_text() -> None:
    """Equal but for the line: two. Equal but for white space: one. More than are stored: counted."""
    one = diagnostic("t", "error", "a  b", code="C", file="f", line=1)
    same = diagnostic("t", "error", "a b", code="C", file="f", line=1)
    other = diagnostic("t", "error", "a b", code="C", file="f", line=2)
    assert collected([one, same, other]).diagnostics == (one, other)
    many = collected(diagnostic("t", "error", str(n)) for n in range(MAX_STORED + 5))
    assert (len(many.diagnostics), many.omitted) == (MAX_STORED, 5)


WORDS = st.sampled_from(
    [
        *("error", "warning", "npm error ", "npm warn ", "code ", ": ", "(", ")", "1,2", "[", "]", " - ", "FAILED "),
        *("x.py", "::", "Failed ", "Stack Trace:", "Error Message:", "\n", "\r\n", "\t", "  ", "Error (7): ", " --> "),
        *("{", "}", '"', "not ok 1 - ", "✖ ", "(1ms)", "  ● ", "ERR_PNPM_X ", "Error: ", "  × ", "  ├─▶ ", "Oops!"),
        *("ESLint:", "=== ", "___ ", "\x1b[31m", "A.cs(1,2): error CS1: x", "# pass 3", " in a:line 3", "9" * 30),
        *("Passed!  - Failed: 1, Passed: 2, Skipped: 3, Total: 6", "[x.csproj]", "\0", "\ufffd"),
        *(
            "[FAIL: x]",
            "[PASS] t() (gas: 1)",
            "Ran 1 test for a.sol:A\n",
            "calldata=set(uint256) args=[1]",
            " t() (runs: 0)",
        ),
    ]
)
LOGS = st.one_of(st.binary(max_size=400), st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=40).map("".join).map(
    lambda text: text.encode("utf-8", "surrogatepass")))  # fmt: skip


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
@given(log=LOGS, exit_code=st.sampled_from([0, 1, 2, -9]))
@settings(max_examples=60, deadline=None)
def test_no_output_breaks_a_parser(plugin: object, log: bytes, exit_code: int) -> None:
    """Whatever a command prints: no exception, places inside the log, and the result can be stored."""
    found = parsed(plugin, log, exit_code=exit_code)  # type: ignore[arg-type]
    for each in found.diagnostics:
        assert 0 <= each.byte_offsets.start <= each.byte_offsets.end <= len(log)
        assert each.log_range.start_line <= each.log_range.end_line <= log.count(b"\n") + 1
        assert each.line is None or each.line >= 1
    assert parsed_form(stored_form(found)) == found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["errors", "messages", "filePath", "results", "detectors", "test_results", "counterexample",
                         "Single", "Sequence", "status", "elements", "source_mapping", "lines", "success", "severity",
                         "message", "check", "impact", "errorCode"]), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@pytest.mark.parametrize("plugin", [each for each in PLUGINS if each.separate], ids=lambda plugin: plugin.name)
@given(value=JSON)
@settings(max_examples=60, deadline=None)
def test_no_json_breaks_a_parser(plugin: object, value: object) -> None:
    """Reports of another shape are no reports."""
    parsed(plugin, msgspec.json.encode(value))  # type: ignore[arg-type]


@given(st.text(max_size=200))
def test_plain_text_has_no_escapes_or_controls(text: str) -> None:
    """And is no longer than what it came from."""
    result = plain(text)
    assert "\x1b" not in result
    assert all(character >= " " or character == "\t" for character in result if character not in "\n")
    assert len(result) <= len(text)


def test_a_line_of_brackets_and_blanks_is_read_in_time() -> None:
    """Patterns that would take seconds on 4,096 characters of the worst kind would stall here."""
    for text in ("error " * 600, "(" * 4_000 + "error", " " * 4_000 + "error: x", "a: " * 1_300 + "error", "[" * 4_000):
        for plugin in PLUGINS:
            parsed(plugin, (text + "\n").encode() * 3)
    assert parsed(dotnet_build.PLUGIN, b"Program Files (x86)/A.cs(1,2): error CS1: x").diagnostics[0].line == 1

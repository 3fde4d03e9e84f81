"""Messages of the compiler carry the place that an editor shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.compile.diagnostics import (
    CompilationFailed,
    Diagnostic,
    from_solc,
    position_at,
    render_diagnostic,
)

SOURCE = "contract A {\n\tstring s = 'é€😀'; uint x = y;\n}\n"


def located(text: str) -> Diagnostic:
    start = SOURCE.encode().index(text.encode())
    location = {"file": "src/A.sol", "start": start, "end": start + len(text.encode())}
    error = {"severity": "error", "errorCode": "7576", "message": "Undeclared identifier.", "sourceLocation": location}
    return from_solc(error, {"src/A.sol": SOURCE})


def test_byte_offsets_become_characters() -> None:
    """Columns count characters although solc counts UTF-8 bytes."""
    found = located("y;")
    assert (found.line, found.column, found.end_line, found.end_column) == (2, 29, 2, 31)


def test_a_message_is_shown_with_its_line_and_a_caret() -> None:
    """The caret stands under the first character, tabs included."""
    shown = render_diagnostic(located("y")).split("\n")
    assert shown[0] == "src/A.sol:2:29: error: Undeclared identifier. [7576]"
    assert shown[1][shown[2].index("^")] == "y"
    assert shown[2].count("^") == 1


def test_a_range_over_several_lines_is_marked_to_the_end_of_the_first() -> None:
    """The caret line is never longer than the source line."""
    start, text = 0, "contract A {\n\tstring"
    location = {"file": "a", "start": start, "end": len(text)}
    found = from_solc({"severity": "warning", "message": "m", "sourceLocation": location}, {"a": SOURCE})
    assert render_diagnostic(found).split("\n")[2] == "  " + "^" * len("contract A {")
    assert found.end_line == 2


def test_old_messages_carry_their_place_in_their_text() -> None:
    """Without offsets, `file:line:column` of the formatted message counts."""
    error = {"severity": "error", "message": "bad", "formattedMessage": "src/A.sol:2:3: ParserError: bad\n..."}
    found = from_solc(error, {"src/A.sol": SOURCE})
    assert (found.file, found.line, found.column) == ("src/A.sol", 2, 3)


def test_a_message_without_a_place_is_only_text() -> None:
    """Nothing is invented."""
    assert render_diagnostic(from_solc({"severity": "error", "message": "no input"}, {})) == "error: no input"


def test_a_failed_compilation_says_its_errors_and_keeps_its_warnings() -> None:
    """Its text has the errors only."""
    failure = CompilationFailed([Diagnostic("warning", "1", "careful"), Diagnostic("error", "2", "wrong")])
    assert str(failure) == "error: wrong [2]"
    assert len(failure.diagnostics) == 2
    assert failure.code == "E_COMPILE"


@given(st.text(max_size=60), st.integers(0, 300))
def test_every_offset_has_a_position(text: str, offset: int) -> None:
    """Offsets inside of a character and behind the end are no error."""
    line, column = position_at(text, offset)
    assert 1 <= line <= text.count("\n") + 1
    assert column >= 1


@given(st.text(max_size=60).map(lambda text: text.replace("\r", "")), st.data())
def test_positions_lead_back_to_the_character(text: str, data: st.DataObject) -> None:
    """Line and column name the character that the offset pointed at."""
    index = data.draw(st.integers(0, len(text)))
    line, column = position_at(text, len(text[:index].encode()))
    lines = text.split("\n")
    assert sum(len(each) + 1 for each in lines[: line - 1]) + column - 1 == index


def test_the_caret_stands_below_what_escapes_have_moved() -> None:
    """Characters that control a terminal are shown as escapes, which are longer."""
    found = Diagnostic("error", "", "m", "a.sol", 1, 7, 1, 8, "\x1b[2J\t\u202ex;")
    _, source, caret = render_diagnostic(found).split("\n")
    assert source[caret.index("^") :] == "x;"

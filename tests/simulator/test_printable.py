"""Text from outside as it may be shown: no character in it controls a terminal, reorders or hides."""

import json
import os
import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.encoding import encodable_value, encode_json, encode_msgpack
from simulator.printable import (
    encodable,
    is_encodable,
    is_safe,
    one_line,
    printable,
    printable_colored,
    printable_json,
    shortened,
    shown_path,
)

ANY_TEXT = st.text(
    st.characters() | st.sampled_from("\x1b\x9b\x7f\r\n\t\u061c\u200e\u202e\u2066\u2028\ufeff\udcff\ud800\U000e0041")
)
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def is_harmless(text: str, allowed: str = "") -> bool:
    return all(each in allowed or unicodedata.category(each) not in HIDDEN for each in text)


@given(ANY_TEXT)
def test_nothing_in_a_printable_text_controls_reorders_or_hides(text: str) -> None:
    """Line ends and tabs stay where lines are wanted."""
    assert is_harmless(one_line(text))
    assert is_harmless(printable(text).replace("\r\n", "\n"), allowed="\n\t")


@given(ANY_TEXT)
def test_a_printable_text_is_left_as_it_is(text: str) -> None:
    """Text may pass several such places on its way."""
    for make in (one_line, printable, encodable):
        assert make(make(text)) == make(text)
    assert is_safe(printable(text))


@given(ANY_TEXT)
def test_printable_text_is_utf_8(text: str) -> None:
    """Lone surrogates stand for bytes that are not."""
    for made in (one_line(text), printable(text), encodable(text)):
        assert made.encode().decode() == made
    assert is_encodable(text) == (encodable(text) == text)


@pytest.mark.parametrize("name", ["Übung", "Договор", "合同\u3000甲", "عقد", "τεστ 💥", "a b", "back\\slash", ""])
def test_names_in_all_scripts_stay(name: str) -> None:
    """Only what cannot be seen is escaped."""
    assert one_line(name) == printable(name) == name


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("line\nend\ttab\r", "line\\nend\\ttab\\r"),
        ("\u202egnp.sol", "\\u202egnp.sol"),
        ("\x85\x9b", "\\u0085\\u009b"),
        ("\U000e0041", "\\U000e0041"),
        (os.fsdecode(b"\xff.txt"), "\\xff.txt"),
    ],
)
def test_each_hidden_character_has_one_escape(raw: str, shown: str) -> None:
    """Bytes of names that are not UTF-8 are told from characters of the same number."""
    assert one_line(raw) == shown


def test_a_name_that_is_not_utf_8_is_shown_by_its_bytes(tmp_path: os.PathLike[str]) -> None:
    """A path is text for people; the file is opened by the path itself."""
    assert shown_path(os.path.join(tmp_path, os.fsdecode(b"\xc3\x28\n"))).endswith("/\\xc3(\\n")


def test_colours_of_the_program_stay_and_nothing_else() -> None:
    """Cursor movements, titles and queries are escaped also in coloured text."""
    assert printable_colored("\x1b[1;31mred\x1b[0m") == "\x1b[1;31mred\x1b[0m"
    assert printable_colored("\x1b[2J\x1b]0;t\x07\x1b[6n") == "\\x1b[2J\\x1b]0;t\\x07\\x1b[6n"


JSON_VALUES = st.recursive(
    ANY_TEXT | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner)
)


@given(JSON_VALUES)
def test_a_printable_json_document_has_the_same_value(value: object) -> None:
    """All but lone surrogates, which become text, as UTF-8 cannot hold them."""
    document = printable_json(json.dumps(value, ensure_ascii=False))
    assert is_harmless(document)
    assert json.loads(document) == encodable_value(value)


@given(JSON_VALUES)
def test_any_value_can_be_encoded(value: object) -> None:
    """A name that is not UTF-8 costs no event, no checkpoint and no frame."""
    assert msgspec.json.decode(encode_json([value])) == [encodable_value(value)]
    small = json.loads(json.dumps(value), parse_int=lambda _: 1)
    assert msgspec.msgpack.decode(encode_msgpack(small)) == encodable_value(small)


@given(st.text(), st.integers(1, 40))
def test_a_long_text_is_cut_to_its_limit(text: str, limit: int) -> None:
    """An ellipsis says that something is missing."""
    cut = shortened(text, limit)
    assert len(cut) <= limit
    assert cut == text or cut == text[: limit - 1] + "…"

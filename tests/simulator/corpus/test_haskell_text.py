"""Haskell's `show` for byte strings and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.corpus.haskell_text import read_bytes, show_bytes
from simulator.errors import CorpusError


@given(st.binary(max_size=200))
def test_reading_is_the_inverse_of_showing(data: bytes) -> None:
    """Every byte string survives, and its text is printable ASCII."""
    text = show_bytes(data)
    assert read_bytes(text) == data
    assert text.isascii()
    assert text.isprintable()


@pytest.mark.parametrize("first", range(256))
def test_every_pair_of_bytes_survives(first: int) -> None:
    """No escape swallows the byte that follows it."""
    for second in range(256):
        data = bytes([first, second])
        assert read_bytes(show_bytes(data)) == data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", r'""'),
        (b"\fEs8\x10\xb4\x1cQ"[:5] + b"3\xb4\x1cQ", r'"\fEs8\DLE3\180\FSQ"'),
        (b"\x0eH", r'"\SO\&H"'),
        (b"\x0eX", r'"\SOX"'),
        (b"\x0e\x01", r'"\SO\SOH"'),
        (b"\x01", r'"\SOH"'),
        (b"\xb40", r'"\180\&0"'),
        (b"\x0f1", r'"\SI1"'),
        (b"\x7f1", r'"\DEL1"'),
        (b"\xff\xfe", r'"\255\254"'),
        (b'a"b\\c', r'"a\"b\\c"'),
        (b"\0\a\b\t\n\v\f\r\x1b ~'", r'''"\NUL\a\b\t\n\v\f\r\ESC ~'"'''),
    ],
)
def test_the_text_is_the_one_ghc_writes(data: bytes, text: str) -> None:
    """Named and decimal escapes, and the gap rule, as in GHC."""
    assert show_bytes(data) == text
    assert read_bytes(text) == data


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (r'"\x41\x0\o101\65"', b"A\x00AA"),
        (r'"\^A\^@\^_\^["', b"\x01\x00\x1f\x1b"),
        (r'"\BEL\BS\HT\LF\VT\FF\CR\SP"', b"\a\b\t\n\v\f\r "),
        ('"a\\   \n  \\b"', b"ab"),
        (r'"\'"', b"'"),
        (r'  "a"  ', b"a"),
        ('"é"', b"\xe9"),
        (r'"\0000000255"', b"\xff"),
    ],
)
def test_other_forms_of_the_language_are_read(text: str, data: bytes) -> None:
    """Hexadecimal, octal and control escapes, gaps, leading zeros."""
    assert read_bytes(text) == data


@pytest.mark.parametrize(
    "text", ["", '"', "abc", '"abc', r'"\"', r'"\q"', r'"\256"', r'"\x100"', '"a"b"', '"a\nb"', '"Ā"', r'"\ x"']
)
def test_what_is_no_literal_is_a_corpus_error(text: str) -> None:
    """Missing quotes, unknown escapes, characters that are no bytes."""
    with pytest.raises(CorpusError):
        read_bytes(text)


@given(st.text(alphabet='"\\&SOH1x^ aNUL\n', max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but CorpusError is raised."""
    try:
        data = read_bytes(text)
    except CorpusError:
        return
    assert read_bytes(show_bytes(data)) == data

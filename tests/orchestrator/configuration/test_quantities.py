"""Numbers, addresses and bytes of configuration files."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.configuration.quantities import (
    WORD_MAX,
    parse_bounded,
    parse_hex_bytes,
    parse_integer,
    word_bytes,
)


@given(st.integers(0, WORD_MAX))
def test_a_word_means_the_same_in_every_notation(number: int) -> None:
    """Integer, decimal text and 0x text of any case agree."""
    for written in (number, str(number), hex(number), hex(number).upper().replace("X", "x")):
        assert parse_bounded(written, 0, WORD_MAX) == number


@pytest.mark.parametrize("written", [WORD_MAX + 1, str(WORD_MAX + 1), hex(WORD_MAX + 1), -1, "1e78"])
def test_a_number_outside_256_bits_is_refused(written: object) -> None:
    """2^256-1 is the largest word, 0 the smallest."""
    with pytest.raises(ValueError, match="outside"):
        parse_bounded(written, 0, WORD_MAX)


@pytest.mark.parametrize(("written", "number"), [("1e18", 10**18), ("1.5e18", 15 * 10**17), ("1_000", 1000), (2.0, 2)])
def test_whole_numbers_may_be_written_in_a_readable_way(written: object, number: int) -> None:
    """Scientific notation and underscores are read when the value is whole."""
    assert parse_integer(written) == number


@pytest.mark.parametrize(
    "written", [True, None, [], 1.5, "", "ten", "1.5", "1.55e1", "0x", "1:30", "9" * 101, float("inf"), 1e60, "1e999"]
)
def test_what_is_no_whole_number_is_refused(written: object) -> None:
    """Booleans, fractions, other texts and values too long to be a word are all a ValueError."""
    with pytest.raises(ValueError, match="number"):
        parse_integer(written)


@given(st.text(max_size=40) | st.binary() | st.floats() | st.none() | st.lists(st.integers(), max_size=2))
def test_parsing_raises_nothing_but_value_errors(written: object) -> None:
    """Whatever a file holds, the outcome is an integer or a ValueError."""
    with suppress(ValueError):
        assert isinstance(parse_integer(written), int)


def test_both_bounds_are_allowed() -> None:
    """Ranges include their ends."""
    assert [parse_bounded(n, 1, 3) for n in (1, "2", 3)] == [1, 2, 3]
    with pytest.raises(ValueError, match="outside 1 to 3"):
        parse_bounded(4, 1, 3)


@given(st.binary(max_size=64))
def test_hexadecimal_code_is_read_with_and_without_prefix(code: bytes) -> None:
    """`0x6000` and `6000` are the same two bytes."""
    assert parse_hex_bytes("0x" + code.hex()) == parse_hex_bytes(code.hex()) == code


@pytest.mark.parametrize("written", ["0x6", "zz", 6000])
def test_what_is_no_hexadecimal_code_is_refused(written: object) -> None:
    """Odd digits, other characters and numbers are a ValueError."""
    with pytest.raises(ValueError, match="hex"):
        parse_hex_bytes(written)


@given(st.integers(0, WORD_MAX))
def test_word_bytes_have_no_leading_zero(number: int) -> None:
    """The big-endian form of settings: minimal, and the same number."""
    data = word_bytes(number)
    assert int.from_bytes(data, "big") == number
    assert not data.startswith(b"\0")

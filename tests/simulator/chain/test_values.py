"""Values that nodes send."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.chain.values import (
    MAX_CODE_BYTES,
    MalformedValueError,
    address_text,
    number_text,
    parse_bytes,
    parse_fixed,
    parse_number,
    word_text,
)


@given(st.integers(0, 2**256 - 1))
def test_numbers_are_read_as_they_are_written(number: int) -> None:
    """As quantities, and as words with all digits."""
    assert parse_number(number_text(number)) == parse_number(word_text(number)) == number


@given(st.binary(max_size=100))
def test_bytes_are_read_as_they_are_written(data: bytes) -> None:
    """Of any length."""
    assert parse_bytes("0x" + data.hex()) == data
    assert parse_fixed("0x" + data.hex(), len(data)) == data


@given(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.lists(st.text())
    | st.dictionaries(st.text(), st.text())
    | st.text()
    | st.text("0123456789abcdefABCDEFx", max_size=70)
)
def test_anything_else_is_refused_with_one_kind_of_error(value: object) -> None:
    """Never another exception, never a number out of range, and a message of one short line."""
    for parse in (parse_number, parse_bytes):
        try:
            found = parse(value)
        except MalformedValueError as error:
            message = str(error)
        else:
            message = ""
            assert isinstance(value, str)
            digits = value.removeprefix("0x")
            assert found == (int(digits, 16) if isinstance(found, int) else bytes.fromhex(digits))
        assert len(message) < 200
        assert "\n" not in message


@pytest.mark.parametrize("text", ["", "0x", "0xg", "12", "0x" + 65 * "1", "0x1\n", " 0x1", "0X1", "-0x1", "0x_1"])
def test_a_number_has_digits_and_nothing_else(text: str) -> None:
    """Not even what Python's `int` would take."""
    with pytest.raises(MalformedValueError, match="expected 0x and 1 to 64 hexadecimal digits"):
        parse_number(text)


def test_limits_are_kept() -> None:
    """Numbers above theirs, and codes longer than any."""
    with pytest.raises(MalformedValueError, match="up to 0xff"):
        parse_number("0x100", 255)
    with pytest.raises(MalformedValueError, match="bytes in hexadecimal"):
        parse_bytes("0x" + "00" * (MAX_CODE_BYTES + 1))
    with pytest.raises(MalformedValueError, match="32 bytes"):
        parse_fixed("0x00", 32)


def test_addresses_have_all_digits() -> None:
    """Nodes refuse short ones."""
    assert address_text(0xAB) == "0x" + 38 * "0" + "ab"

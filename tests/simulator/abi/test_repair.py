"""Arguments out of calldata that is not a whole encoding."""

from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.codec import WORD, decode, encode, repair
from simulator.abi.types import Array, Bytes, String, Tuple, UInt

NESTED = (String(), Bytes(), Array(Array(UInt(256))), UInt(8))


def words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(WORD, "big") for number in numbers)


def test_members_that_decode_stay_and_wild_ones_become_empty():
    """The second list claims 96 numbers, the text begins behind the end; the list before them is as it was."""
    data = words(1 << 200, 0x60, 7) + words(2, 0x40, 0, 1, 5)
    types = (String(), Array(Array(UInt(256))), UInt(256))
    assert repair(types, data[: 2 * WORD] + data[2 * WORD :]) == ("", ((5,), ()), 7)


def test_what_lacks_at_the_end_is_zero():
    """Also where there is nothing at all."""
    assert repair((UInt(256), UInt(256)), words(3)) == (3, 0)
    assert repair(NESTED, b"") == ("", b"", (), 0)


@given(
    st.text(max_size=40), st.binary(max_size=70), st.lists(st.lists(st.integers(0, 2**256 - 1), max_size=3), max_size=3)
)
def test_whole_encodings_decode_as_ever(text: str, content: bytes, numbers: list[list[int]]):
    """Nothing is repaired where nothing is broken."""
    data = encode(NESTED, (text, content, numbers, 9))
    assert repair(NESTED, data) == decode(NESTED, data)


@given(st.binary(max_size=600))
def test_repaired_arguments_can_be_encoded(data: bytes):
    """Whatever the bytes are."""
    types = (*NESTED, Tuple((Bytes(), Array(UInt(16), 2))))
    values = repair(types, data)
    assert decode(types, encode(types, values)) == values

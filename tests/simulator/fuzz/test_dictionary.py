"""The dictionary's sources."""

from simulator.fuzz.generation.dictionary import Dictionary, push_constants, start_dictionary
from simulator.project import Constant, Contract
from simulator.transaction import WORD_MAX


def test_a_number_brings_its_neighbours_and_their_negatives():
    """c-3..c+3 and -c-3..-c+3, as words."""
    dictionary = Dictionary()
    dictionary.add_number(100)
    assert {97, 100, 103, WORD_MAX + 1 - 100, WORD_MAX + 1 - 103} <= set(dictionary.numbers)


def test_push_constants_leave_out_jump_targets():
    """PUSH2 before JUMPI is a place in the code, not a value."""
    code = bytes.fromhex("61abcd" + "57" + "62112233" + "01" + "60")
    assert list(push_constants(code)) == [(0x112233, 3)]


def test_strings_of_the_source_serve_bytes_and_fixed_bytes():
    """A short string is also a left-aligned word."""
    dictionary = Dictionary()
    dictionary.add_constant(Constant("string", "0x" + b"open".hex()))
    assert b"open" in dictionary.blobs
    assert int.from_bytes(b"open".ljust(32, b"\0"), "big") in dictionary.fixed_bytes


def test_the_start_dictionary_is_the_same_every_time():
    """Determinism: order and content depend on the target alone."""
    contract = Contract(
        "a.sol", "A", "contract", (), b"", b"", constants=(Constant("uint", "42"), Constant("int", "-7"))
    )
    first = start_dictionary([contract], [bytes.fromhex("6301020304")], [1, 2])
    second = start_dictionary([contract], [bytes.fromhex("6301020304")], [1, 2])
    assert list(first.numbers) == list(second.numbers)
    assert {42, WORD_MAX + 1 - 7, 0x01020304, 255, 127} <= set(first.numbers)
    assert list(first.addresses) == [1, 2]

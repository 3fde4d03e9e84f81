"""Values made for fuzzing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from simulator.abi.call_parser import parse_call
from simulator.abi.codec import encode
from simulator.abi.contract import ContractAbi, Function
from simulator.abi.types import AbiType, Address, Bytes, Int, Tuple, UInt, Value, parse_type_text
from simulator.abi.values import (
    fill_wildcards,
    generate,
    generate_arguments,
    random_integer,
    simplest_value,
)
from tests.support.dictionaries import EmptyDictionary

EMPTY = EmptyDictionary()
TYPES = [
    "uint8",
    "uint256",
    "int8",
    "int256",
    "bool",
    "address",
    "bytes1",
    "bytes32",
    "function",
    "bytes",
    "string",
    "uint8[]",
    "int24[3][]",
    "(bool,(string,bytes)[])[2]",
    "string[][][][]",
]


class Known:
    """A dictionary with one number and two addresses."""

    def pick(self, abi_type: AbiType, rng: random.Random) -> Value | None:
        return 77 if isinstance(abi_type, UInt) else None

    def addresses(self) -> Sequence[int]:
        return (0xABCD << 144, 0x1234 << 144)


@pytest.mark.parametrize("text", TYPES)
def test_values_fit_their_type(text: str) -> None:
    """The encoder accepts the simplest value and every random one."""
    abi_type = parse_type_text(text)
    encode((abi_type,), (simplest_value(abi_type),))
    rng = random.Random(1)
    for _ in range(200):
        encode((abi_type,), (generate(abi_type, rng, EMPTY),))


@pytest.mark.parametrize("text", TYPES)
def test_one_seed_gives_one_value(text: str) -> None:
    """Generation depends on the random generator alone."""
    abi_type = parse_type_text(text)
    first, second = ([generate(abi_type, random.Random(seed), EMPTY) for seed in range(20)] for _ in range(2))
    assert first == second


def test_simplest_values_are_zero_and_empty() -> None:
    """What a shrinker aims at."""
    assert simplest_value(parse_type_text("(uint8,bool,bytes2,bytes,string,int8[],address[2])")) == (
        0,
        False,
        b"\0\0",
        b"",
        "",
        (),
        (0, 0),
    )


@pytest.mark.parametrize(("low", "high"), [(0, 255), (-128, 127), (0, 1)])
def test_every_small_integer_is_reachable(low: int, high: int) -> None:
    """Both ends and everything between."""
    rng = random.Random(1)
    assert {random_integer(rng, low, high) for _ in range(20_000)} == set(range(low, high + 1))


@pytest.mark.parametrize("abi_type", [UInt(256), Int(256)])
def test_the_edges_of_wide_integers_are_frequent(abi_type: UInt | Int) -> None:
    """Minimum, maximum, zero, one, minus one, and negative numbers for signed types."""
    rng = random.Random(1)
    values = [generate(abi_type, rng, EMPTY) for _ in range(20_000)]
    low, high = (0, 2**256 - 1) if isinstance(abi_type, UInt) else (-(2**255), 2**255 - 1)
    assert {low, high, 0, 1, 1 << 128, (1 << 128) - 1} <= set(values)
    negative = sum(isinstance(value, int) and value < 0 for value in values)
    assert negative > 8000 if isinstance(abi_type, Int) else negative == 0


def leaves(value: Any) -> int:
    return sum(map(leaves, value)) if isinstance(value, tuple) else 1


def test_sizes_are_bounded_and_mostly_small() -> None:
    """Arrays have at most 32 elements, runs 256 bytes, deep nests stay in the budget; all lengths occur."""
    rng = random.Random(1)
    numbers, deep = parse_type_text("uint8[]"), parse_type_text("uint8[][][][]")
    lengths = [len(generate(numbers, rng, EMPTY)) for _ in range(5000)]  # type: ignore[arg-type]
    assert set(lengths) == set(range(33))
    assert sorted(lengths)[2500] <= 3
    assert max(leaves(generate(deep, rng, EMPTY)) for _ in range(500)) < 1024
    runs = [len(generate(Bytes(), rng, EMPTY)) for _ in range(20_000)]  # type: ignore[arg-type]
    assert set(runs) == set(range(257))
    assert sorted(runs)[10_000] <= 32


def test_the_dictionary_is_asked_at_the_given_frequency() -> None:
    """Always, never, or two times in five."""
    rng = random.Random(1)
    assert {generate(UInt(256), rng, Known(), frequency=1.0) for _ in range(20)} == {77}
    assert 77 not in {generate(UInt(256), rng, Known(), frequency=0.0) for _ in range(200)}
    share = sum(generate(UInt(256), rng, Known()) == 77 for _ in range(5000)) / 5000
    assert 0.36 < share < 0.44
    assert isinstance(generate(Address(), rng, Known(), frequency=1.0), int)


def test_wildcards_are_filled_in() -> None:
    """A prefix finds a known address or is completed; values that were given stay."""
    inputs = parse_type_text("(address,address,uint256,bytes4,uint8[],bytes)")
    assert isinstance(inputs, Tuple)
    call = parse_call("f(0xabcd..., 0x99..., 5, 0x0102..., [1, ?], 0xf...)", ContractAbi((Function("f", inputs),)))
    for seed in range(50):
        first, second, number, word, numbers, run = fill_wildcards(call, random.Random(seed), Known())
        assert first == 0xABCD << 144
        assert isinstance(second, int)
        assert f"{second:040x}".startswith("99")
        assert number == 5
        assert isinstance(word, bytes)
        assert word[:2] == b"\x01\x02"
        assert isinstance(numbers, tuple)
        assert numbers[0] == 1
        assert isinstance(run, bytes)
        assert run.hex().startswith("f")
        encode(inputs.members, (first, second, number, word, numbers, run))


def test_the_arguments_of_a_call_share_the_budget() -> None:
    """Many dynamic arguments do not multiply the size."""
    types = [parse_type_text("string[][]")] * 20
    for seed in range(50):
        values = generate_arguments(types, random.Random(seed), EMPTY)
        assert sum(map(leaves, values)) < 1024

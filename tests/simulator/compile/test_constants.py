"""The dictionary gets every constant that a contract mentions, whatever the compiler's age."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from simulator.abi.hashing import keccak256
from simulator.compile.standard_json import read_output
from simulator.project import Contract, Unit

RECORDED = Path(__file__).with_name("recorded")


def recorded_unit(version: str) -> Unit:
    document = msgspec.json.decode((RECORDED / f"solc-{version}.json").read_bytes())
    sources = {name: each["content"] for name, each in document["input"]["sources"].items()}
    return read_output(document["output"], sources, version, None)


@pytest.fixture(params=["0.4.26", "0.8.30"])
def unit(request: pytest.FixtureRequest) -> Unit:
    return recorded_unit(request.param)


def contract(unit: Unit, name: str) -> Contract:
    return next(each for each in unit.contracts if each.name == name)


def constants(unit: Unit, name: str = "C") -> set[tuple[str, str]]:
    return {(each.type, each.value) for each in contract(unit, name).constants}


SLOT = int.from_bytes(keccak256(b"slot"), "big")
EXPECTED = {
    "negative numbers": {("int", "-12345"), ("uint", "12345")},
    "numbers that the type text elides": {("uint", str(2**200 - 1)), ("uint", str(2**200))},
    "complements in a small type": {("uint", "255")},
    "addresses": {
        ("address", "0xdac17f958d2ee523a2206206994597c13d831ec7"),
        ("address", "0x" + "1234".rjust(40, "0")),
    },
    "hashes of literals": {("bytes", "0x" + keccak256(b"ROLE").hex()), ("string", "0x" + b"ROLE".hex())},
    "conversions to fixed bytes": {("bytes", "0xa9059cbb")},
    "numbers with units": {("uint", "259200"), ("uint", str(5 * 10**17)), ("uint", str(10**18))},
    "expressions over other constants": {("uint", str(2 * 259200 + 1)), ("uint", str(SLOT - 1)), ("uint", str(SLOT))},
    "strings and hex strings": {("string", "0x" + b"text".hex()), ("bytes", "0xc0ffee")},
    "literals of assembly": {("uint", str(0xDEADBEEF))},
    "what the bases have": {("uint", "4242")},
    "what the libraries have": {("uint", "31337")},
    "sizes of enums": {("uint", "0"), ("uint", "1"), ("uint", "2"), ("uint", "3")},
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_constants_of_each_kind_are_found(unit: Unit, kind: str) -> None:
    """Literals, folded expressions, inherited ones and those of libraries."""
    assert EXPECTED[kind] - constants(unit) == set()


def test_a_contract_that_is_not_referred_to_adds_nothing(unit: Unit) -> None:
    """Only what is reachable from the contract counts."""
    assert ("uint", "666") not in constants(unit)
    assert constants(unit, "Unused") == {("uint", "666")}


def test_no_constant_comes_twice(unit: Unit) -> None:
    """The order is that of the source, without repetition."""
    found = contract(unit, "C").constants
    assert len(found) == len(set(found))

"""The dictionary gets every constant that a contract mentions, whatever the compiler's age."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.abi.hashing import keccak256
from simulator.compile.solc.standard_json import read_output
from simulator.compile.syntax.ast import AstIndex
from simulator.compile.syntax.constants import ConstantFinder
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


def literal(text: str, kind: str = "number") -> dict[str, Any]:
    return {"nodeType": "Literal", "kind": kind, "value": text}


def definition(identifier: int, name: str, *nodes: dict[str, Any], kind: str = "contract") -> dict[str, Any]:
    fields = {"id": identifier, "name": name, "contractKind": kind, "linearizedBaseContracts": [identifier]}
    return {"nodeType": "ContractDefinition", "nodes": list(nodes), **fields}


def function(identifier: int, *statements: dict[str, Any]) -> dict[str, Any]:
    return {"nodeType": "FunctionDefinition", "id": identifier, "statements": list(statements)}


def name_of(identifier: int) -> dict[str, Any]:
    return {"nodeType": "Identifier", "referencedDeclaration": identifier}


def values(*others: dict[str, Any], statements: tuple[dict[str, Any], ...], path: str = "B.sol") -> list[str]:
    """The constants of a contract with these statements; the other definitions stand in `path`."""
    main = definition(1, "Main", function(2, *statements))
    trees = {"A.sol": {"nodeType": "SourceUnit", "nodes": [main]}}
    trees[path] = {"nodeType": "SourceUnit", "nodes": list(others)}
    return [each.value for each in ConstantFinder(AstIndex(trees)).constants_of(main)[0]]


def test_of_a_library_only_what_is_called_counts() -> None:
    """Also what that calls in turn; the rest of a library of mathematics would drown the dictionary."""
    used, inner, unused = (
        function(11, literal("111"), name_of(12)),
        function(12, literal("222")),
        function(13, literal("3")),
    )
    library = definition(10, "Lib", used, inner, unused, kind="library")
    assert values(library, statements=(name_of(10), name_of(11))) == ["111", "222"]


def test_what_a_contract_creates_or_calls_counts_as_a_whole() -> None:
    """Its constants decide what the calls do."""
    other = definition(10, "Other", function(11, literal("111")), function(12, literal("222")))
    assert values(other, statements=(name_of(11),)) == ["111", "222"]


def test_names_used_in_assembly_are_followed() -> None:
    """A constant outside of the contract may be named there only."""
    constant = {"nodeType": "VariableDeclaration", "id": 20, "constant": True, "value": literal("777")}
    assembly = {"nodeType": "InlineAssembly", "externalReferences": [{"declaration": 20}]}
    assert values(constant, statements=(assembly,)) == ["777"]


def test_test_scaffolding_adds_nothing() -> None:
    """Neither forge-std nor the console of Hardhat."""
    other = definition(10, "Test", function(11, literal("111")))
    for path in ("lib/forge-std/src/Test.sol", "node_modules/hardhat/console.sol", "lib/ds-test/src/test.sol"):
        assert values(other, statements=(name_of(10), literal("5")), path=path) == ["5"]


def test_a_signature_to_encode_is_no_constant() -> None:
    """It is the name of a function; the arguments behind it count."""
    callee = {"nodeType": "MemberAccess", "memberName": "encodeWithSignature"}
    call = {
        "nodeType": "FunctionCall",
        "expression": callee,
        "arguments": [literal("f(uint256)", "string"), literal("9")],
    }
    assert values(statements=(call,)) == ["9"]


def test_a_hexadecimal_literal_may_be_a_number_or_bytes() -> None:
    """Whole bytes only, and addresses are neither."""
    assert values(statements=(literal("0x1234"), literal("0x123"))) == ["0x1234", "4660", "291"]

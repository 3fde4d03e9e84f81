"""Constant expressions have the value that the compiled code computes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.hashing import keccak256
from simulator.compile.syntax.ast import AstIndex
from simulator.compile.syntax.constant_values import Address, Folded, Number, Text
from simulator.compile.syntax.folding import fold

EMPTY = AstIndex({})


def typed(node_type: str, type_string: str = "", **fields: object) -> dict[str, Any]:
    return {"nodeType": node_type, "typeDescriptions": {"typeString": type_string}, **fields}


def number(text: str, unit: str | None = None, type_string: str = "") -> dict[str, Any]:
    return typed("Literal", type_string, kind="number", value=text, subdenomination=unit)


def string(text: str) -> dict[str, Any]:
    return typed("Literal", kind="string", value=text, hexValue=text.encode().hex())


def convert(target: str, inner: dict[str, Any]) -> dict[str, Any]:
    return typed("FunctionCall", target, kind="typeConversion", arguments=[inner], expression={})


def binary(operator: str, left: dict[str, Any], right: dict[str, Any], type_string: str = "uint256") -> dict[str, Any]:
    return typed("BinaryOperation", type_string, operator=operator, leftExpression=left, rightExpression=right)


def call(name: str, *arguments: dict[str, Any]) -> dict[str, Any]:
    callee = {"nodeType": "Identifier", "name": name}
    return typed("FunctionCall", kind="functionCall", arguments=list(arguments), expression=callee)


def packed(*arguments: dict[str, Any]) -> dict[str, Any]:
    callee = typed("MemberAccess", memberName="encodePacked", expression=typed("Identifier", "abi"))
    return typed("FunctionCall", kind="functionCall", arguments=list(arguments), expression=callee)


def bound(name: str, kind: str) -> dict[str, Any]:
    return typed("MemberAccess", memberName=name, expression=typed("FunctionCall", f"type({kind})"))


def integer(value: int) -> Number:
    return Number(Fraction(value))


CASES: dict[str, tuple[dict[str, Any], Folded | None]] = {
    "decimal": (number("1_000"), integer(1000)),
    "exponent": (number("1.5e18"), integer(15 * 10**17)),
    "negative exponent": (number("25e-1"), Number(Fraction(5, 2))),
    "fraction with unit": (number(".5", "ether"), integer(5 * 10**17)),
    "days": (number("2", "days"), integer(172_800)),
    "hexadecimal": (number("0xFf"), integer(255)),
    "an absurd exponent": (number("1e99999999"), None),
    "address": (number("0x" + "ab" * 20, type_string="address payable"), Address(int("ab" * 20, 16))),
    "address of a number": (convert("address", number("0x1234")), Address(0x1234)),
    "contract at an address": (convert("contract IERC20", number("0x12")), Address(0x12)),
    "wrapped conversion": (convert("uint8", number("300")), integer(44)),
    "sign of a conversion": (convert("int8", number("255")), integer(-1)),
    "address to number": (convert("uint160", convert("address", number("7"))), integer(7)),
    "string to bytes32": (convert("bytes32", string("ab")), Text(b"ab" + bytes(30))),
    "hash to bytes4": (convert("bytes4", call("keccak256", string("f()"))), Text(keccak256(b"f()")[:4])),
    "number to bytes4": (convert("bytes4", number("0x12345678")), Text(bytes.fromhex("12345678"))),
    "hash of a text": (call("keccak256", convert("bytes memory", string("x"))), Text(keccak256(b"x"))),
    "hash of packed values": (
        call("keccak256", packed(string("a"), number("1", type_string="uint16"), convert("address", number("2")))),
        Text(keccak256(b"a\x00\x01" + bytes(19) + b"\x02")),
    ),
    "hash of what is not known": (call("keccak256", typed("Identifier")), None),
    "overflow wraps": (binary("-", number("0"), number("1")), integer(2**256 - 1)),
    "integer division": (binary("/", number("7"), number("2")), integer(3)),
    "division by zero": (binary("/", number("7"), number("0")), None),
    "modulo": (binary("%", number("7"), number("4")), integer(3)),
    "power": (binary("**", number("2"), number("100")), integer(2**100)),
    "an absurd power": (binary("**", number("2"), number("99999999")), None),
    "shift": (binary("<<", number("1"), number("255")), integer(1 << 255)),
    "an absurd shift": (binary("<<", number("1"), number("99999999")), None),
    "or": (binary("|", number("5"), number("2")), integer(7)),
    "comparison": (binary("==", number("5"), number("2"), "bool"), None),
    "complement": (typed("UnaryOperation", "uint8", operator="~", subExpression=number("0")), integer(255)),
    "minus": (typed("UnaryOperation", "int256", operator="-", subExpression=number("5")), integer(-5)),
    "not": (typed("UnaryOperation", "bool", operator="!", subExpression=number("5")), None),
    "largest unsigned": (bound("max", "uint128"), integer(2**128 - 1)),
    "largest signed": (bound("max", "int8"), integer(127)),
    "smallest signed": (bound("min", "int8"), integer(-128)),
    "smallest unsigned": (bound("min", "uint8"), integer(0)),
    "bound of an enum": (bound("max", "enum E"), None),
    "parentheses": (typed("TupleExpression", components=[number("5")]), integer(5)),
    "an array": (typed("TupleExpression", components=[number("5")], isInlineArray=True), None),
    "boolean": (typed("Literal", kind="bool", value="true"), None),
}


@pytest.mark.parametrize("name", CASES)
def test_an_expression_has_its_value_or_none(name: str) -> None:
    """As the Solidity documentation defines it; what is not constant has none."""
    node, expected = CASES[name]
    found = fold(node, EMPTY)
    if isinstance(found, Text) and isinstance(expected, Text):
        assert found.data == expected.data
    else:
        assert found == expected


def test_the_compilers_own_value_is_taken_where_it_gives_one() -> None:
    """It is exact even where the text of the type elides digits."""
    types = {"typeIdentifier": "t_rational_minus_7_by_2", "typeString": "rational_const -7 / 2"}
    node = {"nodeType": "BinaryOperation", "typeDescriptions": types}
    assert fold(node, EMPTY) == Number(Fraction(-7, 2))


def constant(identifier: int, value: dict[str, Any], **fields: object) -> dict[str, Any]:
    return typed("VariableDeclaration", "uint256", id=identifier, constant=True, value=value, **fields)


def name_of(identifier: int) -> dict[str, Any]:
    return typed("Identifier", "uint256", referencedDeclaration=identifier)


def test_names_of_constants_have_their_value() -> None:
    """Through other constants; variables have none."""
    nodes = [constant(1, number("20")), constant(2, binary("*", name_of(1), number("2")))]
    nodes.append({**constant(3, number("1")), "constant": False})
    index = AstIndex({"A.sol": {"nodeType": "SourceUnit", "nodes": nodes}})
    assert fold(name_of(2), index) == integer(40)
    assert fold(name_of(3), index) is None
    assert fold(name_of(9), index) is None


def test_constants_that_need_each_other_have_no_value() -> None:
    """The compiler refuses them, but a broken build-info may say anything."""
    twice = binary("+", name_of(2), name_of(2)), binary("+", name_of(1), name_of(1))
    nodes = [constant(number, value) for number, value in enumerate(twice, 1)]
    assert fold(name_of(1), AstIndex({"A.sol": {"nodeType": "SourceUnit", "nodes": nodes}})) is None


def test_a_long_chain_of_constants_is_folded_once_each() -> None:
    """The work grows with the number of constants, not with the number of ways to them."""
    nodes = [constant(0, number("1"))]
    nodes += [constant(n, binary("+", name_of(n - 1), name_of(n - 1))) for n in range(1, 60)]
    index = AstIndex({"A.sol": {"nodeType": "SourceUnit", "nodes": nodes}})
    assert fold(name_of(59), index) == integer(2**59)


def test_selectors_and_interface_ids_are_known() -> None:
    """The id of an interface is the exclusive or of its selectors."""
    functions = [
        typed("FunctionDefinition", id=5 + n, functionSelector=s) for n, s in enumerate(("0f000001", "f0000002"))
    ]
    interface = {"nodeType": "ContractDefinition", "id": 1, "name": "I", "nodes": functions}
    index = AstIndex({"A.sol": {"nodeType": "SourceUnit", "nodes": [interface]}})
    member = typed("MemberAccess", memberName="selector", expression={"referencedDeclaration": 5})
    assert fold(member, index) == Text(bytes.fromhex("0f000001"))
    of_type = typed("FunctionCall", arguments=[{"referencedDeclaration": 1}])
    identifier = typed("MemberAccess", memberName="interfaceId", expression=of_type)
    assert fold(identifier, index) == Text(bytes.fromhex("ff000003"))


OPERATORS = ("+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>")


@given(st.sampled_from(OPERATORS), st.integers(0, 2**256 - 1), st.integers(0, 2**256 - 1))
def test_arithmetic_stays_inside_of_its_type(operator: str, left: int, right: int) -> None:
    """Whatever the operands, the value fits 256 bits or is left open."""
    found = fold(binary(operator, number(str(left)), number(str(right))), EMPTY)
    assert found is None or (isinstance(found, Number) and 0 <= found.value < 2**256)

"""The value of a constant expression of the syntax tree, as far as it is known without running code."""

from __future__ import annotations

import re
from fractions import Fraction

from simulator.abi.hashing import keccak256
from simulator.compile.syntax.ast import AstIndex, Node
from simulator.compile.syntax.constant_values import (
    INTEGER_TYPE,
    MAX_BITS,
    WORD_BITS,
    Address,
    Folded,
    Number,
    Text,
    arithmetic,
    converted,
    number_from_text,
    wrapped,
)

_MAX_DEPTH = 150
_RATIONAL = re.compile(r"t_rational_(minus_)?(\d+)_by_(\d+)")


def fold(node: Node | None, index: AstIndex, depth: int = 0) -> Folded | None:
    """The value of an expression, or None when it is not a constant or of another kind (booleans, arrays)."""
    if node is None or depth > _MAX_DEPTH:
        return None
    match node.get("nodeType"):
        case "Literal":
            return _literal(node)
        case "UnaryOperation":
            return _rational_type(node) or _unary(node, index, depth)
        case "BinaryOperation":
            return _rational_type(node) or _binary(node, index, depth)
        case "TupleExpression" if len(node.get("components") or ()) == 1 and not node.get("isInlineArray"):
            return fold(node["components"][0], index, depth + 1)
        case "Identifier":
            return _variable(node, index, depth)
        case "MemberAccess":
            return _member(node, index, depth)
        case "FunctionCall":
            return _call(node, index, depth)
        case _:
            return None


def _type_string(node: Node) -> str:
    return str((node.get("typeDescriptions") or {}).get("typeString") or "")


def _rational_type(node: Node) -> Number | None:
    """The exact value that solc writes into the type of an untyped constant expression."""
    identifier = str((node.get("typeDescriptions") or {}).get("typeIdentifier") or "")
    if not (match := _RATIONAL.fullmatch(identifier)) or len(identifier) > MAX_BITS:
        return None
    value = Fraction(int(match[2]), int(match[3]) or 1)
    return Number(-value if match[1] else value)


def _literal(node: Node) -> Folded | None:
    kind, value = node.get("kind"), node.get("value")
    if kind == "number" and isinstance(value, str):
        if _type_string(node).startswith("address"):
            return Address(int(value, 16))
        return _rational_type(node) or number_from_text(value, node.get("subdenomination"))
    if kind in ("string", "unicodeString", "hexString"):
        data = bytes.fromhex(node["hexValue"]) if node.get("hexValue") else str(value or "").encode()
        # Before 0.7 a hex literal is a string too; without a value it is not even UTF-8.
        return Text(data, is_string=kind != "hexString" and value is not None)
    return None


def _unary(node: Node, index: AstIndex, depth: int) -> Folded | None:
    operand = fold(node.get("subExpression"), index, depth + 1)
    if not isinstance(operand, Number):
        return None
    match node.get("operator"):
        case "-":
            return wrapped(Number(-operand.value), _type_string(node))
        case "~" if operand.value.denominator == 1:
            return wrapped(Number(Fraction(~int(operand.value))), _type_string(node))
        case _:
            return None


def _binary(node: Node, index: AstIndex, depth: int) -> Folded | None:
    left = fold(node.get("leftExpression"), index, depth + 1)
    right = fold(node.get("rightExpression"), index, depth + 1)
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    value = arithmetic(
        str(node.get("operator")),
        left.value,
        right.value,
        typed=INTEGER_TYPE.fullmatch(_type_string(node)) is not None,
    )
    return None if value is None else wrapped(Number(value), _type_string(node))


def _variable(node: Node, index: AstIndex, depth: int) -> Folded | None:
    identifier = node.get("referencedDeclaration")
    declaration = index.node(identifier)
    if not declaration or not declaration.get("constant"):
        return None
    assert isinstance(identifier, int)
    if identifier not in index.folded:
        # While its value is being found it has none, so that constants which need each other come to an end.
        index.folded[identifier] = None
        folded = fold(declaration.get("value"), index, depth + 1)
        kind = _type_string(declaration)
        index.folded[identifier] = wrapped(folded, kind) if isinstance(folded, Number) else folded
    known: Folded | None = index.folded[identifier]
    return known


def _member(node: Node, index: AstIndex, depth: int) -> Folded | None:
    name, inner = node.get("memberName"), node.get("expression") or {}
    if name in ("max", "min"):
        return _type_bound(str(name), _type_string(inner))
    if name == "interfaceId":
        return _interface_id(inner, index)
    if name == "selector":
        target = index.node(inner.get("referencedDeclaration")) or {}
        selector = target.get("functionSelector") or target.get("errorSelector")
        return Text(bytes.fromhex(selector)) if selector else None
    return _variable(node, index, depth)


def _type_bound(name: str, type_string: str) -> Number | None:
    match = re.fullmatch(r"type\((u?)int(\d+)\)", type_string)
    if not match:
        return None
    bits, signed = int(match[2]), not match[1]
    if name == "max":
        return Number(Fraction((1 << (bits - signed)) - 1))
    return Number(Fraction(-(1 << (bits - 1)) if signed else 0))


def _interface_id(inner: Node, index: AstIndex) -> Text | None:
    arguments = inner.get("arguments") or ()
    interface = index.node(arguments[0].get("referencedDeclaration")) if arguments else None
    if interface is None:
        return None
    selectors = [node["functionSelector"] for node in interface.get("nodes", ()) if node.get("functionSelector")]
    value = 0
    for selector in selectors:
        value ^= int(selector, 16)
    return Text(value.to_bytes(4, "big"))


def _call(node: Node, index: AstIndex, depth: int) -> Folded | None:
    arguments: list[Node] = node.get("arguments") or []
    callee = node.get("expression") or {}
    if node.get("kind") == "typeConversion" and len(arguments) == 1:
        value = fold(arguments[0], index, depth + 1)
        return None if value is None else converted(value, _type_string(node))
    if callee.get("memberName") == "encodePacked" and _type_string(callee.get("expression") or {}) == "abi":
        return _packed(arguments, index, depth)
    if callee.get("nodeType") == "Identifier" and callee.get("name") in ("keccak256", "sha3"):
        text = _packed(arguments, index, depth)
        return Text(keccak256(text.data)) if text else None
    return None


def _packed(arguments: list[Node], index: AstIndex, depth: int) -> Text | None:
    """Constant arguments without padding, as `abi.encodePacked` and the hash function before 0.5 take them."""
    pieces: list[bytes] = []
    for argument in arguments:
        match fold(argument, index, depth + 1):
            case Text(data):
                pieces.append(data)
            case Address(address):
                pieces.append(address.to_bytes(20, "big"))
            case Number(number) if kind := INTEGER_TYPE.fullmatch(_type_string(argument)):
                bits = int(kind[2] or WORD_BITS)
                pieces.append((int(number) % (1 << bits)).to_bytes(bits // 8, "big"))
            case _:
                return None
    return Text(b"".join(pieces))

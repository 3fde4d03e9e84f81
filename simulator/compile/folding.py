"""The value of a constant expression of the syntax tree, as far as it is known without running code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from simulator.abi.hashing import keccak256
from simulator.compile.ast import AstIndex, Node

_MAX_DEPTH = 150
_MAX_BITS = 4096
_WORD_BITS = 256
_RATIONAL = re.compile(r"t_rational_(minus_)?(\d+)_by_(\d+)")
_INTEGER_TYPE = re.compile(r"(u?)int(\d*)")
_BYTES_TYPE = re.compile(r"bytes(\d+)")
_UNITS = {
    "wei": Fraction(1),
    "gwei": Fraction(10**9),
    "szabo": Fraction(10**12),
    "finney": Fraction(10**15),
    "ether": Fraction(10**18),
    "seconds": Fraction(1),
    "minutes": Fraction(60),
    "hours": Fraction(3600),
    "days": Fraction(86400),
    "weeks": Fraction(604800),
    "years": Fraction(31536000),
}


@dataclass(frozen=True, slots=True)
class Number:
    """An integer or, inside of an expression, a rational number."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Address:
    value: int


@dataclass(frozen=True, slots=True)
class Text:
    """Bytes of fixed or dynamic length; `is_string` when the source has them as a string literal."""

    data: bytes
    is_string: bool = False


Folded = Number | Address | Text


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
    if not (match := _RATIONAL.fullmatch(identifier)) or len(identifier) > _MAX_BITS:
        return None
    value = Fraction(int(match[2]), int(match[3]) or 1)
    return Number(-value if match[1] else value)


def _literal(node: Node) -> Folded | None:
    kind, value = node.get("kind"), node.get("value")
    if kind == "number" and isinstance(value, str):
        if _type_string(node).startswith("address"):
            return Address(int(value, 16))
        return _rational_type(node) or _number_text(value, node.get("subdenomination"))
    if kind in ("string", "unicodeString", "hexString"):
        data = bytes.fromhex(node["hexValue"]) if node.get("hexValue") else str(value or "").encode()
        # Before 0.7 a hex literal is a string too; without a value it is not even UTF-8.
        return Text(data, is_string=kind != "hexString" and value is not None)
    return None


def _number_text(text: str, unit: str | None) -> Number | None:
    plain = text.replace("_", "")
    if plain[:2].lower() == "0x":
        value = Fraction(int(plain, 16))
    else:
        mantissa, _, exponent = plain.lower().partition("e")
        if abs(int(exponent or 0)) > _MAX_BITS:
            return None
        value = Fraction(mantissa if mantissa[-1:] != "." else mantissa + "0") * Fraction(10) ** int(exponent or 0)
    return Number(value * _UNITS.get(unit or "wei", Fraction(1)))


def _unary(node: Node, index: AstIndex, depth: int) -> Folded | None:
    operand = fold(node.get("subExpression"), index, depth + 1)
    if not isinstance(operand, Number):
        return None
    match node.get("operator"):
        case "-":
            return _typed(Number(-operand.value), _type_string(node))
        case "~" if operand.value.denominator == 1:
            return _typed(Number(Fraction(~int(operand.value))), _type_string(node))
        case _:
            return None


def _binary(node: Node, index: AstIndex, depth: int) -> Folded | None:
    left = fold(node.get("leftExpression"), index, depth + 1)
    right = fold(node.get("rightExpression"), index, depth + 1)
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    value = _arithmetic(
        str(node.get("operator")),
        left.value,
        right.value,
        typed=_INTEGER_TYPE.fullmatch(_type_string(node)) is not None,
    )
    return None if value is None else _typed(Number(value), _type_string(node))


def _arithmetic(operator: str, left: Fraction, right: Fraction, *, typed: bool) -> Fraction | None:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if right:
            quotient = left / right
            return Fraction(int(quotient)) if typed else quotient
        case "**" if right.denominator == 1 and right >= 0 and _bits(left) * max(1, int(right)) <= _MAX_BITS:
            return Fraction(left ** int(right))
        case _:
            return _integer_arithmetic(operator, left, right)


def _integer_arithmetic(operator: str, left: Fraction, right: Fraction) -> Fraction | None:
    if left.denominator != 1 or right.denominator != 1:
        return None
    a, b = int(left), int(right)
    match operator:
        case "%" if b:
            return Fraction(abs(a) % abs(b) * (-1 if a < 0 else 1))
        case "&":
            return Fraction(a & b)
        case "|":
            return Fraction(a | b)
        case "^":
            return Fraction(a ^ b)
        case "<<" if 0 <= b <= _MAX_BITS:
            return Fraction(a << b)
        case ">>" if b >= 0:
            return Fraction(a >> min(b, _MAX_BITS))
        case _:
            return None


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _typed(number: Number, type_string: str) -> Number | None:
    """A number as a variable of an integer type holds it, wrapped around; unchanged for other types."""
    if not (match := _INTEGER_TYPE.fullmatch(type_string)):
        return number
    bits = int(match[2] or _WORD_BITS)
    value = int(number.value) & ((1 << bits) - 1)
    if not match[1] and value >> (bits - 1):
        value -= 1 << bits
    return Number(Fraction(value))


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
        index.folded[identifier] = _typed(folded, kind) if isinstance(folded, Number) else folded
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
        return None if value is None else _convert(value, _type_string(node))
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
            case Number(number) if kind := _INTEGER_TYPE.fullmatch(_type_string(argument)):
                bits = int(kind[2] or _WORD_BITS)
                pieces.append((int(number) % (1 << bits)).to_bytes(bits // 8, "big"))
            case _:
                return None
    return Text(b"".join(pieces))


def _convert(value: Folded, target: str) -> Folded | None:
    if target.startswith(("address", "contract ")):
        return _to_address(value)
    if _INTEGER_TYPE.fullmatch(target):
        return _to_number(value, target)
    if match := _BYTES_TYPE.fullmatch(target):
        return _to_fixed_bytes(value, int(match[1]))
    return value if isinstance(value, Text) and target.startswith(("bytes", "string")) else None


def _to_address(value: Folded) -> Address | None:
    match value:
        case Address():
            return value
        case Number(number) if number.denominator == 1:
            return Address(int(number) & ((1 << 160) - 1))
        case Text(data) if len(data) == 20:
            return Address(int.from_bytes(data, "big"))
        case _:
            return None


def _to_number(value: Folded, target: str) -> Number | None:
    match value:
        case Number():
            return _typed(value, target)
        case Address(address):
            return _typed(Number(Fraction(address)), target)
        case Text(data) if len(data) <= 32:
            return _typed(Number(Fraction(int.from_bytes(data, "big"))), target)
        case _:
            return None


def _to_fixed_bytes(value: Folded, size: int) -> Text | None:
    match value:
        case Text(data):
            return Text(data[:size].ljust(size, b"\0"))
        case Address(address):
            return Text(address.to_bytes(20, "big")[-size:])
        case Number(number) if number.denominator == 1:
            # A number converts by its low bytes; only literals and types of the same size are accepted by solc.
            return Text((int(number) % (1 << (8 * size))).to_bytes(size, "big"))
        case _:
            return None

"""Values of a configuration in JavaScript: what operators, members and a few functions make of them."""

from __future__ import annotations

from typing import Any

import msgspec

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "\n": ""}
_IDENTITIES = frozenset(("defineConfig", "freeze", "assign", "extendConfig"))


class Unread(msgspec.Struct, frozen=True):
    """A value that only running the file would give. `text` says how it begins."""

    text: str


def unquoted(text: str) -> str:
    """The text that a literal without its quotes stands for."""
    if "\\" not in text:
        return text
    parts = iter(text)
    return "".join(_ESCAPES.get(after := next(parts, ""), after) if each == "\\" else each for each in parts)


def number_of(text: str) -> int | float | Unread:
    """A number, `Unread` for what is none."""
    plain = text.replace("_", "").removesuffix("n") if not text.lower().startswith("0x") else text.replace("_", "")
    try:
        return int(plain.removesuffix("n"), 0) if plain[:2].lower() in ("0x", "0b", "0o") else _decimal(plain)
    except (ValueError, OverflowError):
        return Unread(text)


def _decimal(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() else value


def with_sign(sign: str, value: Any) -> Any:
    """A value behind `-`, `+`, `!` or `~`."""
    if isinstance(value, Unread):
        return value
    if sign == "!":
        return not value
    if isinstance(value, bool) or not isinstance(value, int | float) or sign == "~":
        return Unread(f"{sign}{value}"[:60])
    return -value if sign == "-" else value


def applied(operator: str, left: Any, right: Any) -> Any:
    """Apply an operator to two values."""
    if isinstance(left, Unread):
        return left
    match operator:
        case "??":
            return right if left is None else left
        case "||":
            return left or right
        case "&&":
            return left and right
        case "==" | "===" if not isinstance(right, Unread):
            return left == right
        case "!=" | "!==" if not isinstance(right, Unread):
            return left != right
        case "+" if isinstance(left, str) and isinstance(right, str):
            return left + right
    if isinstance(right, Unread) or not _are_numbers(left, right):
        return right if isinstance(right, Unread) else Unread(f"{left} {operator} {right}"[:60])
    return _calculated(operator, left, right)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(each, int | float) and not isinstance(each, bool) and abs(each) < 1 << 64 for each in values)


def _calculated(operator: str, left: float, right: float) -> Any:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "<":
            return left < right
        case ">":
            return left > right
        case "<=":
            return left <= right
        case ">=":
            return left >= right
        case "**" if 0 <= right <= 64 and abs(left) <= 1 << 16:
            return left**right
        case _:
            return Unread(f"{left} {operator} {right}")


def member_of(value: Any, key: Any, unread: Unread) -> Any:
    """A member of a table or a list; `unread` where there is none to know."""
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
        return value[key]
    return unread


def result_of(name: str, arguments: list[Any], unread: Unread) -> Any:
    """Return the result of a call, as far as it is known by its name."""
    tables = [each for each in arguments if isinstance(each, dict)]
    if name in _IDENTITIES and tables and len(tables) == len(arguments):
        return {key: value for table in tables for key, value in table.items()}
    first = arguments[0] if arguments else unread
    if name in ("Number", "parseInt", "parseFloat") and isinstance(first, str | int | float):
        return number_of(str(first).strip()) if str(first).strip() else unread
    if name == "String" and isinstance(first, str | int):
        return str(first)
    return unread

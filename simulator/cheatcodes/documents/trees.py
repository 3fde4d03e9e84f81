"""JSON and TOML: texts to values, and values to what the ABI has."""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from simulator.abi.types import AbiType, Array, String, Tuple, Value
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.values.conversion import Scalar, parse_scalar

MAX_TEXT = 1 << 20
MAX_NESTING = 64
MAX_DIGITS = 80
WORD = 32
_HEX = re.compile("[0-9a-fA-F]*")


@lru_cache(maxsize=16)
def parse_json(text: str) -> Any:
    """A JSON text as dict, list, str, bool, int, Decimal and None; not to be changed. Raises `CheatcodeError`."""
    return _parsed("JSON", text, lambda: json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant))


@lru_cache(maxsize=16)
def parse_toml(text: str) -> Any:
    """The same of a TOML text; dates and times are texts."""
    return _parsed("TOML", text, lambda: _plain(tomllib.loads(text, parse_float=Decimal)))


def _parsed(kind: str, text: str, parse: Callable[[], Any]) -> Any:
    if len(text) > MAX_TEXT:
        raise CheatcodeError(f"failed parsing {kind}: more than {MAX_TEXT} characters")
    try:
        value = parse()
    except (ValueError, ArithmeticError) as error:
        raise CheatcodeError(f"failed parsing {kind}: {error}") from None
    except RecursionError:
        raise CheatcodeError(f"failed parsing {kind}: nested too deeply") from None
    if _nesting(value) > MAX_NESTING:
        raise CheatcodeError(f"failed parsing {kind}: nested more than {MAX_NESTING} deep")
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(each) for key, each in value.items()}
        case list():
            return [_plain(each) for each in value]
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat().replace("+00:00", "Z")
        case _:
            return value


def _nesting(value: Any) -> int:
    """Lists and objects around the innermost value; stops counting behind the limit."""
    depth, layer = 0, [value]
    while layer and depth <= MAX_NESTING:
        layer = [each for value in layer for each in _inside(value)]
        depth += bool(layer)
    return depth


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


# --- to types that the caller names ----------------------------------------------------------------------------------


def as_type(kind: AbiType, value: Any) -> Value:
    """A value as the type. Numbers, `true` and `null` may stand for texts, and texts for anything that they spell.
    Raises `CheatcodeError`."""
    if isinstance(value, list):
        return tuple(as_type(inner, each) for inner, each in zip(_element_types(kind, value), value, strict=True))
    if isinstance(value, dict):
        return _as_struct(kind, value)
    if isinstance(kind, Array | Tuple):
        raise CheatcodeError(f"expected {kind.canonical}, found {_text(value)!r}")
    if isinstance(value, str) and isinstance(kind, String):
        return value
    scalar: Scalar = kind  # type: ignore[assignment]
    return parse_scalar(scalar, _text(value).replace('"', ""))


def _element_types(kind: AbiType, elements: list[Any]) -> Sequence[AbiType]:
    if not isinstance(kind, Array | Tuple):
        raise CheatcodeError(f"expected {kind.canonical}, found array")
    types = kind.members if isinstance(kind, Tuple) else (kind.element,) * len(elements)
    if len(elements) != (len(types) if isinstance(kind, Tuple) or kind.length is None else kind.length):
        raise CheatcodeError(f"expected {kind.canonical}, found an array of {len(elements)}")
    return types


def _as_struct(kind: AbiType, members: dict[str, Any]) -> Value:
    """A struct whose members have names."""
    if not isinstance(kind, Tuple) or not kind.names:
        raise CheatcodeError(f"expected {kind.canonical}, found JSON object")
    for name in kind.names:
        if name not in members:
            raise CheatcodeError(f'field "{name}" not found in JSON object')
    return tuple(as_type(inner, members[name]) for name, inner in zip(kind.names, kind.members, strict=True))


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


# --- to types that are guessed ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Encoded:
    """The encoding of one value: the word or words in place, or what an offset leads to."""

    is_dynamic: bool
    body: bytes


def encode_guessed(values: list[Any]) -> bytes:
    """The ABI encoding of the selected values, their types guessed as forge does: one is encoded alone, several as an
    array, none as nothing. Objects are tuples in the order of their names. Raises `CheatcodeError`."""
    if not values:
        return b""
    encoded = _guessed(values[0] if len(values) == 1 else values)
    return _word(WORD) + encoded.body if encoded.is_dynamic else encoded.body


def _guessed(value: Any) -> _Encoded:
    match value:
        case None:
            return _Encoded(False, bytes(WORD))
        case bool():
            return _Encoded(False, _word(int(value)))
        case int() | Decimal():
            return _Encoded(False, _word(_number(value)))
        case str():
            return _guessed_text(value)
        case list():
            return _Encoded(True, _word(len(value)) + _members([_guessed(each) for each in value]))
        case _:
            members = [_guessed(each) for _, each in sorted(value.items())]
            return _Encoded(any(each.is_dynamic for each in members), _members(members))


def _number(value: int | Decimal) -> int:
    """A whole number of 256 bits, as the word that holds it."""
    whole = value if isinstance(value, int) else None
    if isinstance(value, Decimal) and value.is_finite() and value.adjusted() < MAX_DIGITS and value == int(value):
        whole = int(value)
    if whole is None or not -(1 << 255) <= whole < 1 << 256:
        raise CheatcodeError(f"unsupported JSON number: {str(value)[:100]}")
    return whole % (1 << 256)


def _guessed_text(text: str) -> _Encoded:
    """An address, bytes32 or bytes when it is hex behind 0x, else a string."""
    data = None
    if text.startswith("0x"):
        digits = "0" * (len(text) % 2) + text[2:]
        data = bytes.fromhex(digits) if _HEX.fullmatch(digits) else None
    if data is not None and len(data) in (20, WORD):
        return _Encoded(False, data.rjust(WORD, b"\0"))
    content = text.encode("utf-8", "surrogatepass") if data is None else data
    return _Encoded(True, _word(len(content)) + content + bytes(-len(content) % WORD))


def _members(members: list[_Encoded]) -> bytes:
    """Heads, then what their offsets lead to."""
    offset = sum(WORD if each.is_dynamic else len(each.body) for each in members)
    heads, tails = [], []
    for each in members:
        heads.append(_word(offset) if each.is_dynamic else each.body)
        if each.is_dynamic:
            tails.append(each.body)
            offset += len(each.body)
    return b"".join((*heads, *tails))


def _word(number: int) -> bytes:
    return number.to_bytes(WORD, "big")

"""ABI types as values, and their two notations: the JSON ABI and canonical text.

Enumerations, contracts and user-defined value types have no type of their own: a JSON ABI names them by `uint8`,
`address` and the underlying type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from simulator.errors import AbiError
from simulator.printable import shortened

WORD = 32
MAX_NESTING = 32
MAX_MIN_SIZE = 1 << 20

Value: TypeAlias = "int | bool | str | bytes | Sequence[Value]"
"""An argument: int (`uintN`, `intN`, `address`), bool, bytes (`bytesN`, `bytes`, `function`), str (`string`, bytes that
are not UTF-8 as surrogate escapes), list or tuple (arrays, tuples)."""


@dataclass(frozen=True)
class UInt:
    bits: int

    @property
    def canonical(self) -> str:
        return f"uint{self.bits}"

    is_dynamic = False
    head_size = WORD


@dataclass(frozen=True)
class Int:
    bits: int

    @property
    def canonical(self) -> str:
        return f"int{self.bits}"

    is_dynamic = False
    head_size = WORD


@dataclass(frozen=True)
class Bool:
    canonical = "bool"
    is_dynamic = False
    head_size = WORD


@dataclass(frozen=True)
class Address:
    canonical = "address"
    is_dynamic = False
    head_size = WORD


@dataclass(frozen=True)
class FixedBytes:
    size: int

    @property
    def canonical(self) -> str:
        return f"bytes{self.size}"

    is_dynamic = False
    head_size = WORD


@dataclass(frozen=True)
class FunctionType:
    """An external function pointer: address and selector, 24 bytes, encoded like `bytes24`."""

    canonical = "function"
    is_dynamic = False
    head_size = WORD
    size = 24


@dataclass(frozen=True)
class Bytes:
    canonical = "bytes"
    is_dynamic = True
    head_size = WORD


@dataclass(frozen=True)
class String:
    canonical = "string"
    is_dynamic = True
    head_size = WORD


@dataclass(frozen=True)
class Array:
    """`T[length]`, or `T[]` when `length` is None."""

    element: AbiType
    length: int | None = None

    @cached_property
    def canonical(self) -> str:
        return f"{self.element.canonical}[{'' if self.length is None else self.length}]"

    @cached_property
    def is_dynamic(self) -> bool:
        return self.length is None or self.element.is_dynamic

    @cached_property
    def head_size(self) -> int:
        """Bytes this type takes in the head of what contains it: an offset word when dynamic."""
        return WORD if self.length is None or self.element.is_dynamic else self.length * self.element.head_size

    @cached_property
    def nesting(self) -> int:
        """Levels of arrays and tuples down to the deepest leaf."""
        return 1 + _nesting(self.element)

    @cached_property
    def least_size(self) -> int:
        """Bytes of the smallest encoding, at least one per element."""
        return WORD if self.length is None else self.length * _least_size(self.element)


@dataclass(frozen=True)
class Tuple:
    """A struct, or the arguments of a call. `names` (empty, or one per member) take no part in equality."""

    members: tuple[AbiType, ...]
    names: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def canonical(self) -> str:
        return f"({','.join(member.canonical for member in self.members)})"

    @cached_property
    def is_dynamic(self) -> bool:
        return any(member.is_dynamic for member in self.members)

    @cached_property
    def head_size(self) -> int:
        """Bytes this type takes in the head of what contains it: an offset word when dynamic."""
        return WORD if self.is_dynamic else self.members_size

    @cached_property
    def members_size(self) -> int:
        """Bytes of the members' own head."""
        return sum(member.head_size for member in self.members)

    @cached_property
    def nesting(self) -> int:
        """Levels of arrays and tuples down to the deepest leaf."""
        return 1 + max(map(_nesting, self.members), default=0)

    @cached_property
    def least_size(self) -> int:
        """Bytes of the smallest encoding, at least one."""
        return sum(map(_least_size, self.members)) or 1

    def name_of(self, index: int) -> str:
        return self.names[index] if index < len(self.names) else ""


AbiType: TypeAlias = UInt | Int | Bool | Address | FixedBytes | FunctionType | Bytes | String | Array | Tuple


def _nesting(abi_type: AbiType) -> int:
    return abi_type.nesting if isinstance(abi_type, Array | Tuple) else 0


def _least_size(abi_type: AbiType) -> int:
    return abi_type.least_size if isinstance(abi_type, Array | Tuple) else WORD


_SIMPLE: dict[str, AbiType] = {
    "bool": Bool(),
    "address": Address(),
    "function": FunctionType(),
    "bytes": Bytes(),
    "string": String(),
    "uint": UInt(256),
    "int": Int(256),
    **{f"uint{bits}": UInt(bits) for bits in range(8, 257, 8)},
    **{f"int{bits}": Int(bits) for bits in range(8, 257, 8)},
    **{f"bytes{size}": FixedBytes(size) for size in range(1, 33)},
}
_SUFFIX = re.compile(r"\[([0-9]{0,9})\]")
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]*")


def parse_tuple(parameters: Sequence[Mapping[str, Any]]) -> Tuple:
    """The parameters of a JSON ABI entry as one tuple with their names. Raises `AbiError`."""
    return _tuple_from_json(parameters, 0)


def parse_type_text(text: str) -> AbiType:
    """The type written as `text`, e.g. `(uint256,bytes)[]`. `uint` and `int` mean 256 bits, spaces may follow commas.

    Raises `AbiError`.
    """
    parsed, position = _from_text(text, 0, 0)
    if position != len(text):
        raise AbiError(f"type {_shown(text)}: unexpected {text[position]!r} at position {position}")
    return parsed


def _from_json(parameter: Mapping[str, Any], depth: int) -> AbiType:
    text = parameter.get("type") if isinstance(parameter, Mapping) else None
    if not isinstance(text, str):
        raise AbiError("a parameter of the JSON ABI has no type; it must be an object with the key 'type'")
    if not text.startswith("tuple"):
        return parse_type_text(text)
    members = _tuple_from_json(parameter.get("components"), depth + 1)
    parsed, position = _with_suffixes(members, text, len("tuple"))
    if position != len(text):
        raise AbiError(f"type {_shown(text)}: unexpected {text[position]!r} at position {position}")
    return parsed


def _tuple_from_json(parameters: object, depth: int) -> Tuple:
    if depth > MAX_NESTING:
        raise AbiError(f"the type nests deeper than {MAX_NESTING} levels")
    if not isinstance(parameters, Sequence) or isinstance(parameters, str):
        raise AbiError("a tuple of the JSON ABI has no list of components")
    members = tuple(_from_json(parameter, depth) for parameter in parameters)
    parsed = Tuple(members, tuple(str(parameter.get("name", "")) for parameter in parameters))
    _check_limits(parsed)
    return parsed


def _from_text(text: str, position: int, depth: int) -> tuple[AbiType, int]:
    if depth > MAX_NESTING:
        raise AbiError(f"the type nests deeper than {MAX_NESTING} levels")
    if text.startswith("(", position):
        base, position = _tuple_from_text(text, position + 1, depth)
    else:
        base, position = _simple_from_text(text, position)
    return _with_suffixes(base, text, position)


def _simple_from_text(text: str, position: int) -> tuple[AbiType, int]:
    match = _WORD.match(text, position)
    name = match.group() if match else ""
    if name.startswith(("fixed", "ufixed")):
        raise AbiError(f"type {_shown(text)}: fixed-point numbers are not supported")
    if name not in _SIMPLE:
        raise AbiError(
            f"type {_shown(text)}: {name or 'nothing'!r} at position {position} is not an ABI type; allowed are "
            "uint8..uint256, int8..int256, bool, address, bytes1..bytes32, bytes, string, function, T[], T[k], (T,...)"
        )
    return _SIMPLE[name], position + len(name)


def _tuple_from_text(text: str, position: int, depth: int) -> tuple[AbiType, int]:
    members: list[AbiType] = []
    if text.startswith(")", position):
        return Tuple(()), position + 1
    while True:
        member, position = _from_text(text, _skip_spaces(text, position), depth + 1)
        members.append(member)
        if text.startswith(")", position):
            return Tuple(tuple(members)), position + 1
        if not text.startswith(",", position):
            raise AbiError(f"type {_shown(text)}: ',' or ')' expected at position {position}")
        position += 1


def _with_suffixes(base: AbiType, text: str, position: int) -> tuple[AbiType, int]:
    while match := _SUFFIX.match(text, position):
        base = Array(base, int(match.group(1)) if match.group(1) else None)
        position = match.end()
        if base.length == 0:
            raise AbiError(f"type {_shown(text)}: an array of fixed length 0 does not exist in the ABI")
        _check_limits(base)
    return base, position


def _check_limits(abi_type: Array | Tuple) -> None:
    if abi_type.nesting > MAX_NESTING:
        raise AbiError(f"the type nests deeper than {MAX_NESTING} levels")
    if abi_type.least_size > MAX_MIN_SIZE:
        raise AbiError(f"a value of the type takes at least {abi_type.least_size} bytes; {MAX_MIN_SIZE} are allowed")


def _skip_spaces(text: str, position: int) -> int:
    while text.startswith(" ", position):
        position += 1
    return position


def _shown(text: str) -> str:
    return repr(shortened(text, 80))

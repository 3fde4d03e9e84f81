"""Types that a contract names by a text: Solidity's, and EIP-712's `Order(uint256 id,Item item)Item(string name)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from simulator.abi.types import AbiType, Array, Tuple, parse_type_text
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.errors import AbiError

MAX_TEXT = 4096
MAX_MEMBERS = 1000
DEEPEST = 16
_STRUCT = re.compile(r"\s*(\w+)\s*\(([^()]*)\)")
_MEMBER = re.compile(r"\s*(\w+)((?:\[\d{0,9}\])*)\s+(\w+)\s*")
_LENGTH = re.compile(r"\[(\d*)\]")


Members = tuple[tuple[str, str], ...]
"""Type and name of each member of a struct."""


@lru_cache(maxsize=64)
def parse_description(text: str) -> AbiType:
    """The type; of several structs the first, whose members may be of the others. Raises `CheatcodeError`."""
    _require_length(text)
    try:
        return parse_type_text(text)
    except AbiError:
        structs = parse_structs(text)
        return parse_struct(structs, next(iter(structs)))


def _require_length(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise CheatcodeError(f"a type description has at most {MAX_TEXT} characters")


def parse_structs(text: str) -> dict[str, Members]:
    """The structs of an `encodeType` text, in its order. Raises `CheatcodeError`."""
    _require_length(text)
    found: dict[str, Members] = {}
    position = 0
    while match := _STRUCT.match(text, position):
        listed = [each for each in match[2].split(",") if each.strip()]
        found[match[1]] = tuple(_member(match[1], each) for each in listed)
        position = match.end()
    if not found or text[position:].strip():
        raise CheatcodeError(
            f"type description should be a valid Solidity type or a EIP712 `encodeType` string, not {text[:80]!r}"
        )
    return found


def _member(struct: str, text: str) -> tuple[str, str]:
    match = _MEMBER.fullmatch(text)
    if match is None:
        raise CheatcodeError(f"members of {struct} must be such as `uint256 amount`, not {text[:80]!r}")
    return match[1] + match[2], match[3]


def parse_struct(structs: Mapping[str, Members], name: str) -> Tuple:
    """The type of one of the structs. Raises `CheatcodeError`."""
    return _Structs(structs).struct(name, 0)


class _Structs:
    """Each use of a struct counts its members anew, so what they spell out stays small."""

    def __init__(self, structs: Mapping[str, Members]) -> None:
        self._structs = structs
        self._count = 0

    def struct(self, name: str, depth: int) -> Tuple:
        members = self._structs[name]
        self._count += len(members)
        if depth > DEEPEST or self._count > MAX_MEMBERS:
            raise CheatcodeError(f"a type description has at most {MAX_MEMBERS} members, {DEEPEST} deep")
        return Tuple(tuple(self._type(kind, depth) for kind, _ in members), tuple(each for _, each in members))

    def _type(self, text: str, depth: int) -> AbiType:
        name, bracket, lengths = text.partition("[")
        try:
            if name not in self._structs:
                return parse_type_text(text)
        except AbiError as error:
            raise CheatcodeError(f"type description: {error}") from None
        kind: AbiType = self.struct(name, depth + 1)
        for length in _LENGTH.findall(bracket + lengths):
            kind = Array(kind, int(length) if length else None)
        return kind

"""Types that a contract names by a text: Solidity's, and EIP-712's `Order(uint256 id,Item item)Item(string name)`."""

from __future__ import annotations

import re
from functools import lru_cache

from simulator.abi.types import AbiType, Array, Tuple, parse_type_text
from simulator.cheatcodes.errors import CheatcodeError
from simulator.errors import AbiError

MOST_TEXT = 4096
MOST_MEMBERS = 1000
DEEPEST = 16
_STRUCT = re.compile(r"\s*(\w+)\s*\(([^()]*)\)")
_MEMBER = re.compile(r"\s*(\w+)((?:\[\d{0,9}\])*)\s+(\w+)\s*")
_LENGTH = re.compile(r"\[(\d*)\]")


@lru_cache(maxsize=64)
def parse_description(text: str) -> AbiType:
    """The type; of several structs the first, whose members may be of the others. Raises `CheatcodeError`."""
    if len(text) > MOST_TEXT:
        raise CheatcodeError(f"a type description has at most {MOST_TEXT} characters")
    try:
        return parse_type_text(text)
    except AbiError:
        return _Structs(text).first()


class _Structs:
    """Structs of a description. Each use of one counts its members anew, so what they spell out stays small."""

    def __init__(self, text: str) -> None:
        self._members: dict[str, str] = {}
        self._count = 0
        position = 0
        while position < len(text):
            match = _STRUCT.match(text, position)
            if match is None:
                self._members.clear()
                break
            self._members[match[1]] = match[2]
            position = match.end()
        if not self._members:
            raise CheatcodeError(
                f"type description should be a valid Solidity type or a EIP712 `encodeType` string, not {text[:80]!r}"
            )

    def first(self) -> Tuple:
        return self._struct(next(iter(self._members)), 0)

    def _struct(self, name: str, depth: int) -> Tuple:
        listed = [each for each in self._members[name].split(",") if each.strip()]
        self._count += len(listed)
        if depth > DEEPEST or self._count > MOST_MEMBERS:
            raise CheatcodeError(f"a type description has at most {MOST_MEMBERS} members, {DEEPEST} deep")
        kinds: list[AbiType] = []
        names: list[str] = []
        for member in listed:
            match = _MEMBER.fullmatch(member)
            if match is None:
                raise CheatcodeError(f"members of {name} must be such as `uint256 amount`, not {member[:80]!r}")
            kinds.append(self._member(match[1], match[2], depth))
            names.append(match[3])
        return Tuple(tuple(kinds), tuple(names))

    def _member(self, name: str, lengths: str, depth: int) -> AbiType:
        try:
            if name not in self._members:
                return parse_type_text(name + lengths)
        except AbiError as error:
            raise CheatcodeError(f"type description: {error}") from None
        kind: AbiType = self._struct(name, depth + 1)
        for length in _LENGTH.findall(lengths):
            kind = Array(kind, int(length) if length else None)
        return kind

"""From the name of a storage variable to its place: `owner`, `balances[0x10000]`, `config.fees[2]`, `orders.length`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from simulator.abi.call_parser import parse_value
from simulator.abi.codec import encode
from simulator.abi.hashing import keccak256
from simulator.abi.literals import Wildcard
from simulator.abi.types import AbiType, Address, Bool, Bytes, FixedBytes, Int, String, UInt, Value
from simulator.errors import AbiError
from simulator.known_names import known_names
from simulator.storage.layout import StorageLayout, StorageType

FORM = "write a variable with keys and members, as in owner, balances[0x10000], config.fee or orders[0].amount"
SLOT_BYTES = 32
SLOT_MASK = (1 << 256) - 1
MAX_EXPRESSION = 1 << 12
LENGTH = StorageType("inplace", "uint256", "32")
_NAME = re.compile(r"\s*([A-Za-z_$][A-Za-z0-9_$]*)\s*")
_MEMBER = re.compile(r"\.\s*([A-Za-z_$][A-Za-z0-9_$]*)\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_NUMBER = re.compile(r"(u?int|bytes)([0-9]{1,3})")
_LENGTH = re.compile(r"\[([0-9]{1,78})\]$")


@dataclass(frozen=True)
class StoragePlace:
    """A value of `type` that begins `offset` bytes from the right end of `slot`."""

    slot: int
    offset: int
    type: StorageType


def place_of(layout: StorageLayout, expression: str) -> StoragePlace:
    """The place that an expression names. Raises `AbiError` with the allowed form."""
    if len(expression) > MAX_EXPRESSION:
        raise AbiError(f"the expression has more than {MAX_EXPRESSION} characters")
    name = _NAME.match(expression)
    if name is None:
        raise AbiError(f"{expression[:100]!r} names no variable; {FORM}")
    place = _variable(layout, name[1])
    position = name.end()
    while position < len(expression):
        if expression[position] == "[":
            end = _closing(expression, position)
            place = _element(layout, place, expression[position + 1 : end], expression[:position].strip())
            position = end + 1 + len(expression[end + 1 :]) - len(expression[end + 1 :].lstrip())
        elif member := _MEMBER.match(expression, position):
            place = _member(layout, place, member[1], expression[:position].strip())
            position = member.end()
        else:
            raise AbiError(f"at position {position}: '.member' or '[key]' expected; {FORM}")
    return place


def element(layout: StorageLayout, array: StoragePlace, index: int, first: int) -> StoragePlace:
    """The place of an array's element; `first` is the slot of the first one. Small elements share a slot."""
    base = layout.type_of(array.type.base)
    if base.size > SLOT_BYTES:
        slots = -(-base.size // SLOT_BYTES)
        return StoragePlace((first + index * slots) & SLOT_MASK, 0, base)
    each = SLOT_BYTES // base.size
    return StoragePlace((first + index // each) & SLOT_MASK, index % each * base.size, base)


def first_of(place: StoragePlace) -> int:
    """The slot where the content of a dynamic array, or of a long string, begins."""
    return int.from_bytes(keccak256(place.slot.to_bytes(SLOT_BYTES, "big")), "big")


def fixed_length(array: StorageType) -> int:
    """Elements of an array of fixed size."""
    found = _LENGTH.search(array.label)
    return int(found[1]) if found else 0


def abi_type(storage: StorageType) -> AbiType:
    """The type of a value as arguments have it; a number for enumerations and types that users define."""
    label = storage.label
    if label.startswith(("contract ", "address")):
        return Address()
    if label == "bool":
        return Bool()
    if label in ("string", "bytes"):
        return String() if label == "string" else Bytes()
    number = _NUMBER.fullmatch(label)
    if number is None:
        return UInt(8 * min(storage.size, SLOT_BYTES))
    if number[1] == "bytes":
        return FixedBytes(int(number[2]))
    return (UInt if number[1] == "uint" else Int)(int(number[2]))


def _variable(layout: StorageLayout, name: str) -> StoragePlace:
    # Of several with one name, which private ones of bases may have, the last is that of the contract itself.
    for variable in reversed(layout.storage):
        if variable.label == name:
            return StoragePlace(int(variable.slot) & SLOT_MASK, variable.offset, layout.type_of(variable.type))
    known = known_names(name, (variable.label for variable in layout.storage))
    hint = "; constants and immutables are no storage" if layout.storage else ""
    raise AbiError(f"there is no storage variable {name[:100]!r}; known are {known}{hint}")


def _member(layout: StorageLayout, place: StoragePlace, name: str, path: str) -> StoragePlace:
    if place.type.encoding == "dynamic_array" and name == "length":
        return StoragePlace(place.slot, 0, LENGTH)
    for member in place.type.members:
        if member.label == name:
            slot = (place.slot + int(member.slot)) & SLOT_MASK
            return StoragePlace(slot, member.offset, layout.type_of(member.type))
    if not place.type.members:
        raise AbiError(f"{path} is of type {place.type.label} and has no members{_form_of(place.type, path)}")
    known = known_names(name, (member.label for member in place.type.members))
    raise AbiError(f"{path} has no member {name[:100]!r}; known are {known}")


def _element(layout: StorageLayout, place: StoragePlace, key: str, path: str) -> StoragePlace:
    if place.type.encoding == "mapping":
        slot = int.from_bytes(keccak256(_key(layout, place, key, path) + place.slot.to_bytes(SLOT_BYTES, "big")), "big")
        return StoragePlace(slot, 0, layout.type_of(place.type.value))
    if not place.type.base:
        raise AbiError(f"{path} is of type {place.type.label} and has no elements{_form_of(place.type, path)}")
    index = cast("int", _read(key, UInt(256), path))
    if place.type.encoding == "dynamic_array":
        return element(layout, place, index, first_of(place))
    length = fixed_length(place.type)
    if index >= length:
        raise AbiError(f"{path} has {length} elements, so that its index is 0..{length - 1}")
    return element(layout, place, index, place.slot)


def _key(layout: StorageLayout, place: StoragePlace, key: str, path: str) -> bytes:
    """The bytes that are hashed in front of the mapping's slot."""
    kind = abi_type(layout.type_of(place.type.key))
    value = _read(key, kind, path)
    if isinstance(kind, String):
        return cast("str", value).encode("utf-8", "surrogateescape")
    return cast("bytes", value) if isinstance(kind, Bytes) else encode((kind,), (value,))


def _read(text: str, kind: AbiType, path: str) -> Value:
    try:
        value = parse_value(text.strip(), kind)
    except AbiError as error:
        raise AbiError(f"the key of {path}: {error}") from None
    if isinstance(value, Wildcard):
        raise AbiError(f"the key of {path}: a wildcard is no key")
    return cast("Value", value)


def _form_of(kind: StorageType, path: str) -> str:
    if kind.encoding == "mapping":
        return f"; name a key, as {path}[...]"
    if kind.encoding == "dynamic_array":
        return f"; name an element, as {path}[0], or {path}.length"
    return f"; name a member, as {path}.{kind.members[0].label}" if kind.members else ""


def _closing(text: str, opening: int) -> int:
    """Return the place where the bracket that opens at `opening` is closed, strings passed over."""
    position = opening + 1
    while position < len(text):
        string = _STRING.match(text, position)
        if string is not None:
            position = string.end()
            continue
        if text[position] == "]":
            return position
        position += 1
    raise AbiError(f"at position {opening}: the bracket is never closed; {FORM}")

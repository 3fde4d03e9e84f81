"""Writing JSON texts: `serializeUint` and its family. Objects grow under a key of the user's, and are undone like any
state; nothing is written to a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from simulator.abi.codec import decode
from simulator.abi.hashing import checksum_address
from simulator.abi.types import AbiType, Address, Array, Bytes, FixedBytes, Int, String, Tuple, UInt
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode, interface, members_of
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.documents.trees import MAX_TEXT, parse_json
from simulator.cheatcodes.documents.type_descriptions import parse_description

# What forge writes as numbers; others are texts.
MIN_NUMBER, MAX_NUMBER = -(1 << 63), (1 << 64) - 1


def _written(kind: AbiType, value: Any) -> Any:
    match kind:
        case Array(element):
            return [_written(element, each) for each in value]
        case UInt() | Int():
            return value if MIN_NUMBER <= value <= MAX_NUMBER else str(value)
        case Address():
            return checksum_address(value)
        case FixedBytes() | Bytes():
            return f"0x{value.hex()}"
        case String():
            return _object_in(value) or value
        case _:
            return value


def _object_in(text: str) -> dict[str, Any] | None:
    """A text that is an object is one, so that objects can be built from others."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = parse_json(text)
    except CheatcodeError:
        return None
    return found if isinstance(found, dict) else None


def _keep(vm: Session, key: str, members: Mapping[str, Any]) -> str:
    text = _as_text(dict(sorted(members.items())))
    if len(text) > MAX_TEXT:
        raise CheatcodeError(f"the object {key!r} has more than {MAX_TEXT} characters")
    vm.change(objects={**vm.state.objects, key: members})
    return text


def _as_text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=float)


def _typed(description: str, data: bytes) -> Any:
    """Return one value, whose type is described, as the JSON of `abi.encode`'s view of it."""
    kind = parse_description(description)
    return _named(kind, decode((kind,), data, strict=False)[0])


def _named(kind: AbiType, value: Any) -> Any:
    match kind:
        case Array(element):
            return [_named(element, each) for each in value]
        case Tuple(members, names):
            listed = [_named(member, each) for member, each in zip(members, value, strict=True)]
            return dict(zip(names, listed, strict=True)) if names else listed
        case _:
            return _written(kind, value)


@cheatcode("serializeJsonType(string,bytes)")
def serialize_type(_vm: Session, description: str, data: bytes) -> str:
    """The value alone; members of structs keep their order."""
    return _as_text(_typed(description, data))


@cheatcode("serializeJsonType(string,string,string,bytes)")
def serialize_type_in(vm: Session, key: str, name: str, description: str, data: bytes) -> str:
    """The value as a member of an object."""
    return _keep(vm, key, {**vm.state.objects.get(key, {}), name: _typed(description, data)})


def _add(kind: AbiType) -> Callable[..., str]:
    def serialize(vm: Session, key: str, name: str, value: Any) -> str:
        return _keep(vm, key, {**vm.state.objects.get(key, {}), name: _written(kind, value)})

    return serialize


@cheatcode("serializeJson(string,string)")
def serialize_json(vm: Session, key: str, text: str) -> str:
    """Replaces the whole object."""
    found = parse_json(text)
    if not isinstance(found, dict):
        raise CheatcodeError("vm.serializeJson: the text is no JSON object")
    return _keep(vm, key, found)


@cheatcode("serializeUintToHex(string,string,uint256)")
def serialize_hex(vm: Session, key: str, name: str, value: int) -> str:
    return _keep(vm, key, {**vm.state.objects.get(key, {}), name: hex(value)})


def _register() -> None:
    for signature in interface():
        name, _, arguments = signature.partition("(")
        plain = name.removeprefix("serialize")
        if plain != name and plain not in ("Json", "JsonType", "UintToHex"):
            cheatcode(signature)(_add(members_of(f"({arguments}")[2]))


_register()

"""Typed data (EIP-712): `eip712HashType`, `eip712HashStruct`, `eip712HashTypedData`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.abi.codec import decode, encode
from simulator.abi.hashing import keccak256
from simulator.abi.types import AbiType, Array, Bytes, String, Tuple, Value
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.documents.trees import as_type, parse_json
from simulator.cheatcodes.documents.type_descriptions import Members, parse_struct, parse_structs
from simulator.cheatcodes.files.reading import text_of_file

DOMAIN = "EIP712Domain"
DOMAIN_MEMBERS = (
    ("string", "name"),
    ("string", "version"),
    ("uint256", "chainId"),
    ("address", "verifyingContract"),
    ("bytes32", "salt"),
)
_BINDING = re.compile(r'^\s*string constant schema_(\w+)\s*=\s*"([^"]*)";', re.MULTILINE)
Structs = Mapping[str, Members]


def _base(kind: str) -> str:
    return kind.partition("[")[0]


def _used(structs: Structs, name: str) -> set[str]:
    """The struct and all that its members are made of."""
    found, waiting = {name}, [name]
    while waiting:
        inner = {_base(kind) for kind, _ in structs[waiting.pop()]} & structs.keys() - found
        found |= inner
        waiting += inner
    return found


def encode_type(structs: Structs, name: str) -> str:
    """`encodeType`: the struct, then the others by name."""
    order = [name, *sorted(_used(structs, name) - {name})]
    return "".join(f"{each}({','.join(f'{kind} {member}' for kind, member in structs[each])})" for each in order)


def _primary(structs: Structs) -> str:
    """The one struct that is no part of another."""
    inner = {_base(kind) for members in structs.values() for kind, _ in members}
    outer = [name for name in structs if name not in inner]
    if len(outer) != 1:
        raise CheatcodeError("the primary type of the definition cannot be determined")
    return outer[0]


def _hash_struct(structs: Structs, name: str, kind: Tuple, value: Sequence[Value]) -> bytes:
    type_hash = keccak256(encode_type(structs, name).encode())
    members = zip(structs[name], kind.members, value, strict=True)
    return keccak256(type_hash + b"".join(_encoded(structs, text, inner, each) for (text, _), inner, each in members))


def _encoded(structs: Structs, name: str, kind: AbiType, value: Any) -> bytes:
    """`encodeData` of one member: a word."""
    match kind:
        case Array(element):
            inner = name[: name.rindex("[")]
            return keccak256(b"".join(_encoded(structs, inner, element, each) for each in value))
        case Tuple():
            return _hash_struct(structs, name, kind, value)
        case Bytes():
            return keccak256(value)
        case String():
            return keccak256(value.encode("utf-8", "surrogateescape"))
        case _:
            return encode((kind,), (value,))


# --- definitions -----------------------------------------------------------------------------------------------------


def _definition(text: str) -> tuple[Structs, str]:
    structs = parse_structs(text)
    primary = _primary(structs)
    parse_struct(structs, primary)
    return structs, primary


def _bound(vm: Session, file: str, name: str) -> tuple[Structs, str]:
    """The definition of a type in a file that `forge bind-json` wrote."""
    definitions = dict(_BINDING.findall(text_of_file(vm, file)))
    if name not in definitions:
        raise CheatcodeError(f"'{name}' not found in '{file}'")
    return _definition(definitions[name])


def _named_or_defined(vm: Session, text: str) -> tuple[Structs, str]:
    return _definition(text) if "(" in text else _bound(vm, BINDINGS, text)


BINDINGS = "utils/JsonBindings.sol"


def _hash_type(structs: Structs, name: str) -> bytes:
    return keccak256(encode_type(structs, name).encode())


def _hash_encoded(structs: Structs, name: str, data: bytes) -> bytes:
    kind = parse_struct(structs, name)
    (value,) = decode((kind,), data, strict=False)
    return _hash_struct(structs, name, kind, value)  # type: ignore[arg-type]


@cheatcode("eip712HashType(string)")
def hash_type(vm: Session, definition: str) -> bytes:
    """Of a definition such as `Mail(Person to)Person(string name)`, or of a name in the bindings of the project."""
    return _hash_type(*_named_or_defined(vm, definition))


@cheatcode("eip712HashType(string,string)")
def hash_bound_type(vm: Session, file: str, name: str) -> bytes:
    return _hash_type(*_bound(vm, file, name))


@cheatcode("eip712HashStruct(string,bytes)")
def hash_struct(vm: Session, definition: str, data: bytes) -> bytes:
    """Of what `abi.encode` made of the struct."""
    return _hash_encoded(*_named_or_defined(vm, definition), data)


@cheatcode("eip712HashStruct(string,string,bytes)")
def hash_bound_struct(vm: Session, file: str, name: str, data: bytes) -> bytes:
    return _hash_encoded(*_bound(vm, file, name), data)


@cheatcode("eip712HashTypedData(string)")
def hash_typed_data(_vm: Session, text: str) -> bytes:
    """Hash the JSON of `eth_signTypedData` as it is signed."""
    document = parse_json(text)
    if not isinstance(document, dict):
        raise CheatcodeError("vm.eip712HashTypedData: the text is no JSON object")
    structs = _types_of(document)
    primary, domain = document.get("primaryType"), document.get("domain") or {}
    if not isinstance(primary, str) or primary not in structs or not isinstance(domain, dict):
        raise CheatcodeError("vm.eip712HashTypedData: `primaryType` must be one of `types`, and `domain` an object")
    given = {DOMAIN: tuple(each for each in DOMAIN_MEMBERS if domain.get(each[1]) is not None)}
    hashes = [_hash_json(given, DOMAIN, domain)]
    if primary != DOMAIN:
        hashes.append(_hash_json(structs, primary, document.get("message") or {}))
    return keccak256(b"\x19\x01" + b"".join(hashes))


def _types_of(document: Mapping[str, Any]) -> Structs:
    types = document.get("types")
    try:
        structs = {
            name: tuple((str(each["type"]), str(each["name"])) for each in members)
            for name, members in (types or {}).items()
        }
    except (AttributeError, KeyError, TypeError):
        raise CheatcodeError("vm.eip712HashTypedData: `types` must list name and type of each member") from None
    return {DOMAIN: (), **structs}


def _hash_json(structs: Structs, name: str, value: Any) -> bytes:
    kind = parse_struct(structs, name)
    return _hash_struct(structs, name, kind, as_type(kind, value))  # type: ignore[arg-type]

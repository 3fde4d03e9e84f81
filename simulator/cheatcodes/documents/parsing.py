"""Reading JSON and TOML: `parseJson`, `parseJsonUint`, `parseTomlKeys`, `keyExistsJson` and their family."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from simulator.abi.codec import encode
from simulator.abi.types import AbiType, Array, Value
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode, interface, members_of
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.documents.json_paths import select
from simulator.cheatcodes.documents.trees import as_type, encode_guessed, parse_json, parse_toml
from simulator.cheatcodes.documents.type_descriptions import parse_description

Parse = Callable[[str], Any]
_PARSERS: dict[str, Parse] = {"Json": parse_json, "Toml": parse_toml}
_NAME = re.compile(r"(?P<verb>parse|keyExists)(?P<format>Json|Toml|)(?P<what>\w*)")


def _guess(parse: Parse) -> Callable[..., bytes]:
    def read(_vm: Session, text: str, path: str = "$") -> bytes:
        return encode_guessed(select(parse(text), path))

    return read


def _one(parse: Parse, text: str, path: str) -> Any:
    found = select(parse(text), path)
    if len(found) != 1:
        raise CheatcodeError(f'path "{path}" must return exactly one JSON value')
    return found[0]


def _typed(parse: Parse, kind: AbiType) -> Callable[..., Value]:
    return lambda _vm, text, path: as_type(kind, _one(parse, text, path))


def _described(parse: Parse, *, is_array: bool) -> Callable[..., bytes]:
    def read(_vm: Session, text: str, *path_and_type: str) -> bytes:
        """The last argument describes the type; without a path it is that of the whole document."""
        path = path_and_type[0] if len(path_and_type) > 1 else "$"
        described = parse_description(path_and_type[-1])
        kind = Array(described) if is_array else described
        return encode((kind,), (as_type(kind, _one(parse, text, path)),))

    return read


def _keys(parse: Parse) -> Callable[..., tuple[str, ...]]:
    def read(_vm: Session, text: str, path: str) -> tuple[str, ...]:
        """In the order of the text."""
        found = select(parse(text), path)
        if len(found) != 1:
            raise CheatcodeError(f'key "{path}" must return exactly one JSON object')
        if not isinstance(found[0], dict):
            raise CheatcodeError(f'JSON value at "{path}" is not an object')
        return tuple(found[0])

    return read


def _exists(parse: Parse) -> Callable[..., bool]:
    return lambda _vm, text, path: bool(select(parse(text), path))


def _handler(match: re.Match[str], returns: str) -> Callable[..., Any] | None:
    """None for `parseUint` and others that read no document."""
    if match["verb"] == "keyExists":
        return _exists(_PARSERS[match["format"] or "Json"])
    if not match["format"]:
        return None
    parse = _PARSERS[match["format"]]
    match match["what"]:
        case "":
            return _guess(parse)
        case "Keys":
            return _keys(parse)
        case "Type" | "TypeArray":
            return _described(parse, is_array=match["what"] == "TypeArray")
        case _:
            return _typed(parse, members_of(returns)[0])


def _register() -> None:
    for signature, returns in interface().items():
        match = _NAME.fullmatch(signature.partition("(")[0])
        handler = _handler(match, returns) if match else None
        if handler is not None:
            cheatcode(signature)(handler)


_register()

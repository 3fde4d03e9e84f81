"""JSON and TOML in files: `writeJson`, `writeToml`."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.documents.toml_text import toml_text
from simulator.cheatcodes.documents.trees import parse_json, parse_toml
from simulator.cheatcodes.files.reading import text_of_file
from simulator.cheatcodes.files.writing import write_bytes_to

_STEP = re.compile(r"\.?([^.\[\]]+)|\[['\"]([^'\"\]]+)['\"]\]")


def _value(text: str) -> Any:
    """A JSON value; what is none is a text."""
    try:
        return parse_json(text)
    except CheatcodeError:
        return text


def _write_json(vm: Session, name: str, value: Any) -> None:
    write_bytes_to(vm, name, json.dumps(value, indent=2, ensure_ascii=False, default=float).encode())


def _write_toml(vm: Session, name: str, value: Any) -> None:
    write_bytes_to(vm, name, toml_text(value).encode())


def _replaced(document: Any, key: str, value: Any) -> Any:
    """The document with another value at a key such as `.a.b`; names that are missing are added."""
    document = copy.deepcopy(document)
    names = _names(key)
    place = document
    for each in names[:-1]:
        place = place.setdefault(each, {}) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        raise CheatcodeError(f"there is no object around {key!r}")
    place[names[-1]] = value
    return document


def _names(key: str) -> list[str]:
    rest = key.removeprefix("$")
    matches = list(_STEP.finditer(rest))
    if not matches or "".join(match[0] for match in matches) != rest:
        raise CheatcodeError(f"the key {key!r} must be such as `.a.b`")
    return [match[1] or match[2] for match in matches]


@cheatcode("writeJson(string,string)")
def write_json(vm: Session, text: str, name: str) -> None:
    _write_json(vm, name, _value(text))


@cheatcode("writeJson(string,string,string)")
def write_json_at(vm: Session, text: str, name: str, key: str) -> None:
    """In the place of one value of a file."""
    _write_json(vm, name, _replaced(parse_json(text_of_file(vm, name)), key, _value(text)))


@cheatcode("writeToml(string,string)")
def write_toml(vm: Session, text: str, name: str) -> None:
    """Write the JSON text as TOML."""
    _write_toml(vm, name, _value(text))


@cheatcode("writeToml(string,string,string)")
def write_toml_at(vm: Session, text: str, name: str, key: str) -> None:
    """In the place of one value of a TOML file."""
    _write_toml(vm, name, _replaced(parse_toml(text_of_file(vm, name)), key, _value(text)))

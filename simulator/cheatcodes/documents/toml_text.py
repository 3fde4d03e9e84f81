"""Values as a TOML text, laid out as forge does: plain values first, then tables, lists of tables one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from simulator.cheatcodes.core.errors import CheatcodeError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(document: Any) -> str:
    """The text of an object. Raises `CheatcodeError` for what TOML has no form for, such as null."""
    if not isinstance(document, dict):
        raise CheatcodeError("vm.writeToml: only an object can be a TOML document")
    return "\n".join(_lines(document, ())).strip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for name, value in table.items():
        if not (isinstance(value, dict) or _is_list_of_tables(value)):
            yield f"{_key(name)} = {_value(value, '')}"
    for name, value in table.items():
        inner = (*path, name)
        if isinstance(value, dict):
            if not value or any(not isinstance(each, dict) for each in value.values()):
                yield from ("", f"[{_dotted(inner)}]")
            yield from _lines(value, inner)
        elif _is_list_of_tables(value):
            for each in value:
                yield from ("", f"[[{_dotted(inner)}]]")
                yield from _lines(each, inner)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _dotted(path: Sequence[str]) -> str:
    return ".".join(map(_key, path))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any, indent: str) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float() | Decimal():
            text = str(value)
            return text if "." in text or "e" in text.lower() else f"{text}.0"
        case str():
            return _text(value)
        case list():
            return _list(value, indent)
        case dict():
            members = (f"{_key(name)} = {_value(each, indent)}" for name, each in value.items())
            return f"{{ {', '.join(members)} }}" if value else "{}"
        case _:
            raise CheatcodeError("vm.writeToml: TOML has no null")


def _list(values: Sequence[Any], indent: str) -> str:
    """One element a line when there are several."""
    if len(values) < 2:
        return f"[{''.join(_value(each, indent) for each in values)}]"
    inner = indent + "    "
    return "[\n" + "".join(f"{inner}{_value(each, inner)},\n" for each in values) + f"{indent}]"


def _text(text: str) -> str:
    """In single quotes when that saves escapes."""
    if ('"' in text or "\\" in text) and "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

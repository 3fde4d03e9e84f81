"""A check against the part of JSON Schema that the tools' output schemas use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KINDS = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
    "null": type(None),
}  # fmt: skip


def check(value: Any, schema: Mapping[str, Any], place: str = "$") -> None:
    """Raises `AssertionError` at the first place that does not fit."""
    if "anyOf" in schema:
        assert any(_fits(value, each, place) for each in schema["anyOf"]), f"{place}: {value!r} fits no alternative"
        return
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    fits = any(isinstance(value, _KINDS[kind]) and (kind == "boolean" or value is not True) for kind in kinds)
    assert fits, f"{place}: {value!r} is no {kinds}"
    assert value in schema.get("enum", [value]), f"{place}: {value!r}"
    assert not isinstance(value, int) or value >= schema.get("minimum", value), f"{place}: {value!r}"
    if isinstance(value, dict):
        properties = schema["properties"]
        assert not set(schema["required"]) - set(value), (
            f"{place}: {sorted(set(schema['required']) - set(value))} missing"
        )
        for key, each in value.items():
            assert key in properties, f"{place}: unknown key {key}"
            check(each, properties[key], f"{place}.{key}")
    if isinstance(value, list):
        for index, each in enumerate(value):
            check(each, schema["items"], f"{place}[{index}]")


def _fits(value: Any, schema: Mapping[str, Any], place: str) -> bool:
    try:
        check(value, schema, place)
    except AssertionError:
        return False
    return True

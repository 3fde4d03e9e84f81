"""Hypothesis strategies for the arguments of any tool: valid ones, nearly valid ones, and anything."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tools.schemas import input_schema
from tools.tool import Tool

TEXTS = st.text(max_size=30) | st.sampled_from(
    ["", "0", "../x", "\0", "é" * 300, "transfer(address,uint256)", "0x" + "a" * 40, "5" * 90, "'; --", "${HOME}"]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


def json_values(tool: Tool[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments for a tool: each of its keys with a value that mostly fits, sometimes others, sometimes junk."""
    schema = input_schema(tool)
    properties = schema.get("properties", {})
    fitting = {key: value_for(part) | ANYTHING for key, part in properties.items()}
    valid = st.fixed_dictionaries(
        {key: value_for(properties[key]) for key in schema.get("required", ())},
        optional={key: value_for(part) for key, part in properties.items() if key not in schema.get("required", ())},
    )
    mixed = st.fixed_dictionaries({}, optional=fitting)
    return valid | mixed | st.dictionaries(TEXTS, ANYTHING, max_size=4)


def value_for(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a part of a schema mostly allows."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return st.one_of(*map(value_for, schema[key]))
    match schema.get("type"):
        case "string":
            return _string(schema)
        case "integer":
            return st.integers(schema.get("minimum", -(2**70)), schema.get("maximum", 2**70))
        case "number":
            return st.floats(schema.get("minimum", -1e9), schema.get("maximum", 1e9), allow_nan=False)
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(value_for(schema.get("items", {})), max_size=min(schema.get("maxItems", 5), 5))
        case "object":
            return st.dictionaries(TEXTS, ANYTHING, max_size=3)
        case "null":
            return st.none()
        case _:
            return ANYTHING


def _string(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    return TEXTS

"""JSON Schemas of tool arguments: draft-07, an object at the root, references resolved in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tools.tool import JsonObject, Tool, ToolInput

DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def input_schema(tool: Tool[Any]) -> JsonObject:
    """The schema that `tools/list` publishes for a tool's arguments."""
    return dict(tool.input_schema) if tool.input_schema is not None else schema_of(tool.arguments)


def output_schema_of(result: type[msgspec.Struct]) -> JsonObject:
    """Draft-07 schema of a result, an object at the root, without references. Keys that a result always has are
    required."""
    (schema,), definitions = msgspec.json.schema_components([result], ref_template="#/$defs/{name}")
    root = _inlined(schema, definitions, depth=0)
    return {"$schema": DRAFT_07, **root}


def object_schema(**properties: JsonObject) -> JsonObject:
    """Draft-07 schema of an object with exactly these properties, all of them required."""
    return {
        "$schema": DRAFT_07,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def schema_of(arguments: type[ToolInput]) -> JsonObject:
    """Draft-07 schema of a model, without `$ref` and `$defs`, which some clients cannot resolve."""
    schema = arguments.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    return {"$schema": DRAFT_07, **_inlined(schema, definitions, depth=0)}


def _inlined(node: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    if depth > 32:
        raise RecursionError("a tool's arguments must not contain themselves: clients cannot resolve such a schema")
    if isinstance(node, list):
        return [_inlined(item, definitions, depth + 1) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        target = definitions[reference.rsplit("/", 1)[-1]]
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        return _inlined({**target, **siblings}, definitions, depth + 1)
    return {key: _inlined(value, definitions, depth + 1) for key, value in node.items()}

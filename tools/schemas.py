"""JSON Schemas of tool arguments: draft-07, an object at the root, references resolved in place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from tools.tool import JsonObject, Tool, ToolInput

LIMITS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "minLength": "minLength",
    "maxLength": "maxLength",
}
_MOST = ("maximum", "maxLength", "maxItems")
MET_IN_PRACTICE = 1_000
_LIST_LIMITS = {"minLength": "minItems", "maxLength": "maxItems", "min_length": "minItems", "max_length": "maxItems"}
NOT_NULL = "notNull"
"""Mark of an argument that may be left out, which is not the same as null."""
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
    return {"$schema": DRAFT_07, "title": arguments.__name__, **_published_form(_inlined(schema, definitions, depth=0))}


def _published_form(node: Any) -> Any:
    """Limits by the names that JSON Schema has for them: behind a validator of its own a limit goes by the library's
    name, stands beside the alternatives that it is for, and that of a list reads as that of a text. A default of null
    goes, as it says no more than that an argument may be left out, and so do titles made of names."""
    if isinstance(node, list):
        return [_published_form(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if key not in (*LIMITS, NOT_NULL, "title")}
    if kept.get("default", ...) is None:
        del kept["default"]
    form: JsonObject = {
        key: _properties(value) if key == "properties" else _published_form(value) for key, value in kept.items()
    }
    limits = {key: node[key] for key in LIMITS if key in node}
    alternatives: Sequence[JsonObject] = form.get("anyOf", (form,))
    for each in alternatives:
        if each.get("type") != "null":
            each.update({_limit_of(each.get("type"), key): value for key, value in limits.items()})
    if node.get(NOT_NULL):
        del form["anyOf"]
        form |= next(each for each in alternatives if each.get("type") != "null")
    return form


def _properties(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: _published_form(value) for name, value in properties.items()}


def _limit_of(kind: object, key: str) -> str:
    return _LIST_LIMITS.get(key, LIMITS[key]) if kind == "array" else LIMITS[key]


def brief_schema(schema: Mapping[str, Any], arguments: Collection[str] | None = None) -> JsonObject:
    """A schema for a short listing: without its dialect and title, and without null where an argument may simply be
    left out, nor limits that are not met in practice. Of its arguments these, where some are named; the schema then
    says that there are more."""
    root = {key: value for key, value in schema.items() if key not in ("$schema", "title")}
    if arguments is not None:
        del root["additionalProperties"]
        root["properties"] = {name: root["properties"][name] for name in arguments}
    brief: JsonObject = _brief(root)
    return brief


def _brief(node: Any) -> Any:
    if isinstance(node, list):
        return [_brief(item) for item in node]
    if not isinstance(node, dict):
        return node
    alternatives = [each for each in node.get("anyOf", ()) if each.get("type") != "null"]
    if len(alternatives) == 1:
        node = {key: value for key, value in node.items() if key != "anyOf"} | alternatives[0]
    return {key: _brief(value) for key, value in node.items() if not (key in _MOST and value > MET_IN_PRACTICE)}


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

"""Published schemas: every limit by its name in JSON Schema, every default a real one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BeforeValidator, Field

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import server_settings
from orchestrator.configuration.model import Configuration
from tools.campaign.fields import Integer, Optional, array
from tools.schemas import NOT_NULL, input_schema, schema_of
from tools.tool import Tool, ToolInput

BY_TYPE = {
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "string": {"minLength", "maxLength", "pattern"},
    "array": {"minItems", "maxItems"},
}
LIMITS = {limit for limits in BY_TYPE.values() for limit in limits} | {"ge", "gt", "le", "lt", "min_length"}


def published() -> tuple[Tool[Any], ...]:
    return tuple(Server(server_settings(Configuration(), Path("/"))).tools(None))


def nodes(schema: object) -> Iterator[dict[str, Any]]:
    """Every schema within a schema."""
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            for each in value.values() if key == "properties" else value if isinstance(value, list) else [value]:
                yield from nodes(each)


@pytest.mark.parametrize("tool", published(), ids=lambda tool: tool.name)
def test_every_limit_stands_where_its_type_has_it(tool: Tool[Any]) -> None:
    """No limit by the validator's own name, none of texts at a list, and no default of null."""
    for node in nodes(input_schema(tool)):
        allowed = BY_TYPE.get(node.get("type", ""), set())
        assert {key for key in node if key in LIMITS} <= allowed, node
        assert node.get("default", ...) is not None


class Limited(ToolInput):
    names: Annotated[tuple[str, ...], BeforeValidator(array), Field(min_length=1, max_length=3)]
    count: Integer | None = Field(default=None, ge=0, le=5)
    kept: Annotated[Integer | None, Optional] = Field(default=None, gt=2, json_schema_extra={NOT_NULL: True})
    title: str = Field(default="x", max_length=9)


def test_limits_follow_the_alternatives_that_they_are_for() -> None:
    """Also behind validators, in unions with null, and for an argument whose name is a word of JSON Schema."""
    properties = schema_of(Limited)["properties"]
    assert properties["names"] == {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}
    assert properties["count"] == {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 5}, {"type": "null"}]}
    assert properties["kept"] == {"type": "integer", "exclusiveMinimum": 2}
    assert properties["title"] == {"type": "string", "default": "x", "maxLength": 9}

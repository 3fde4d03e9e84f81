"""The schemas of tools as resources: `schema://tools/<name>/input` and `.../output`, in full draft-07.

Where a contract's schema cannot be published in `tools/list`, because clients refuse it there, this is its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tools.errors import ErrorCode, ToolError
from tools.registry import ToolRegistry
from tools.rendering import compact_json
from tools.resource import Resource, ResourceTemplate, ResourceText
from tools.tool import Tool

PREFIX = "schema://tools/"


class SchemaResources:
    """`contracts` maps (tool, "input" or "output") to a schema that stands in a contract literally and replaces the
    published one."""

    def __init__(self, registry: ToolRegistry, contracts: Mapping[tuple[str, str], Mapping[str, object]]) -> None:
        self._registry = registry
        self._contracts = contracts

    def resources(self) -> Sequence[Resource]:
        return ()

    def templates(self) -> Sequence[ResourceTemplate]:
        return (
            ResourceTemplate(
                f"{PREFIX}{{name}}/{{side}}",
                "tool-schema",
                "JSON Schema (draft-07) of a tool: `side` is `input` or `output`.",
                "application/schema+json",
            ),
        )

    async def read(self, uri: str) -> ResourceText | None:
        if not uri.startswith(PREFIX):
            return None
        name, _, side = uri.removeprefix(PREFIX).partition("/")
        tool = self._registry.find(name)
        schema = self._schema(tool, side)
        if schema is None:
            raise ToolError(ErrorCode.INVALID_INPUT, f"{PREFIX}{name}/ has input and, for objects, output")
        return ResourceText(compact_json(schema), "application/schema+json")

    def _schema(self, tool: Tool[Any], side: str) -> Mapping[str, object] | None:
        if (literal := self._contracts.get((tool.name, side))) is not None:
            return literal
        match side:
            case "input":
                return self._registry.input_schema(tool)
            case "output":
                return tool.output_schema
            case _:
                return None

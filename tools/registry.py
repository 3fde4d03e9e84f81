"""The tools of one server, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from tools.errors import ErrorCode, RegistrationError, ToolError
from tools.schemas import input_schema
from tools.tool import Family, JsonObject, Tool

PUBLISHED_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
CALLED_NAME = re.compile(r"[a-zA-Z0-9._-]{1,128}")
Context = TypeVar("Context")


def tools_of(table: Iterable[Callable[[Context], Iterable[Tool[Any]]]], context: Context) -> tuple[Tool[Any], ...]:
    """The tools of a family's table. Each line makes the tools of one module from what the family works on."""
    return tuple(tool for line in table for tool in line(context))


class ToolRegistry:
    """Tools in the order in which they were registered. Names and aliases are unique.

    Published names match `^[a-zA-Z0-9_-]{1,64}$`: several hosts drop every tool of a server when one name does not.
    """

    def __init__(self, tools: Iterable[Tool[Any]] = ()) -> None:
        self._tools: dict[str, Tool[Any]] = {}
        self._called: dict[str, Tool[Any]] = {}
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool[Any]) -> None:
        """Add a tool. Raises `RegistrationError` for a name that is taken or not publishable."""
        if not PUBLISHED_NAME.fullmatch(tool.name):
            raise RegistrationError(f"tool name {tool.name!r} must match ^[a-zA-Z0-9_-]{{1,64}}$")
        for name in (tool.name, *tool.aliases):
            if not CALLED_NAME.fullmatch(name):
                raise RegistrationError(f"alias {name!r} of {tool.name} must match ^[A-Za-z0-9._-]{{1,128}}$")
            if name in self._called:
                raise RegistrationError(f"tool name {name!r} is taken by {self._called[name].name}")
            self._called[name] = tool
        self._tools[tool.name] = tool

    def get_tool(self, name: str) -> Tool[Any] | None:
        """The tool of that name or alias, None when there is none."""
        return self._called.get(name)

    def find(self, name: str) -> Tool[Any]:
        """Like `get_tool`; raises `ToolError` TOOL_NOT_FOUND."""
        tool = self._called.get(name)
        if tool is None:
            raise ToolError(ErrorCode.TOOL_NOT_FOUND, f"Tool '{name[:128]}' not found")
        return tool

    def get_all_tools(self) -> tuple[Tool[Any], ...]:
        return tuple(self._tools.values())

    def of_families(self, families: Collection[Family]) -> ToolRegistry:
        """A registry of the tools of these families only."""
        return ToolRegistry(tool for tool in self._tools.values() if tool.family in families)

    def to_claude_tools(self) -> list[JsonObject]:
        """The tools as Anthropic's API takes them: `name`, `description`, `input_schema`."""
        return [
            {"name": tool.name, "description": tool.description, "input_schema": input_schema(tool)}
            for tool in self._tools.values()
        ]

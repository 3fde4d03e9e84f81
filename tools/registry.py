"""The tools of one server, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TypeVar

from tools.errors import ErrorCode, RegistrationError, ToolError
from tools.schemas import input_schema
from tools.tool import Family, JsonObject, Tool

PUBLISHED_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
CALLED_NAME = re.compile(r"[a-zA-Z0-9._-]{1,128}")
CAMPAIGN_ID = "campaignId"
MAX_CAMPAIGN_ID_LENGTH = 64
CAMPAIGN_ID_SCHEMA: JsonObject = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_CAMPAIGN_ID_LENGTH,
    "description": "Id of a campaign, from list_campaigns; may be left out while one runs.",
}
Context = TypeVar("Context")


class Campaigns(Protocol):
    """The campaigns that tools may mean."""

    @property
    def are_several(self) -> bool:
        """More than one runs, so that a call has to name one."""

    def choosing(self, name: str | None) -> AbstractContextManager[str]:
        """Within the block tools mean the campaign of this id, None for the only one; gives its id. Raises
        `ToolError`."""


def tools_of(table: Iterable[Callable[[Context], Iterable[Tool[Any]]]], context: Context) -> tuple[Tool[Any], ...]:
    """The tools of a family's table. Each line makes the tools of one module from what the family works on."""
    return tuple(tool for line in table for tool in line(context))


class ToolRegistry:
    """Tools in the order in which they were registered. Names and aliases are unique.

    Published names match `^[a-zA-Z0-9_-]{1,64}$`: several hosts drop every tool of a server when one name does not.

    `campaigns` are those that a call may name with `campaignId`. No tool knows of this argument: it is published here,
    and the campaign is chosen before the tool is called.
    """

    def __init__(self, tools: Iterable[Tool[Any]] = (), campaigns: Campaigns | None = None) -> None:
        self.campaigns = campaigns
        self._tools: dict[str, Tool[Any]] = {}
        self._called: dict[str, Tool[Any]] = {}
        self._schemas: dict[str, JsonObject] = {}
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
        return ToolRegistry((tool for tool in self._tools.values() if tool.family in families), self.campaigns)

    def with_more(self, tools: Iterable[Tool[Any]]) -> ToolRegistry:
        return ToolRegistry((*self._tools.values(), *tools), self.campaigns)

    @property
    def is_naming_campaigns(self) -> bool:
        """Every listing has to show how a campaign is named."""
        return self.campaigns is not None and self.campaigns.are_several

    def input_schema(self, tool: Tool[Any], *, brief: bool = False) -> JsonObject:
        """The schema that is published for a tool's arguments. One that a contract gives, and a brief one, is as it is
        without campaigns as long as none has to be named."""
        if (schema := self._schemas.get(tool.name)) is None:
            schema = self._schemas[tool.name] = input_schema(tool)
        is_plain = (brief or tool.input_schema is not None) and not self.is_naming_campaigns
        if self.campaigns is None or not tool.of_campaign or is_plain:
            return dict(schema)
        return {**schema, "properties": {**schema.get("properties", {}), CAMPAIGN_ID: CAMPAIGN_ID_SCHEMA}}

    @contextmanager
    def addressed(self, tool: Tool[Any], arguments: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Within the block the tool means the campaign that its arguments name; gives its id and the other arguments.
        Raises `ToolError`."""
        if self.campaigns is None or not tool.of_campaign:
            yield "", arguments
            return
        name = arguments.get(CAMPAIGN_ID)
        if CAMPAIGN_ID in arguments and not (isinstance(name, str) and 0 < len(name) <= MAX_CAMPAIGN_ID_LENGTH):
            message = f"{CAMPAIGN_ID} must be a string of 1 to {MAX_CAMPAIGN_ID_LENGTH} characters"
            raise ToolError(ErrorCode.INVALID_INPUT, message, violations=[message])
        with self.campaigns.choosing(name) as chosen:
            yield chosen, {key: value for key, value in arguments.items() if key != CAMPAIGN_ID}

    def to_claude_tools(self) -> list[JsonObject]:
        """The tools as Anthropic's API takes them: `name`, `description`, `input_schema`."""
        return [
            {"name": tool.name, "description": tool.description, "input_schema": self.input_schema(tool)}
            for tool in self._tools.values()
        ]

"""Publication of campaign tools: annotations and scope of observing tools and of acting tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from tools.schemas import output_schema_of
from tools.tool import Annotations, Answer, Deadline, Family, Scope, Tool, ToolInput

Call = Callable[[Any], Awaitable[Answer]]
Types = tuple[type[ToolInput], type[msgspec.Struct] | None]
"""What a tool takes and what it answers, None for a tool whose output schema comes from elsewhere or that answers
text."""


def looking(
    name: str, description: str, types: Types, call: Call, *, deadline: Deadline = Deadline.CAMPAIGN
) -> Tool[Any]:
    """A tool that changes nothing, so that every client may use it."""
    annotations = Annotations.looking(_title(name))
    return _tool(name, description, types, call, annotations, Scope.READ, deadline)


def acting(
    name: str,
    description: str,
    types: Types,
    call: Call,
    *,
    destructive: bool = False,
    idempotent: bool = True,
    deadline: Deadline = Deadline.CAMPAIGN,
    scope: Scope = Scope.CONTROL,
) -> Tool[Any]:
    """A tool that changes something, which is a command to the campaign unless its scope is `READ`."""
    annotations = Annotations(title=_title(name), read_only=False, destructive=destructive, idempotent=idempotent)
    return _tool(name, description, types, call, annotations, scope, deadline)


def _tool(
    name: str,
    description: str,
    types: Types,
    call: Call,
    annotations: Annotations,
    scope: Scope,
    deadline: Deadline,
) -> Tool[Any]:
    arguments, result = types
    return Tool(
        name=name,
        family=Family.CAMPAIGN,
        description=description,
        arguments=arguments,
        call=call,
        deadline=deadline,
        annotations=annotations,
        output_schema=output_schema_of(result) if result is not None else None,
        scope=scope,
    )


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()

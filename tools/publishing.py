"""The one way to make a `Tool`: for each kind, a function that states its annotations and scope."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from tools.schemas import output_schema_of
from tools.tool import Annotations, Answer, Deadline, Family, Scope, Tool, ToolInput

Call = Callable[[Any], Awaitable[Answer]]
Output = type[msgspec.Struct] | Mapping[str, object] | None
Types = tuple[type[ToolInput], Output]
"""What a tool takes and what it answers: a type, a schema, or None for text and for a schema given elsewhere."""


def looking(
    name: str,
    description: str,
    types: Types,
    call: Call,
    *,
    family: Family,
    title: str = "",
    deadline: Deadline = Deadline.CAMPAIGN,
    aliases: tuple[str, ...] = (),
    input_schema: Mapping[str, object] | None = None,
    open_world: bool = False,
    of_campaign: bool = False,
) -> Tool[Any]:
    """A tool that changes nothing, so that every client may use it. Its title is made from its name unless given."""
    arguments, output = types
    return Tool(
        name=name,
        family=family,
        description=description,
        arguments=arguments,
        call=call,
        deadline=deadline,
        annotations=Annotations.looking(title or _title(name), open_world=open_world),
        output_schema=_schema(output),
        input_schema=input_schema,
        of_campaign=of_campaign,
        aliases=aliases,
    )


def acting(
    name: str,
    description: str,
    types: Types,
    call: Call,
    *,
    family: Family,
    title: str = "",
    deadline: Deadline = Deadline.CAMPAIGN,
    aliases: tuple[str, ...] = (),
    input_schema: Mapping[str, object] | None = None,
    destructive: bool = False,
    idempotent: bool = True,
    open_world: bool = False,
    scope: Scope = Scope.CONTROL,
    of_campaign: bool = False,
) -> Tool[Any]:
    """A tool that changes something, which asks for the scope `CONTROL` unless said otherwise."""
    arguments, output = types
    return Tool(
        name=name,
        family=family,
        description=description,
        arguments=arguments,
        call=call,
        deadline=deadline,
        annotations=Annotations(
            title=title or _title(name),
            read_only=False,
            destructive=destructive,
            idempotent=idempotent,
            open_world=open_world,
        ),
        output_schema=_schema(output),
        input_schema=input_schema,
        scope=scope,
        of_campaign=of_campaign,
        aliases=aliases,
    )


def _schema(output: Output) -> Mapping[str, object] | None:
    return output_schema_of(output) if isinstance(output, type) else output


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()

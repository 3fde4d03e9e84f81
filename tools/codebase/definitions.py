"""Publication of the codebase memory's tools: names, descriptions, schemas, deadlines, scopes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tools.codebase.models import (
    IndexCodebaseInput,
    IndexCodebaseOutput,
    RemoveCodebaseInput,
    RemoveCodebaseOutput,
    RenameCodebaseInput,
    RenameCodebaseOutput,
)
from tools.schemas import output_schema_of
from tools.tool import Annotations, Answer, Deadline, Family, JsonObject, Scope, Tool, ToolInput

Arguments = TypeVar("Arguments", bound=ToolInput)


def contract_tool(
    schema: JsonObject,
    arguments: type[Arguments],
    call: Callable[[Arguments], Awaitable[Answer]],
    title: str,
) -> Tool[Arguments]:
    return Tool(
        name=schema["name"],
        family=Family.CODEBASE,
        description=schema["description"],
        arguments=arguments,
        call=call,
        deadline=Deadline.SEARCH,
        annotations=Annotations.looking(title),
        input_schema=schema["inputSchema"],
        output_schema=schema["outputSchema"],
    )


def index_tool(call: Callable[[IndexCodebaseInput], Awaitable[Answer]]) -> Tool[IndexCodebaseInput]:
    return Tool(
        name="index_codebase",
        family=Family.CODEBASE,
        description=(
            "Index a folder for search_codebases, or bring its index up to date: only changed files are read anew."
            " Waits up to waitSeconds; status running means that it goes on, so call again. With check it only tells"
            " which indexed files have changed or gone (staleFiles)."
        ),
        arguments=IndexCodebaseInput,
        call=call,
        deadline=Deadline.PROCESS,
        annotations=Annotations(title="Index a codebase", read_only=False, destructive=False, idempotent=True),
        output_schema=output_schema_of(IndexCodebaseOutput),
        scope=Scope.CONTROL,
    )


def rename_tool(call: Callable[[RenameCodebaseInput], Awaitable[Answer]]) -> Tool[RenameCodebaseInput]:
    return Tool(
        name="rename_codebase",
        family=Family.CODEBASE,
        description="Give an indexed codebase another name.",
        arguments=RenameCodebaseInput,
        call=call,
        deadline=Deadline.SEARCH,
        annotations=Annotations(title="Rename a codebase", read_only=False, destructive=False, idempotent=False),
        output_schema=output_schema_of(RenameCodebaseOutput),
        scope=Scope.CONTROL,
    )


def remove_tool(call: Callable[[RemoveCodebaseInput], Awaitable[Answer]]) -> Tool[RemoveCodebaseInput]:
    return Tool(
        name="remove_codebase",
        family=Family.CODEBASE,
        description="Forget an indexed codebase. Its source files are not touched.",
        arguments=RemoveCodebaseInput,
        call=call,
        # The words of every chunk are taken out of the index: seconds for a large codebase.
        deadline=Deadline.PROCESS,
        annotations=Annotations(title="Remove a codebase", read_only=False, destructive=True, idempotent=False),
        output_schema=output_schema_of(RemoveCodebaseOutput),
        scope=Scope.CONTROL,
    )

"""Definition of a tool: a name, a contract, and the function behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict

JsonObject = dict[str, Any]


class ToolInput(BaseModel):
    """Base of every tool's arguments: unknown keys are refused, nothing is coerced, values never change.

    Field names are the published keys; a key that is no good Python name is given with `Field(alias=...)`.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, validate_by_name=False, validate_by_alias=True)

    def normal_form(self) -> JsonObject:
        """The arguments as JSON, with the defaults of what was left out, to be kept and to be repeated."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


Arguments = TypeVar("Arguments", bound=ToolInput)


class Family(StrEnum):
    """Groups that `enabledToolGroups` publishes. A family decides how its errors are printed."""

    CAMPAIGN = "campaign"
    COVERAGE = "coverage"
    BUILDS = "builds"
    ANALYSIS = "analysis"
    CODEBASE = "codebase"


class Deadline(StrEnum):
    """Classes of deadlines; the configuration gives each its milliseconds."""

    CAMPAIGN = "campaign"  # 100 ms: answered from snapshots and mailboxes
    ANALYSIS = "analysis"  # 5 s: parses what it is given
    SEARCH = "search"  # 5 s, 500 ms wanted
    PROCESS = "process"  # answers within its own wait budget of at most 55 s
    WAIT = "wait"  # waits for an event on purpose, at most 50 s


class Scope(StrEnum):
    """Scopes required of a caller's token."""

    READ = "read"
    CONTROL = "control"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """Hints of the MCP specification, all four stated because the protocol's defaults are the pessimistic ones."""

    title: str
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool = False

    @classmethod
    def looking(cls, title: str, *, open_world: bool = False) -> Self:
        """Annotations of a tool that changes nothing."""
        return cls(title=title, read_only=True, destructive=False, idempotent=True, open_world=open_world)


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a tool: a JSON object, or plain text for the tools whose contract says so.

    `failed` marks an answer that is an error of the tool in its family's own form (`isError` in MCP). `warning` is
    metadata of the response, where the contract leaves no place for it in the answer.
    """

    payload: JsonObject | str
    failed: bool = False
    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[Arguments]):
    """One published tool. `call` receives validated arguments, may raise `ToolError`, and never owns work that must
    survive the caller: it asks an actor and awaits the reply, and may be cancelled at any await.

    `of_campaign` tools mean one campaign of their server, which a call may name with `campaignId`.

    `output_schema` is None for text. `input_schema` replaces the schema made from `arguments` where a contract gives
    it literally. `aliases` are further names that a call may use; only `name` is listed.
    """

    name: str
    family: Family
    description: str
    arguments: type[Arguments]
    call: Callable[[Arguments], Awaitable[Answer]]
    deadline: Deadline
    annotations: Annotations
    output_schema: Mapping[str, object] | None = None
    input_schema: Mapping[str, object] | None = None
    scope: Scope = Scope.READ
    of_campaign: bool = False
    aliases: tuple[str, ...] = field(default=())

"""Everything that one server offers, before any protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tools.dispatcher import Dispatcher
from tools.errors import ErrorCode, ToolError
from tools.profiles import FULL
from tools.prompt import Prompt
from tools.resource import ResourceSource, ResourceText

NameStyle = Literal["underscore", "dotted"]
Complete = Callable[[str, str, str | None], Sequence[str]]
"""Values of an argument by its name, what has been typed of it, and the id of the campaign that is meant."""
MAX_URI_LENGTH = 2_048


@dataclass(frozen=True, slots=True, kw_only=True)
class Facade:
    """Tools, resources and prompts of a server. `name_style` says how `tools/list` spells names that have a dotted
    alias; calls may use either. `profile` says which tools it lists (`tools.profiles`). `instructions` are for the
    model that uses the server."""

    dispatcher: Dispatcher
    sources: Sequence[ResourceSource] = ()
    prompts: Sequence[Prompt] = ()
    name_style: NameStyle = "underscore"
    profile: str = FULL
    instructions: str = ""
    complete: Complete = lambda argument, typed, campaign: ()
    version: str = ""
    name: str = field(default="monotreme")

    async def read(self, uri: str) -> ResourceText:
        """The text behind a URI. Raises `ToolError` when there is none."""
        if len(uri) <= MAX_URI_LENGTH:
            for source in self.sources:
                if (text := await source.read(uri)) is not None:
                    return text
        raise ToolError(ErrorCode.INVALID_INPUT, f"there is no resource {uri[:200]}")

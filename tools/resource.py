"""Content that a client may read by URI: resources, templates of their URIs, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Resource:
    """A text with a fixed URI."""

    uri: str
    name: str
    description: str
    mime_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class ResourceTemplate:
    """Texts whose URIs follow RFC 6570, such as `campaign://findings/{id}`."""

    uri_template: str
    name: str
    description: str
    mime_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class ResourceText:
    text: str
    mime_type: str = "application/json"


class ResourceSource(Protocol):
    """Resources of one kind. Reading answers from snapshots or threads and never blocks the loop."""

    def resources(self) -> Sequence[Resource]:
        """The resources to list at this moment."""

    def templates(self) -> Sequence[ResourceTemplate]:
        """Templates to list."""

    async def read(self, uri: str) -> ResourceText | None:
        """The text behind a URI, None for one that is not of this source. Raises `ToolError` for a URI of this source
        that does not exist, or cannot be answered yet."""

"""Pages of what grows with the target: functions, tests, findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import Field

from tools.campaign.fields import Integer
from tools.tool import ToolInput

MAX_LIMIT = 1_000
Item = TypeVar("Item")


class PageInput(ToolInput):
    """Arguments of a tool that answers page by page."""

    offset: Integer = Field(default=0, ge=0, le=2**53)
    limit: Integer = Field(default=50, ge=1, le=MAX_LIMIT)

    def page(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Return those of one page."""
        return tuple(items[self.offset : self.offset + self.limit])

    def next_offset(self, total: int) -> int | None:
        """Return where the next page begins; None behind the last one."""
        end = self.offset + self.limit
        return end if end < total else None

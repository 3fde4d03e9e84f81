"""A change of an operation before it is a mutant: what kind, what a developer would write, and how codes are edited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from simulator.mutation.code_view import CodeView
from simulator.mutation.mutant import CodeName, Edit


@dataclass
class Change:
    """`after` is what stands in place of the operation. A place that could not be edited spoils the whole change."""

    operator: str
    after: str
    edits: dict[CodeName, list[Edit | None]] = field(default_factory=dict)

    def add(self, view: CodeView, edits: Iterable[Edit | None]) -> None:
        """Edits of one code."""
        if found := list(edits):
            self.edits.setdefault(view.name, []).extend(found)

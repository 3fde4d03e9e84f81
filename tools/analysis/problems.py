"""Problems found by an analysis, with their places."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from tools.analysis.syntax_tree import line_and_column
from tools.tool import JsonObject


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """`line` and `column` from 1; `rule` is stable, `message` is for users."""

    line: int
    column: int
    rule: str
    message: str

    def as_json(self) -> JsonObject:
        return {"line": self.line, "column": self.column, "rule": self.rule, "message": self.message}


def problem(node: Node, code: bytes, rule: str, message: str) -> Problem:
    """A problem at the start of `node`."""
    return Problem(*line_and_column(node, code), rule, message)

"""Syntax trees of JavaScript."""

from __future__ import annotations

from functools import cache

import tree_sitter
import tree_sitter_javascript
from tree_sitter import Node

FUNCTIONS = frozenset(
    (
        "function_declaration",
        "function_expression",
        "arrow_function",
        "method_definition",
        "generator_function",
        "generator_function_declaration",
    )
)
LOOPS = frozenset(("for_statement", "for_in_statement", "while_statement", "do_statement"))


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


def parse(code: str) -> Node:
    """The root node of `code`. A tree is made of anything; where it does not fit the grammar it has ERROR nodes."""
    return _parser().parse(code.encode("utf-8", "surrogatepass")).root_node

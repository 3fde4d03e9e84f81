"""Early errors: code that fits the grammar and that engines still refuse to compile (ECMA-262, "Static Semantics")."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from tools.analysis.javascript.declarations import declaration_error, repeated_declarations
from tools.analysis.javascript.expressions import expression_error
from tools.analysis.javascript.placement import placement_error
from tools.analysis.javascript.strict_mode import is_strict, strict_error
from tools.analysis.problems import Problem, problem
from tools.analysis.syntax_tree import descendants


def early_errors(root: Node, source: bytes) -> Iterator[Problem]:
    """The early errors of `root`, which has no grammar errors."""
    strict = is_strict(root)
    yield from repeated_declarations(root, source)
    for node in descendants(root):
        if not node.is_named:
            continue
        for message in _messages(node, strict=strict):
            yield problem(node, source, "early-error", message)
        yield from repeated_declarations(node, source)


def _messages(node: Node, *, strict: bool) -> Iterator[str]:
    for found in (expression_error(node), declaration_error(node), placement_error(node)):
        if found is not None:
            yield found
    if strict and (found := strict_error(node)) is not None:
        yield found

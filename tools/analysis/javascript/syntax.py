"""Syntax errors: what the grammar refuses, and the early errors of ECMAScript that a grammar alone cannot see."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from simulator.printable import shortened
from tools.analysis.javascript.declarations import declaration_error, repeated_declarations
from tools.analysis.javascript.expressions import expression_error
from tools.analysis.javascript.placement import placement_error
from tools.analysis.javascript.strict_mode import is_strict, strict_error
from tools.analysis.javascript.tree import parse
from tools.analysis.problems import Problem, problem
from tools.analysis.syntax_tree import descendants, text

MAX_ERRORS = 10
MAX_TOKEN_LENGTH = 40


def syntax_errors(code: str) -> tuple[Problem, ...]:
    """At most ten errors of `code`, in the order of their places; none means that engines would compile it."""
    root, source = parse(code), code.encode("utf-8", "surrogatepass")
    found = _grammar_errors(root, source) if root.has_error else _early_errors(root, source)
    return tuple(sorted(set(found))[:MAX_ERRORS])


def _grammar_errors(root: Node, source: bytes) -> list[Problem]:
    """ERROR and MISSING nodes; below an error its tokens are no errors of their own."""
    found: list[Problem] = []
    waiting = [root]
    while waiting and len(found) < MAX_ERRORS:
        node = waiting.pop()
        if node.is_missing:
            found.append(problem(node, source, "missing-token", f"Missing '{node.type}'"))
        elif node.is_error:
            found.append(_unexpected(node, source))
        elif node.has_error:
            waiting.extend(reversed(node.children))
    return found


def _unexpected(node: Node, source: bytes) -> Problem:
    """The place of an error is where the parser cannot continue: the last token that the parser had to give up."""
    at = node
    while at.children:
        at = at.children[-1]
    if at.end_byte >= len(source.rstrip()):
        return problem(at, source, "unexpected-end", f"Unexpected end of input after '{_shown(at)}'")
    return problem(at, source, "unexpected-token", f"Unexpected token '{_shown(at)}'")


def _shown(node: Node) -> str:
    return shortened(text(node).split("\n", 1)[0], MAX_TOKEN_LENGTH)


def _early_errors(root: Node, source: bytes) -> Iterator[Problem]:
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

"""Syntax errors: what the grammar refuses, and the early errors of ECMAScript that a grammar alone cannot see."""

from __future__ import annotations

from tree_sitter import Node

from simulator.printable import shortened
from tools.analysis.javascript.early_errors import early_errors
from tools.analysis.javascript.tree import parse
from tools.analysis.problems import Problem, problem
from tools.analysis.syntax_tree import text

MAX_ERRORS = 10
MAX_TOKEN_LENGTH = 40


def syntax_errors(code: str) -> tuple[Problem, ...]:
    """At most ten errors of `code`, in the order of their places; none means that engines would compile it."""
    root, source = parse(code), code.encode("utf-8", "surrogatepass")
    found = _grammar_errors(root, source) if root.has_error else early_errors(root, source)
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

"""Mistakes of fuzzing harnesses that compile: a property that is never called, an assertion that is never reached."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import cache

import tree_sitter
import tree_sitter_solidity
from tree_sitter import Node

from tools.analysis.problems import Problem, problem
from tools.analysis.syntax_tree import descendants, field, text

BOOLEAN_PROPERTY = re.compile(r"(echidna|crytic|property)_\w+")
CHECKS = frozenset(("assert", "assertEq", "assertTrue", "assertFalse", "assertLt", "assertLe", "assertGt", "assertGe"))
LEAVING = frozenset(("return_statement", "revert_statement", "break_statement", "continue_statement"))


@cache
def _parser() -> tree_sitter.Parser:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the grammar's package gives a bare pointer
        return tree_sitter.Parser(tree_sitter.Language(tree_sitter_solidity.language()))


def harness_problems(code: str) -> tuple[Problem, ...]:
    """Mistakes in `code` that make fuzzing ineffective, in source order."""
    source = code.encode("utf-8", "surrogatepass")
    root = _parser().parse(source).root_node
    found = (
        problem(place, source, rule, message)
        for node in descendants(root)
        if node.type == "function_definition"
        for place, rule, message in (*_property(node), *_unreachable(node))
    )
    return tuple(sorted(found))


def _property(function: Node) -> Iterator[tuple[Node, str, str]]:
    name_node = field(function, "name")
    name = text(name_node) if name_node is not None else ""
    if name_node is None or not BOOLEAN_PROPERTY.fullmatch(name):
        return
    if any(child.type == "parameter" for child in function.named_children):
        yield name_node, "property-with-arguments", f"{name} takes arguments, so it is no property and never checked"
    if _returned(function) != ["bool"]:
        yield name_node, "property-without-bool", f"{name} must return one bool: `returns (bool)`"
    visibility = next((text(child) for child in function.named_children if child.type == "visibility"), "")
    if visibility in ("internal", "private"):
        yield name_node, "property-not-callable", f"{name} is {visibility}: declare it public"
    if not _returns_a_value(function):
        yield name_node, "property-always-false", f"{name} never returns a value, so it is false whenever it is checked"


def _returned(function: Node) -> list[str]:
    definition = field(function, "return_type")
    if definition is None:
        return []
    types = (field(parameter, "type") for parameter in definition.named_children)
    return [text(each) for each in types if each is not None]


def _returns_a_value(function: Node) -> bool:
    definition, body = field(function, "return_type"), field(function, "body")
    if definition is None or body is None:
        return True
    if any(field(parameter, "name") is not None for parameter in definition.named_children):
        return True
    return any(
        (node.type == "return_statement" and node.named_children) or node.type == "assembly_statement"
        for node in descendants(body)
    )


def _unreachable(function: Node) -> Iterator[tuple[Node, str, str]]:
    """Assertions behind a statement that always leaves their block."""
    for block in descendants(function):
        if block.type not in ("function_body", "block_statement"):
            continue
        left = False
        for statement in block.named_children:
            if left:
                yield from ((node, *_WHY) for node in descendants(statement) if _is_check(node))
            inner = statement.named_children[0] if statement.type == "statement" and statement.named_children else None
            left = left or (inner is not None and (inner.type in LEAVING or _reverts(inner)))


_WHY = ("unreachable-assertion", "this assertion is never reached: the statement before it always leaves the block")


def _is_check(node: Node) -> bool:
    called = field(node, "function") if node.type == "call_expression" else None
    return called is not None and text(called) in CHECKS


def _reverts(statement: Node) -> bool:
    return statement.type == "expression_statement" and re.match(r"revert\s*\(", text(statement)) is not None

"""Testable parts of code: functions, CommonJS exports, and the methods of classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeGuard

from tree_sitter import Node

from tools.analysis.javascript.bindings import bound_names
from tools.analysis.javascript.tree import FUNCTIONS
from tools.analysis.syntax_tree import field, text

DEFAULT = "defaultExport"
CLASSES = frozenset(("class_declaration", "class"))
_OBJECTS = ("exports", "module.exports")


class Reach(StrEnum):
    """Form of a call to a function."""

    PLAIN = "by its name"
    METHOD = "on a new object"
    STATIC = "on the class"
    GETTER = "by reading a property of a new object"


@dataclass(frozen=True, slots=True)
class TestedFunction:
    """A function that tests can reach. `key` names it, or its class, in the subject's object; `node` holds its
    parameters and body; `constructor` is that of its class."""

    __test__ = False  # a class of this name is no test case

    key: str
    node: Node
    reach: Reach = Reach.PLAIN
    member: str = ""
    constructor: Node | None = None

    @property
    def name(self) -> str:
        return f"{self.key}.{self.member}" if self.member else self.key

    @property
    def is_generator(self) -> bool:
        return any(child.type == "*" for child in self.node.children)


def parameters_of(function: Node) -> tuple[Node, ...]:
    single, several = field(function, "parameter"), field(function, "parameters")
    if single is not None:
        return (single,)
    return tuple(node for node in several.named_children if node.type != "comment") if several is not None else ()


def tested_functions(root: Node) -> list[TestedFunction]:
    """The functions of a program, each name once, in the order of the source."""
    found: dict[str, TestedFunction] = {}
    for key, node in _reachable(root):
        for function in _methods(key, node) if node.type in CLASSES else (TestedFunction(key, node),):
            found[function.name] = function
    return list(found.values())


def local_names(root: Node) -> frozenset[str]:
    """The names that a program declares at its top level."""
    return frozenset(text(found) for statement in root.named_children for found in bound_names(statement))


def _reachable(root: Node) -> Iterator[tuple[str, Node]]:
    """Functions and classes declared at the top level, constants that hold one, and what is exported."""
    for statement in root.named_children:
        if statement.type in FUNCTIONS | CLASSES:
            name = field(statement, "name")
            if name is not None:
                yield text(name), statement
        elif statement.type in ("lexical_declaration", "variable_declaration"):
            for declarator in statement.named_children:
                name, value = field(declarator, "name"), field(declarator, "value")
                if name is not None and name.type == "identifier" and _is_callable(value):
                    yield text(name), value
        elif statement.type == "expression_statement":
            yield from _exported(statement.named_children[0])


def _exported(assignment: Node) -> Iterator[tuple[str, Node]]:
    """`exports.name = function`, `module.exports = function` and `module.exports = { name() {}, name: function }`."""
    if assignment.type != "assignment_expression":
        return
    left, value = field(assignment, "left"), field(assignment, "right")
    while value is not None and value.type == "assignment_expression":
        value = field(value, "right")
    if left is None or value is None:
        return
    if text(left) in _OBJECTS:
        if _is_callable(value):
            yield DEFAULT, value
        elif value.type == "object":
            yield from _entries(value)
    elif left.type == "member_expression" and _is_callable(value):
        holder, key = field(left, "object"), field(left, "property")
        if holder is not None and key is not None and text(holder) in _OBJECTS:
            yield text(key), value


def _entries(written: Node) -> Iterator[tuple[str, Node]]:
    for entry in written.named_children:
        key = field(entry, "key") or field(entry, "name")
        if key is None or key.type != "property_identifier":
            continue
        if entry.type == "method_definition" and not {"get", "set"} & {child.type for child in entry.children}:
            yield text(key), entry
        elif _is_callable(value := field(entry, "value")):
            yield text(key), value


def _is_callable(node: Node | None) -> TypeGuard[Node]:
    return node is not None and node.type in FUNCTIONS | {"class"}


def _methods(key: str, written: Node) -> Iterator[TestedFunction]:
    body = field(written, "body")
    members = [node for node in body.named_children if node.type == "method_definition"] if body is not None else []
    words = [(field(node, "name"), node) for node in members]
    named = [(text(word), node) for word, node in words if word is not None and word.type == "property_identifier"]
    constructor = next((node for name, node in named if name == "constructor"), None)
    for name, node in named:
        marks = {child.type for child in node.children}
        if name == "constructor" or "set" in marks:
            continue
        if "static" in marks:
            if "get" not in marks:
                yield TestedFunction(key, node, Reach.STATIC, name)
            continue
        yield TestedFunction(key, node, Reach.GETTER if "get" in marks else Reach.METHOD, name, constructor)

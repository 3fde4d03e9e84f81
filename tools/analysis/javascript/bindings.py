"""Names bound by declarations, and names visible to a piece of code."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from tools.analysis.javascript.tree import FUNCTIONS
from tools.analysis.syntax_tree import descendants, field, text

_NAMED = frozenset(("function_declaration", "generator_function_declaration", "class_declaration"))
_DECLARATIONS = frozenset(("lexical_declaration", "variable_declaration"))
_SCOPES = FUNCTIONS | {"program", "statement_block", "for_statement", "for_in_statement", "catch_clause", "class_body"}


def bound_names(declaration: Node) -> Iterator[Node]:
    """The identifiers that a declaration binds, patterns taken apart. Nothing for other nodes."""
    if declaration.type in _NAMED:
        name = field(declaration, "name")
        if name is not None:
            yield name
    elif declaration.type in _DECLARATIONS:
        for declarator in declaration.named_children:
            name = field(declarator, "name")
            if declarator.type == "variable_declarator" and name is not None:
                yield from names_in_pattern(name)


def names_in_pattern(pattern: Node) -> Iterator[Node]:
    """The identifiers that a parameter or destructuring pattern binds; default values bind none."""
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            yield pattern
        case "assignment_pattern" | "object_assignment_pattern":
            left = field(pattern, "left")
            if left is not None:
                yield from names_in_pattern(left)
        case "pair_pattern":
            value = field(pattern, "value")
            if value is not None:
                yield from names_in_pattern(value)
        case "object_pattern" | "array_pattern" | "rest_pattern" | "formal_parameters":
            for child in pattern.named_children:
                yield from names_in_pattern(child)
        case _:
            return


class Bindings:
    """Scopes of the names declared in a program. One set of names for each scope, `var` counted to its block."""

    def __init__(self, root: Node) -> None:
        self._of: dict[int, set[str]] = {}
        for node in (root, *descendants(root)):
            for name in bound_names(node):
                self._declare(node.parent, text(name))
            for name in _introduced(node):
                self._declare(node, text(name))

    def is_bound(self, name: str, at: Node) -> bool:
        """True if the code around `at` declares `name`, so that it is no global."""
        return self.binding_scope(name, at) is not None

    def binding_scope(self, name: str, at: Node) -> Node | None:
        """The innermost scope around `at` that declares `name`, None for a global."""
        scope: Node | None = at
        while scope is not None:
            if name in self._of.get(scope.id, ()):
                return scope
            scope = scope.parent
        return None

    def _declare(self, scope: Node | None, name: str) -> None:
        while scope is not None and scope.type not in _SCOPES:
            scope = scope.parent
        if scope is not None:
            self._of.setdefault(scope.id, set()).add(name)


def _introduced(node: Node) -> Iterator[Node]:
    """The names that a scope brings for itself: parameters, caught errors, loop variables; and imports."""
    if node.type in FUNCTIONS:
        patterns = (field(node, "parameters"), field(node, "parameter"))
    elif node.type == "catch_clause":
        patterns = (field(node, "parameter"), None)
    elif node.type == "for_in_statement" and field(node, "kind") is not None:
        patterns = (field(node, "left"), None)
    else:
        patterns = (None, None)
    for pattern in patterns:
        if pattern is not None:
            yield from names_in_pattern(pattern)
    if node.type == "import_clause":
        yield from (child for child in descendants(node) if child.type == "identifier")

"""Early errors of strict code: ES modules, and scripts that begin with `use strict`."""

from __future__ import annotations

import re

from tree_sitter import Node

from tools.analysis.javascript.bindings import bound_names
from tools.analysis.syntax_tree import field, text

RESERVED = frozenset(
    (
        "implements",
        "interface",
        "let",
        "package",
        "private",
        "protected",
        "public",
        "static",
        "yield",
        "eval",
        "arguments",
    )
)
_OCTAL = re.compile(r"0\d+")


def is_strict(root: Node) -> bool:
    """True if all of a program is strict."""
    statements = [node for node in root.named_children if node.type not in ("comment", "hash_bang_line")]
    if any(node.type in ("export_statement", "import_statement") for node in statements):
        return True
    first = text(statements[0]).rstrip("; \n") if statements else ""
    return first in ('"use strict"', "'use strict'")


def strict_error(node: Node) -> str | None:
    """Violation of strict mode, None if there is none."""
    match node.type:
        case "with_statement":
            return "Strict mode code may not include a with statement"
        case "number":
            return "Octal literals are not allowed in strict mode" if _OCTAL.fullmatch(text(node)) else None
        case "unary_expression":
            deleted = field(node, "argument") if node.children[0].type == "delete" else None
            is_name = deleted is not None and deleted.type == "identifier"
            return "Delete of an unqualified identifier in strict mode" if is_name else None
        case "assignment_expression" | "augmented_assignment_expression":
            left = field(node, "left")
            is_fixed = left is not None and text(left) in ("eval", "arguments")
            return "Unexpected eval or arguments in strict mode" if is_fixed else None
        case _:
            word = next((text(name) for name in bound_names(node) if text(name) in RESERVED), None)
            return f"Unexpected strict mode reserved word '{word}'" if word is not None else None

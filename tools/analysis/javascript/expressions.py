"""Early errors of expressions: operators that may not be mixed, targets that nothing can be assigned to, literals."""

from __future__ import annotations

import re
from itertools import pairwise

from tree_sitter import Node

from tools.analysis.syntax_tree import field, text

ASSIGNABLE = frozenset(
    ("identifier", "member_expression", "subscript_expression", "object_pattern", "array_pattern", "object", "array",
     "parenthesized_expression", "undefined")
)  # fmt: skip
_CHAINED = frozenset(("member_expression", "subscript_expression", "call_expression"))
_UNFINISHED = frozenset(("unary_expression", "await_expression"))
_FLAGS = frozenset("dgimsuvy")
_LEGACY_BIGINT = re.compile(r"0\d+n")
_NAMELESS = re.compile(r"(async\s+)?function\b|class\b")


def expression_error(node: Node) -> str | None:
    """Error in this expression itself, None if correct and for other nodes."""
    match node.type:
        case "assignment_expression" | "augmented_assignment_expression":
            return _target(field(node, "left"))
        case "update_expression":
            return _target(field(node, "argument"))
        case "binary_expression":
            return _operands(node)
        case "new_expression":
            return "Invalid optional chain from new expression" if _is_optional(field(node, "constructor")) else None
        case "arguments":
            return _commas(node)
        case "call_expression":
            return _called(field(node, "function"))
        case "arrow_function":
            return _arrow(node)
        case "regex":
            return _regular_expression(node)
        case "number":
            return "A BigInt has no leading zero" if _LEGACY_BIGINT.fullmatch(text(node)) else None
        case "identifier":
            return f"Unexpected reserved word '{text(node)}'" if text(node) in ("enum", "export", "import") else None
        case "expression_statement":
            return "A statement needs a name here" if _NAMELESS.match(text(node)) else None
        case "for_in_statement":
            return _iterated(node)
        case "jsx_element" | "jsx_self_closing_element":
            return "JSX is no JavaScript: it has to be compiled first"
        case "decorator":
            return "Decorators are not part of the language yet: they have to be compiled first"
        case _:
            return None


def _target(left: Node | None) -> str | None:
    if left is not None and left.type == "parenthesized_expression":
        inner = left.named_children[0] if left.named_children else None
        if inner is not None and inner.type in ("object", "array", "object_pattern", "array_pattern"):
            return "Invalid destructuring assignment target"
    if left is None or (left.type in ASSIGNABLE and not _is_optional(left)):
        return None
    return "Invalid left-hand side in assignment"


def _is_optional(chain: Node | None) -> bool:
    """True if `?.` occurs in a chain of members, subscripts and calls."""
    while chain is not None and chain.type in _CHAINED:
        if any(child.type == "optional_chain" for child in chain.children):
            return True
        chain = field(chain, "object") or field(chain, "function")
    return False


def _operands(node: Node) -> str | None:
    operator = _operator(node)
    left, right = field(node, "left"), field(node, "right")
    if operator == "**" and left is not None and left.type in _UNFINISHED:
        return "Unary operator used immediately before **: parentheses must say what is meant"
    for side in (left, right):
        inner = _operator(side) if side is not None and side.type == "binary_expression" else ""
        if (operator == "??" and inner in ("||", "&&")) or (operator in ("||", "&&") and inner == "??"):
            return f"{operator} and {inner} may not be mixed without parentheses"
    return None


def _operator(node: Node) -> str:
    operator = field(node, "operator")
    return operator.type if operator is not None else ""


def _commas(arguments: Node) -> str | None:
    kinds = [child.type for child in arguments.children if child.type != "comment"]
    missing = any(one in ("(", ",") and other == "," for one, other in pairwise(kinds))
    return "Unexpected token ',': an argument is missing" if missing else None


def _called(function: Node | None) -> str | None:
    if function is None or function.type != "arrow_function":
        return None
    return "An arrow function must be in parentheses to be called"


def _arrow(node: Node) -> str | None:
    before: Node | None = None
    for child in node.children:
        if child.type == "=>" and before is not None and child.start_point.row > before.end_point.row:
            return "Unexpected line break before =>"
        before = child
    return None


def _regular_expression(node: Node) -> str | None:
    pattern, flags = field(node, "pattern"), field(node, "flags")
    given = text(flags) if flags is not None else ""
    if len(set(given)) != len(given) or not set(given) <= _FLAGS or {"u", "v"} <= set(given):
        return f"Invalid regular expression flags '{given[:20]}'"
    if pattern is not None and "v" not in given and not _is_balanced(text(pattern)):
        return "Invalid regular expression: groups and classes must be closed"
    return None


def _is_balanced(pattern: str) -> bool:
    depth, in_class = 0, False
    for part in re.findall(r"\\.|.", pattern, re.DOTALL):
        if in_class:
            in_class = part != "]"
        elif part == "[":
            in_class = True
        elif part in ("(", ")"):
            depth += 1 if part == "(" else -1
            if depth < 0:
                return False
    return depth == 0 and not in_class


def _iterated(node: Node) -> str | None:
    right = field(node, "right")
    is_of = any(child.type == "of" for child in node.children)
    return (
        "Unexpected token ',' after the value of for-of"
        if is_of and right and right.type == "sequence_expression"
        else None
    )

"""Early errors: code that fits the grammar and that engines still refuse to compile (ECMA-262, "Static Semantics")."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from tools.analysis.javascript.bindings import bound_names
from tools.analysis.javascript.tree import FUNCTIONS, LOOPS
from tools.analysis.problems import Problem, problem
from tools.analysis.syntax_tree import ancestors, descendants, field, text

BLOCKS = frozenset(("program", "statement_block", "class_static_block", "switch_body"))
LEXICAL = frozenset(("lexical_declaration", "class_declaration"))
ASSIGNABLE = frozenset(
    (
        "identifier",
        "member_expression",
        "subscript_expression",
        "object_pattern",
        "array_pattern",
        "object",
        "array",
        "parenthesized_expression",
        "undefined",
    )
)


def early_errors(root: Node, source: bytes) -> Iterator[Problem]:
    """The early errors below `root`, which has no grammar errors."""
    yield from _repeated_declarations(root, source)
    for node in descendants(root):
        message = _message(node)
        if message is not None:
            yield problem(node, source, "early-error", message)
        if node.type in BLOCKS:
            yield from _repeated_declarations(node, source)


def _message(node: Node) -> str | None:
    match node.type:
        case "variable_declarator":
            return _uninitialised(node)
        case "return_statement":
            return None if _inside(node, FUNCTIONS) else "Illegal return statement: not in a function"
        case "break_statement":
            return _jump(node, LOOPS | {"switch_statement"}, "break")
        case "continue_statement":
            return _jump(node, LOOPS, "continue")
        case "assignment_expression" | "augmented_assignment_expression":
            return _target(field(node, "left"))
        case "update_expression":
            return _target(field(node, "argument"))
        case "await_expression":
            return _outside_async(node)
        case _:
            return None


def _uninitialised(node: Node) -> str | None:
    """`const x;` and a pattern without value, except in the head of for-in and for-of."""
    declaration = node.parent
    if declaration is None or field(node, "value") is not None:
        return None
    if declaration.parent is not None and declaration.parent.type == "for_in_statement":
        return None
    name = field(node, "name")
    if name is not None and name.type in ("object_pattern", "array_pattern"):
        return "Missing initializer in destructuring declaration"
    if declaration.type == "lexical_declaration" and text(declaration).startswith("const"):
        return "Missing initializer in const declaration"
    return None


def _jump(node: Node, targets: frozenset[str], word: str) -> str | None:
    label = field(node, "label")
    for above in ancestors(node):
        if above.type in FUNCTIONS:
            break
        if label is None and above.type in targets:
            return None
        if label is not None and above.type == "labeled_statement" and text(above.children[0]) == text(label):
            return None
    return f"Undefined label '{text(label)}'" if label is not None else f"Illegal {word} statement"


def _target(left: Node | None) -> str | None:
    if left is None or left.type in ASSIGNABLE:
        return None
    return "Invalid left-hand side in assignment"


def _outside_async(node: Node) -> str | None:
    """`await` needs an async function, or the top level of a module."""
    for above in ancestors(node):
        if above.type in FUNCTIONS:
            is_async = any(child.type == "async" for child in above.children)
            return None if is_async else "await is only valid in async functions and the top level of modules"
    return None


def _inside(node: Node, kinds: frozenset[str]) -> bool:
    return any(above.type in kinds for above in ancestors(node))


def _repeated_declarations(block: Node, source: bytes) -> Iterator[Problem]:
    """Names that `let`, `const` or `class` declare twice in a block, or beside a `var` or function of it."""
    if block.type not in BLOCKS:
        return
    lexical: set[str] = set()
    others: set[str] = set()
    for statement in _statements(block):
        declared = statement.children[-1] if statement.type == "export_statement" else statement
        declared = field(statement, "declaration") or declared
        is_lexical = declared.type in LEXICAL
        if not is_lexical and declared.type not in ("variable_declaration", "function_declaration"):
            continue
        for name in bound_names(declared):
            word = text(name)
            if word in lexical or (is_lexical and word in others):
                yield problem(name, source, "early-error", f"Identifier '{word}' has already been declared")
            (lexical if is_lexical else others).add(word)


def _statements(block: Node) -> Iterator[Node]:
    for child in block.named_children:
        if child.type in ("switch_case", "switch_default"):
            yield from child.named_children
        else:
            yield child

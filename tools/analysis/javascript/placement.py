"""Early errors of place: what may stand only in functions, classes, blocks or at the top of a module."""

from __future__ import annotations

from tree_sitter import Node

from tools.analysis.javascript.tree import FUNCTIONS, LOOPS
from tools.analysis.syntax_tree import ancestors, field, text

_OWNERS = LOOPS | {"if_statement", "else_clause", "labeled_statement", "with_statement"}
_CLASS_CODE = frozenset(("field_definition", "class_static_block"))
_WITH_THIS = (FUNCTIONS - {"arrow_function"}) | _CLASS_CODE


def placement_error(node: Node) -> str | None:
    """Error in the placement of this node, None if correct."""
    match node.type:
        case "return_statement":
            return None if _inside(node, FUNCTIONS) else "Illegal return statement: not in a function"
        case "break_statement":
            return _jump(node, LOOPS | {"switch_statement"}, "break")
        case "continue_statement":
            return _jump(node, LOOPS, "continue")
        case "labeled_statement":
            return _label(node)
        case "await_expression":
            return _outside_async(node)
        case "yield_expression":
            return _outside_generator(node)
        case "import_statement" | "export_statement":
            is_top = node.parent is not None and node.parent.type == "program"
            return (
                None
                if is_top
                else f"{node.type.removesuffix('_statement')} may only stand at the top level of a module"
            )
        case "meta_property":
            around = _owner(node)
            return "new.target is only allowed in functions" if text(node) == "new.target" and around is None else None
        case "super":
            return _super(node)
        case "private_property_identifier":
            return _private(node)
        case "lexical_declaration" | "class_declaration" | "function_declaration" | "generator_function_declaration":
            return _declaration(node)
        case _:
            return None


def _inside(node: Node, kinds: frozenset[str]) -> bool:
    return any(above.type in kinds for above in ancestors(node))


def _owner(node: Node) -> Node | None:
    """The function, or the code of a class, whose `this` an expression has."""
    return next((above for above in ancestors(node) if above.type in _WITH_THIS), None)


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


def _label(node: Node) -> str | None:
    name = text(node.children[0])
    for above in ancestors(node):
        if above.type in FUNCTIONS:
            break
        if above.type == "labeled_statement" and text(above.children[0]) == name:
            return f"Label '{name}' has already been declared"
    return None


def _outside_async(node: Node) -> str | None:
    """`await` needs an async function, or the top level of a module."""
    for above in ancestors(node):
        if above.type in FUNCTIONS:
            is_async = any(child.type == "async" for child in above.children)
            return None if is_async else "await is only valid in async functions and the top level of modules"
    return None


def _outside_generator(node: Node) -> str | None:
    """Without an argument, `yield` is a name in sloppy code."""
    function = next((above for above in ancestors(node) if above.type in FUNCTIONS), None)
    is_generator = function is not None and any(child.type == "*" for child in function.children)
    return "yield is only valid in generators" if node.named_children and not is_generator else None


def _super(node: Node) -> str | None:
    around = _owner(node)
    if around is None or (around.type != "method_definition" and around.type not in _CLASS_CODE):
        return "'super' keyword unexpected here: not in a method"
    is_call = node.parent is not None and node.parent.type == "call_expression"
    if not is_call:
        return None
    name, body = field(around, "name"), around.parent
    holder = body.parent if body is not None else None
    derived = holder is not None and any(child.type == "class_heritage" for child in holder.children)
    is_constructor = around.type == "method_definition" and name is not None and text(name) == "constructor"
    return None if is_constructor and derived else "super() is only valid in constructors of derived classes"


def _private(node: Node) -> str | None:
    if node.parent is not None and node.parent.type in ("field_definition", "method_definition"):
        return None
    for above in ancestors(node):
        if above.type == "class_body" and text(node) in _private_names(above):
            return None
    return f"Private field '{text(node)}' must be declared in an enclosing class"


def _private_names(body: Node) -> set[str]:
    named = (field(member, "property") or field(member, "name") for member in body.named_children)
    return {text(name) for name in named if name is not None and name.type == "private_property_identifier"}


def _declaration(node: Node) -> str | None:
    """Declarations need a block around them; only plain functions may follow an `if` or a label."""
    parent = node.parent
    if parent is None or parent.type not in _OWNERS:
        return None
    if parent.type == "for_statement" and field(parent, "body") != node:
        return None
    is_plain = node.type == "function_declaration" and not any(child.type == "async" for child in node.children)
    if is_plain and parent.type in ("if_statement", "else_clause", "labeled_statement"):
        return None
    return "A declaration needs a block here"

"""Early errors of names: declared twice, reserved, or in numbers that their place does not allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tree_sitter import Node

from tools.analysis.javascript.bindings import bound_names, names_in_pattern
from tools.analysis.javascript.tree import FUNCTIONS
from tools.analysis.problems import Problem, problem
from tools.analysis.syntax_tree import descendants, field, text

BLOCKS = frozenset(("program", "statement_block", "class_static_block", "switch_body"))
LEXICAL = frozenset(("lexical_declaration", "class_declaration"))
_IMPORTING = ("import_clause", "namespace_import")
_PARAMETERS = frozenset(("identifier", "comment"))


def declaration_error(node: Node) -> str | None:
    """Error in a declaration itself, None if correct and for other nodes."""
    match node.type:
        case "variable_declarator":
            return _uninitialised(node)
        case "formal_parameters":
            return _parameters(node)
        case "method_definition":
            return _accessor(node)
        case "class_body":
            return _members(node)
        case "switch_body":
            defaults = sum(child.type == "switch_default" for child in node.children)
            return "More than one default clause in switch statement" if defaults > 1 else None
        case _:
            return None


def repeated_declarations(block: Node, source: bytes) -> Iterator[Problem]:
    """Names that `let`, `const`, `class` or an import declare twice in a block, or together with a `var`, a function or
    a parameter of it; and exports of one name.
    """
    if block.type not in BLOCKS:
        return
    lexical: set[str] = set()
    others = _introduced(block)
    for statement in _statements(block):
        declared = statement.children[-1] if statement.type == "export_statement" else statement
        declared = field(statement, "declaration") or declared
        is_lexical = declared.type in LEXICAL or declared.type == "import_statement"
        if not is_lexical and declared.type not in ("variable_declaration", "function_declaration"):
            continue
        for name in _imported(declared) if declared.type == "import_statement" else bound_names(declared):
            word = text(name)
            if word == "let" and is_lexical:
                yield problem(name, source, "early-error", "let is disallowed as a lexically bound name")
            if word in lexical or (is_lexical and word in others):
                yield problem(name, source, "early-error", f"Identifier '{word}' has already been declared")
            # A parameter may be declared again by `var` and by functions, which is why only lexical names meet it.
            (lexical if is_lexical else others).add(word)


def _introduced(block: Node) -> set[str]:
    """Parameters and caught errors, which the block may not declare lexically again."""
    around = block.parent
    if around is None or field(around, "body") != block:
        return set()
    if around.type in FUNCTIONS:
        patterns = (field(around, "parameters"), field(around, "parameter"))
    elif around.type == "catch_clause":
        patterns = (field(around, "parameter"), None)
    else:
        return set()
    return {text(name) for pattern in patterns if pattern is not None for name in names_in_pattern(pattern)}


def _imported(statement: Node) -> Iterator[Node]:
    for node in descendants(statement):
        if node.type == "import_specifier":
            name = field(node, "alias") or field(node, "name")
            if name is not None:
                yield name
        elif node.type == "identifier" and node.parent is not None and node.parent.type in _IMPORTING:
            yield node


def _statements(block: Node) -> Iterator[Node]:
    for child in block.named_children:
        if child.type in ("switch_case", "switch_default"):
            yield from child.named_children
        else:
            yield child


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


def _parameters(node: Node) -> str | None:
    patterns = [child for child in node.named_children if child.type != "comment"]
    if any(pattern.type == "rest_pattern" for pattern in patterns[:-1]):
        return "Rest parameter must be last formal parameter"
    repeats = _repeats(text(name) for pattern in patterns for name in names_in_pattern(pattern))
    is_simple = all(pattern.type in _PARAMETERS for pattern in patterns)
    if repeats and not (is_simple and _is_lenient(node.parent)):
        return f"Duplicate parameter name '{repeats[0]}' not allowed in this context"
    return None


def _is_lenient(function: Node | None) -> bool:
    """True if a function may have two parameters of one name, as only plain sloppy ones do."""
    if function is None or function.type not in ("function_declaration", "function_expression"):
        return False
    body = field(function, "body")
    first = body.named_children[0] if body is not None and body.named_children else None
    return first is None or text(first).rstrip("; \n") not in ('"use strict"', "'use strict'")


def _accessor(node: Node) -> str | None:
    words = {child.type for child in node.children}
    parameters = field(node, "parameters")
    count = len([each for each in parameters.named_children if each.type != "comment"]) if parameters is not None else 0
    if "get" in words and count:
        return "Getter must not have any formal parameters"
    return "Setter must have exactly one formal parameter" if "set" in words and count != 1 else None


def _members(body: Node) -> str | None:
    methods = [member for member in body.named_children if member.type == "method_definition"]
    constructors = 0
    for method in methods:
        name, words = field(method, "name"), {child.type for child in method.children}
        if name is None or name.type != "property_identifier":
            continue
        if "static" in words:
            if text(name) == "prototype":
                return "Classes may not have a static property named 'prototype'"
        elif text(name) == "constructor":
            if words & {"get", "set", "async", "*"}:
                return "Class constructor may not be an accessor, async or a generator"
            constructors += 1
    if constructors > 1:
        return "A class may only have one constructor"
    repeats = _repeats(_private_keys(body))
    return f"Identifier '{repeats[0].split()[-1]}' has already been declared" if repeats else None


def _private_keys(body: Node) -> Iterator[str]:
    """Each private name with what it is; a getter and a setter may share one."""
    for member in body.named_children:
        name = field(member, "property") or field(member, "name")
        if name is not None and name.type == "private_property_identifier":
            words = {child.type for child in member.children} & {"get", "set"}
            if words:
                yield f"{words.pop()} {text(name)}"
            else:
                yield from (f"get {text(name)}", f"set {text(name)}")


def _repeats(words: Iterator[str]) -> list[str]:
    return [word for word, count in Counter(words).items() if count > 1]

"""The code under test as one expression that gives an object of its functions, whatever its module system."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from tools.analysis.javascript.strict_mode import is_strict
from tools.analysis.javascript.tree import FUNCTIONS, parse
from tools.analysis.syntax_tree import ancestors, descendants, field, text
from tools.analysis.test_generator.tested import DEFAULT, TestedFunction, local_names, tested_functions
from tools.errors import ErrorCode, ToolError

OPENING = "(() => {\n"
STRICT = '"use strict";\n'
MODULE = "const module = { exports: {} };\nconst exports = module.exports;\n"


@dataclass(frozen=True, slots=True)
class Subject:
    """`opening`, `body` and `ending` are together JavaScript that evaluates to the functions by name. `body` is the
    given code but for its export keywords, and `root` the tree of it."""

    opening: str
    body: str
    ending: str
    root: Node
    functions: tuple[TestedFunction, ...]

    @property
    def expression(self) -> str:
        return self.opening + self.body + self.ending


def subject_of(code: str) -> Subject:
    """Prepare `code`, which has no syntax errors. Raises `ToolError` for what cannot be executed on its own."""
    given = parse(code)
    _refuse_imports(given)
    _refuse_top_level_await(given)
    _refuse_a_second_default(given)
    opening = f"{OPENING}{STRICT if is_strict(given) else ''}{MODULE}"
    body, default = _without_exports(code)
    root = parse(body)
    functions = tuple(tested_functions(root))
    local = local_names(root)
    names = ", ".join(dict.fromkeys(function.key for function in functions if function.key in local))
    exported = f"typeof module.exports === 'function' ? {{ ...module.exports, {DEFAULT}: module.exports }}"
    ending = f"\nreturn {{ ...({exported} : module.exports), {names} }};\n}})()"
    if default is not None:
        ending = f"\nreturn {{ {DEFAULT}: {default}, {names} }};\n}})()"
    return Subject(opening, body, ending, root, functions)


def _refuse_imports(root: Node) -> None:
    for node in descendants(root):
        called = field(node, "function") if node.type == "call_expression" else None
        loads = called is not None and (called.type == "import" or text(called) == "require")
        if node.type == "import_statement" or loads or (node.type == "export_statement" and field(node, "source")):
            line = node.start_point.row + 1
            raise ToolError(
                ErrorCode.INVALID_INPUT,
                f"line {line} loads another module: tests are made for code that needs nothing but itself",
            )


def _refuse_top_level_await(root: Node) -> None:
    for node in descendants(root):
        waits = node.type == "await_expression" or (node.type == "for_in_statement" and _has_await(node))
        if waits and not any(above.type in FUNCTIONS for above in ancestors(node)):
            line = node.start_point.row + 1
            raise ToolError(
                ErrorCode.INVALID_INPUT, f"line {line} awaits outside of a function, which tests cannot load"
            )


def _refuse_a_second_default(root: Node) -> None:
    exports = [node for node in root.named_children if node.type == "export_statement"]
    defaults = [node for node in exports if any(child.type == "default" for child in node.children)]
    if len(defaults) > 1:
        line = defaults[1].start_point.row + 1
        raise ToolError(ErrorCode.INVALID_INPUT, f"line {line} exports a second default: a module has one")


def _has_await(loop: Node) -> bool:
    return any(child.type == "await" for child in loop.children)


def _without_exports(code: str) -> tuple[str, str | None]:
    """The code as it may stand in a function: declarations stay, `export` goes. Also what the default export is called.

    Every removed character becomes a space, so that lines and columns stay what they are.
    """
    source = bytearray(code.encode("utf-8", "surrogatepass"))
    default: str | None = None
    for statement in parse(code).named_children:
        if statement.type == "hash_bang_line":
            _blank(source, statement.start_byte, statement.end_byte)
        if statement.type != "export_statement":
            continue
        declaration, value = field(statement, "declaration"), field(statement, "value")
        is_default = any(child.type == "default" for child in statement.children)
        kept = declaration or value
        if kept is None:
            _blank(source, statement.start_byte, statement.end_byte)
            continue
        name = field(kept, "name")
        if is_default and name is not None and kept.type in FUNCTIONS | {"class_declaration", "class"}:
            _blank(source, statement.start_byte, kept.start_byte)
            default = text(name)
        elif is_default:
            keyword = f"const {DEFAULT} = ".encode()
            start, end = statement.start_byte, kept.start_byte
            source[start:end] = keyword.ljust(end - start)
            return _rest(source, default=DEFAULT)
        else:
            _blank(source, statement.start_byte, kept.start_byte)
    return source.decode("utf-8", "surrogatepass"), default


def _rest(source: bytearray, default: str) -> tuple[str, str | None]:
    """Continue after `export default value`, whose replacement may have moved what follows it."""
    body, _ = _without_exports(source.decode("utf-8", "surrogatepass"))
    return body, default


def _blank(source: bytearray, start: int, end: int) -> None:
    for at in range(start, end):
        if source[at] not in b"\r\n":
            source[at] = 0x20

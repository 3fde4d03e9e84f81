"""The code under test as one expression that gives an object of its functions, whatever its module system."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from tools.analysis.javascript.tree import FUNCTIONS, parse
from tools.analysis.syntax_tree import descendants, field, text
from tools.errors import ErrorCode, ToolError

OPENING = "(() => {\nconst module = { exports: {} };\nconst exports = module.exports;\n"
DEFAULT = "defaultExport"


@dataclass(frozen=True, slots=True)
class TestedFunction:
    """A function that tests can reach as `name`; `node` holds its parameters and body."""

    name: str
    node: Node

    @property
    def parameters(self) -> tuple[Node, ...]:
        single, several = field(self.node, "parameter"), field(self.node, "parameters")
        if single is not None:
            return (single,)
        return tuple(several.named_children) if several is not None else ()


@dataclass(frozen=True, slots=True)
class Subject:
    """`expression` is JavaScript that evaluates to the functions by name. `body` stands in it from `offset`, counted in
    UTF-16 code units as V8 does; it is the given code but for its export keywords. `root` is the tree of `body`."""

    expression: str
    body: str
    offset: int
    root: Node
    functions: tuple[TestedFunction, ...]


def subject_of(code: str) -> Subject:
    """Prepare `code`, which has no syntax errors. Raises `ToolError` for what cannot be executed on its own."""
    _refuse_imports(parse(code))
    body, default = _without_exports(code)
    root = parse(body)
    functions = tuple(_functions(root))
    names = ", ".join(function.name for function in functions)
    given = f"typeof module.exports === 'function' ? {{ {DEFAULT}: module.exports }} : module.exports"
    ending = f"\nreturn {{ ...({given}), {names} }};\n}})()"
    if default is not None:
        ending = f"\nreturn {{ {DEFAULT}: {default}, {names} }};\n}})()"
    return Subject(f"{OPENING}{body}{ending}", body, len(OPENING), root, functions)


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


def _without_exports(code: str) -> tuple[str, str | None]:
    """The code as it may stand in a function: declarations stay, `export` goes. Also what the default export is called.

    Every removed character becomes a space, so that lines and columns stay what they are.
    """
    source = bytearray(code.encode("utf-8", "surrogatepass"))
    default: str | None = None
    for statement in parse(code).named_children:
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
    """Go on after `export default value`, whose replacement may have moved what follows it."""
    body, _ = _without_exports(source.decode("utf-8", "surrogatepass"))
    return body, default


def _blank(source: bytearray, start: int, end: int) -> None:
    for at in range(start, end):
        if source[at] not in b"\r\n":
            source[at] = 0x20


def _functions(root: Node) -> list[TestedFunction]:
    """Functions declared at the top level, and constants that hold one."""
    found: dict[str, TestedFunction] = {}
    for statement in root.named_children:
        if statement.type in FUNCTIONS:
            name = field(statement, "name")
            if name is not None:
                found[text(name)] = TestedFunction(text(name), statement)
        elif statement.type in ("lexical_declaration", "variable_declaration"):
            for declarator in statement.named_children:
                name, value = field(declarator, "name"), field(declarator, "value")
                if name is not None and name.type == "identifier" and value is not None and value.type in FUNCTIONS:
                    found[text(name)] = TestedFunction(text(name), value)
    return list(found.values())

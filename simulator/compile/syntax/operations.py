"""The operations of a source that a developer could have written otherwise: what mutants are made from.

Taken from the syntax tree while it is there, and kept in few bytes beside the source: where an operation stands, what
it does, and in which function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from simulator.compile.syntax.ast import Node, children
from simulator.compile.syntax.late_reads import late_reads

OperationKind = Literal[
    "arithmetic", "comparison", "logic", "not", "increment", "assignment", "delete", "literal", "if", "loop",
    "ternary", "require", "call", "read",
]  # fmt: skip
Range = tuple[int, int]
"""Offset and length in bytes."""

MAX_OPERATIONS = 50_000
_ARITHMETIC = frozenset(("+", "-", "*", "/", "%", "**", "<<", ">>", "&", "|", "^"))
_COMPARISON = frozenset(("<", ">", "<=", ">=", "==", "!="))
_LOOPS = frozenset(("ForStatement", "WhileStatement", "DoWhileStatement"))
_RATIONAL = re.compile(r"t_rational_(minus_)?(\d+)_by_1$")
_NUMBER_TYPE = re.compile(r"t_(u?int\d+)$")
_SOURCE = re.compile(r"(\d{1,9}):(\d{1,9})(?::|$)")
_WITHOUT_EFFECT = frozenset(("EmitStatement", "RevertStatement", "InlineAssembly", "StructuredDocumentation"))
"""Arguments of events and errors, which no property can read, and assembly, which has a language of its own."""


class Operation(msgspec.Struct, frozen=True, array_like=True):
    """`operator` is as in the source: of a compound assignment with its `=`; of a call `call` (low level), `transfer`,
    `send`, `value` (with a value) or empty. `type` is that of the operands, such as `uint256`, empty for others than
    numbers. A `read` is one of storage, after a write to the same place. `parts` are the ranges of operands, or of the
    condition. `function` and `contract` are plain names. `value` is the number of a literal, in decimal; of a call 1
    where it returns one word that is used, `unused` where that is not, and 0 where it returns nothing or other values.
    """

    kind: OperationKind
    start: int
    length: int
    operator: str
    type: str
    parts: tuple[Range, ...]
    checked: bool
    function: str
    contract: str
    value: str = ""

    @property
    def range(self) -> Range:
        return self.start, self.length


def pack_operations(tree: Node, *, checked: bool) -> bytes:
    """The operations of one source unit. `checked`: arithmetic panics on overflow outside of `unchecked`."""
    finder = _Finder(checked, {_range(node) for node in late_reads(tree)})
    for definition in children(tree):
        finder.visit_definition(definition)
    return msgspec.msgpack.encode(finder.found[:MAX_OPERATIONS])


def unpack_operations(data: bytes) -> tuple[Operation, ...]:
    """Unpack the bytes of `pack_operations`; nothing of a source without a tree. Raises `msgspec.DecodeError`."""
    return msgspec.msgpack.decode(data, type=tuple[Operation, ...]) if data else ()


class _Finder:
    def __init__(self, checked: bool, late: set[Range]) -> None:
        self.found: list[Operation] = []
        self._late = late
        self._checked = checked
        self._contract = ""
        self._function = ""
        self._returned = ""
        self._unused: set[Range] = set()

    def visit_definition(self, node: Node) -> None:
        """A node directly below the source unit."""
        if node.get("nodeType") != "ContractDefinition":
            self._visit_member(node)
            return
        self._contract = str(node.get("name", ""))
        for member in children(node):
            self._visit_member(member)
        self._contract = ""

    def _visit_member(self, node: Node) -> None:
        kind = node.get("nodeType")
        if kind in ("FunctionDefinition", "ModifierDefinition"):
            self._function = str(node.get("name") or node.get("kind") or "")
            body = node.get("body")
            if isinstance(body, dict):
                self._returned = _returned_type(node)
                self._walk(body)
        elif kind == "VariableDeclaration":
            self._function = str(node.get("name", ""))
            if isinstance(value := node.get("value"), dict):
                self._walk(value, _type_of(node))
        self._function = ""

    def _walk(self, root: Node, expected: str = "") -> None:
        """Iterative: trees of any depth are walked."""
        pending: list[tuple[Node, str, bool]] = [(root, expected, self._checked)]
        while pending:
            node, wanted, checked = pending.pop()
            kind = node.get("nodeType", "")
            if kind in _WITHOUT_EFFECT or kind.endswith("TypeName"):
                continue
            if (value := _number(node)) is not None:
                self._add("literal", node, "", wanted, (), checked, value)
                continue
            if kind == "ExpressionStatement" and isinstance(node.get("expression"), dict):
                self._unused.add(_range(node["expression"]))
            self._look_at(node, kind, checked)
            inner = checked and kind != "UncheckedBlock"
            pending.extend((child, wanted, inner) for child, wanted in reversed(list(self._below(node, kind))))

    def _below(self, node: Node, kind: str) -> Iterator[tuple[Node, str]]:
        """Yield the nodes below a node, each with the type of number that is expected there."""
        if kind == "FunctionCall":
            name = _called(node)
            arguments = [each for each in node.get("arguments") or () if isinstance(each, dict)]
            if isinstance(node.get("expression"), dict):
                yield node["expression"], ""
            yield from ((each, "") for each in (arguments[:1] if name in ("require", "assert") else arguments))
            return
        expected = ""
        if kind == "BinaryOperation":
            expected = _identifier_type(node.get("commonType"))
        elif kind == "Assignment":
            expected = _type_of(node.get("leftHandSide"))
        elif kind == "Return":
            expected = self._returned
        elif kind == "VariableDeclarationStatement":
            declared = [each for each in node.get("declarations") or () if isinstance(each, dict)]
            expected = _type_of(declared[0]) if len(declared) == 1 else ""
        elif kind in ("TupleExpression", "Conditional", "UnaryOperation"):
            expected = _type_of(node)
        shifts = kind == "BinaryOperation" and node.get("operator") in ("<<", ">>", "**")
        for child in children(node):
            yield child, "" if shifts and child is node.get("rightExpression") else expected

    def _look_at(self, node: Node, kind: str, checked: bool) -> None:
        match kind:
            case "BinaryOperation":
                self._binary(node, checked)
            case "UnaryOperation":
                self._unary(node, checked)
            case "Assignment":
                operator, type_ = str(node.get("operator", "=")), _type_of(node.get("leftHandSide"))
                parts = _ranges(node.get("leftHandSide"), node.get("rightHandSide"))
                self._add("assignment", node, operator, type_, parts, checked)
            case "IfStatement":
                self._add("if", node, "", "", _ranges(node.get("condition")), checked)
            case "Conditional":
                parts = _ranges(node.get("condition"), node.get("trueExpression"), node.get("falseExpression"))
                self._add("ternary", node, "", "", parts, checked)
            case "FunctionCall":
                self._call(node, checked)
            case "Identifier" | "IndexAccess" | "MemberAccess" if _range(node) in self._late:
                self._add("read", node, "", "", (), checked)
            case _ if kind in _LOOPS and node.get("condition") is not None:
                self._add("loop", node, "", "", _ranges(node.get("condition")), checked)

    def _binary(self, node: Node, checked: bool) -> None:
        operator = str(node.get("operator", ""))
        parts = _ranges(node.get("leftExpression"), node.get("rightExpression"))
        type_ = _identifier_type(node.get("commonType"))
        if operator in _ARITHMETIC and type_:
            self._add("arithmetic", node, operator, type_, parts, checked)
        elif operator in _COMPARISON:
            self._add("comparison", node, operator, type_, parts, checked)
        elif operator in ("&&", "||"):
            self._add("logic", node, operator, "", parts, checked)

    def _unary(self, node: Node, checked: bool) -> None:
        operator, parts = str(node.get("operator", "")), _ranges(node.get("subExpression"))
        if operator == "!":
            self._add("not", node, operator, "", parts, checked)
        elif operator in ("++", "--"):
            side = "prefix" if node.get("prefix") else "postfix"
            self._add("increment", node, operator, _type_of(node), parts, checked, side)
        elif operator == "delete":
            self._add("delete", node, operator, "", parts, checked)

    def _call(self, node: Node, checked: bool) -> None:
        name = _called(node)
        arguments = [each for each in node.get("arguments") or () if isinstance(each, dict)]
        if name == "require" and arguments:
            self._add("require", node, "", "", _ranges(arguments[0]), checked)
            return
        expression = node.get("expression") or {}
        identifier = str((expression.get("typeDescriptions") or {}).get("typeIdentifier", ""))
        if not identifier.startswith("t_function_"):
            return
        form = identifier.removeprefix("t_function_").partition("_")[0]
        has_value = "value" in (expression.get("names") or ()) or identifier.endswith("value") or "value_" in form
        if form in ("transfer", "send"):
            self._add("call", node, form, "", (), checked)
        elif form.startswith("bare"):
            self._add("call", node, "call value" if has_value else "call", "", (), checked)
        elif form == "external":
            words = "unused" if _range(node) in self._unused and _static_words(node) else str(_static_words(node))
            self._add("call", node, "value" if has_value else "", "", (), checked, words)

    def _add(
        self,
        kind: OperationKind,
        node: Node,
        operator: str,
        type_: str,
        parts: tuple[Range, ...],
        checked: bool,
        value: str = "",
    ) -> None:
        start, length = _range(node)
        if length > 0:
            operation = Operation(
                kind, start, length, operator, type_, parts, checked, self._function, self._contract, value
            )
            self.found.append(operation)


def _called(node: Node) -> str:
    expression = node.get("expression")
    return str(expression.get("name", "")) if isinstance(expression, dict) else ""


def _number(node: Node) -> str | None:
    """The value of an expression that is a constant number for the compiler; 0 or 1 for a truth value."""
    if node.get("nodeType") == "Literal" and node.get("kind") == "bool":
        return "true" if node.get("value") == "true" else "false"
    match = _RATIONAL.match(_identifier(node))
    return ("-" if match[1] else "") + match[2] if match else None


def _identifier(node: object) -> str:
    described = node.get("typeDescriptions") if isinstance(node, dict) else None
    return str(described.get("typeIdentifier", "")) if isinstance(described, dict) else ""


def _type_of(node: object) -> str:
    match = _NUMBER_TYPE.match(_identifier(node))
    return match[1] if match else ""


def _identifier_type(described: object) -> str:
    match = _NUMBER_TYPE.match(str(described.get("typeIdentifier", ""))) if isinstance(described, dict) else None
    return match[1] if match else ""


def _returned_type(function: Node) -> str:
    parameters: list[Any] = (function.get("returnParameters") or {}).get("parameters") or []
    return _type_of(parameters[0]) if len(parameters) == 1 else ""


_WORD_TYPE = re.compile(r"t_(u?int\d+|bool|address(_payable)?|bytes\d+|enum\$.*|contract\$.*)$")


def _static_words(node: Node) -> int:
    """The number of words that a call returns, 0 where it returns nothing or values of other sizes."""
    identifier = _identifier(node)
    if identifier.startswith("t_tuple$"):
        return 0
    return 1 if _WORD_TYPE.match(identifier) else 0


def _ranges(*nodes: object) -> tuple[Range, ...]:
    return tuple(_range(node) for node in nodes if isinstance(node, dict))


def _range(node: Node) -> Range:
    match = _SOURCE.match(str(node.get("src", "")))
    return (int(match[1]), int(match[2])) if match else (0, 0)

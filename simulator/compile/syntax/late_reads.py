"""Reads of storage that come after a write to the same place, within one call of a function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.compile.syntax.ast import Node, children, walk

Place = tuple[Any, ...]
"""The declaration's id and the names of members below it; indexes are left out."""
Span = tuple[int, int]

_LOOPS = frozenset(("ForStatement", "WhileStatement", "DoWhileStatement"))
_ACCESSES = frozenset(("Identifier", "IndexAccess", "MemberAccess"))
_WORD = re.compile(r"t_(u?int\d+|bool|address(_payable)?|bytes\d+|enum\$.*|contract\$.*)$")
_MAX_CALLS = 64


@dataclass
class _Function:
    locals: set[object] = field(default_factory=set)
    reads: list[tuple[Node, Place, int]] = field(default_factory=list)
    writes: list[tuple[Span, Place]] = field(default_factory=list)
    calls: list[tuple[Span, object]] = field(default_factory=list)
    loops: list[Span] = field(default_factory=list)


def late_reads(tree: Node) -> list[Node]:
    """The reads of values in one source unit that come after a write to their place: in the same function, in one that
    it has called, or in the same loop. Places are told apart by variable and member, whatever the index."""
    functions: dict[object, _Function] = {}
    for node in walk(tree):
        if node.get("nodeType") == "FunctionDefinition" and isinstance(node.get("body"), dict):
            functions[node.get("id")] = _read_function(node)
    written = {key: {place for _, place in each.writes} for key, each in functions.items()}
    for _ in range(_MAX_CALLS):
        before = sum(map(len, written.values()))
        for key, each in functions.items():
            for _, called in each.calls:
                written[key] |= written.get(called, set())
        if sum(map(len, written.values())) == before:
            break
    return [node for each in functions.values() for node in _late(each, written)]


def _late(function: _Function, written: Mapping[object, set[Place]]) -> Iterator[Node]:
    for node, place, start in function.reads:
        spans = [span for span, other in function.writes if other == place]
        spans += [span for span, called in function.calls if place in written.get(called, ())]
        if any(_comes_after(start, span, function.loops) for span in spans):
            yield node


def _comes_after(start: int, span: Span, loops: list[Span]) -> bool:
    if start >= span[1]:
        return True
    return any(begin <= start < end and begin <= span[0] < end for begin, end in loops)


def _read_function(definition: Node) -> _Function:
    found = _Function()
    for node in walk(definition):
        if node.get("nodeType") == "VariableDeclaration":
            found.locals.add(node.get("id"))
    pending: list[tuple[Node, bool]] = [(definition["body"], True)]
    while pending:
        node, is_read = pending.pop()
        kind, target = node.get("nodeType", ""), None
        if kind == "InlineAssembly":
            continue
        if kind == "Assignment":
            target = node.get("leftHandSide")
        elif kind == "UnaryOperation" and node.get("operator") in ("++", "--", "delete"):
            target = node.get("subExpression")
        elif kind == "FunctionCall":
            found.calls.append((_span(node), (node.get("expression") or {}).get("referencedDeclaration")))
        elif kind in _LOOPS:
            found.loops.append(_span(node))
        elif kind in _ACCESSES:
            place = _place(node, found.locals)
            if is_read and place is not None and _is_value(node):
                found.reads.append((node, place, _span(node)[0]))
        if isinstance(target, dict) and (place := _place(target, found.locals)) is not None:
            found.writes.append((_span(node), place))
        base = node.get("baseExpression") if kind == "IndexAccess" else node.get("expression")
        chained = base if kind in ("IndexAccess", "MemberAccess") else None
        pending.extend((child, child is not target and child is not chained) for child in children(node))
    return found


def _is_value(node: Node) -> bool:
    """Return whether one word is read: not an array or a function."""
    identifier = str((node.get("typeDescriptions") or {}).get("typeIdentifier", ""))
    return _WORD.match(identifier) is not None


def _place(node: Node, local: set[object]) -> Place | None:
    """Return the place of an expression in storage; None for what is not, or cannot be told."""
    members: list[str] = []
    while True:
        kind = node.get("nodeType")
        if kind == "Identifier":
            declared = node.get("referencedDeclaration")
            identifier = str((node.get("typeDescriptions") or {}).get("typeIdentifier", ""))
            if declared is None or (declared in local and "_storage" not in identifier):
                return None
            return declared, *reversed(members)
        if kind == "MemberAccess":
            members.append(str(node.get("memberName", "")))
        below = node.get("expression" if kind == "MemberAccess" else "baseExpression")
        if kind not in _ACCESSES or not isinstance(below, dict):
            return None
        node = below


def _span(node: Node) -> Span:
    start, _, rest = str(node.get("src", "")).partition(":")
    length = rest.partition(":")[0]
    return (int(start), int(start) + int(length)) if start.isdigit() and length.isdigit() else (0, 0)

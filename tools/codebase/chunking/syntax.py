"""Chunks of a syntax tree. Code that does not fit its grammar yields the chunks that can be recognized."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import tree_sitter
from tree_sitter import Node

from tools.analysis.syntax_tree import text
from tools.codebase.chunking.chunk import HOLDERS, Chunk, ChunkType
from tools.codebase.chunking.languages import Cutter

MAX_NAME_LENGTH = 200
_KINDS = frozenset(map(str, ChunkType))
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
# Where two patterns match one node, the later of these is the closer description.
_PRECEDENCE = (
    ChunkType.FIELD,
    ChunkType.FUNCTION,
    ChunkType.METHOD,
    ChunkType.PROPERTY,
    ChunkType.INTERFACE,
    ChunkType.CLASS,
)


@dataclass(slots=True)
class _Found:
    """A captured node; a wrapper has no kind."""

    node: Node
    kind: ChunkType | None
    names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """A node whose end the sweep has not reached. `path` is the qualified name, empty for a wrapper that no
    declaration has claimed."""

    found: _Found
    path: str = ""


def chunks_of_tree(cutter: Cutter, source: bytes) -> list[Chunk]:
    """The chunks of a file, outer before inner, in the order of the lines."""
    root = cutter.parse(source)
    found: dict[tuple[int, int, str], _Found] = {}
    above: dict[int, Node] = {}
    for _, captures in tree_sitter.QueryCursor(cutter.query).matches(root):
        _collect(captures, found, above, source)
    ordered = sorted(
        found.values(), key=lambda each: (each.node.start_byte, -each.node.end_byte, each.kind is not None)
    )
    return list(_swept(ordered, above))


def _collect(
    captures: Mapping[str, list[Node]],
    found: dict[tuple[int, int, str], _Found],
    above: dict[int, Node],
    source: bytes,
) -> None:
    for capture, nodes in captures.items():
        for node in nodes:
            if capture == "above":
                if _begins_its_line(node, source):
                    above[_last_row(node)] = node
            elif capture == "wrapper" or capture in _KINDS:
                kind = None if capture == "wrapper" else ChunkType(capture)
                key = (node.start_byte, node.end_byte, node.type)
                known = found.setdefault(key, _Found(node, kind))
                if kind is not None and known.kind is not None:
                    known.kind = max(kind, known.kind, key=_PRECEDENCE.index)
                for name in captures.get("name", ()):
                    if (shown := _shown(name)) not in known.names and kind is not None:
                        known.names.append(shown)


def _shown(name: Node) -> str:
    return " ".join(text(name).split())[:MAX_NAME_LENGTH]


def _swept(ordered: Iterable[_Found], above: Mapping[int, Node]) -> Iterable[Chunk]:
    around: list[_Open] = []
    for each in ordered:
        while around and around[-1].found.node.end_byte <= each.node.start_byte:
            around.pop()
        if each.kind is None:
            around.append(_Open(each))
            continue
        start = _claimed_start(each, around)
        holder = next((opened for opened in reversed(around) if opened.found.kind is not None), None)
        own = ", ".join(each.names) or _unnamed(each.node)
        path = f"{holder.path}.{own}" if holder else own
        kind = each.kind
        if kind is ChunkType.FUNCTION and holder is not None and holder.found.kind in HOLDERS:
            kind = ChunkType.METHOD
        around.append(_Open(each, path[-MAX_NAME_LENGTH:]))
        first = _with_comments(start.start_point.row, start.start_point.column, above)
        yield Chunk(path[-MAX_NAME_LENGTH:], kind, first + 1, _last_row(each.node) + 1)


def _claimed_start(each: _Found, around: list[_Open]) -> Node:
    """Start of a declaration: the outermost wrapper that holds it and that no other declaration has taken."""
    start = each.node
    for opened in reversed(around):
        wrapper = opened.found.node
        if opened.found.kind is not None or opened.path:
            break
        if wrapper.start_point.row != start.start_point.row and wrapper.type != "decorated_definition":
            break
        opened.path = "claimed"
        start = wrapper
    return start


def _with_comments(row: int, column: int, above: Mapping[int, Node]) -> int:
    """The first row, counting comments that end on the row before and begin in the same column."""
    while (comment := above.get(row - 1)) is not None and comment.start_point.column == column:
        row = comment.start_point.row
    return row


def _last_row(node: Node) -> int:
    end, start = node.end_point, node.start_point
    return end.row - 1 if end.column == 0 and end.row > start.row else end.row


def _begins_its_line(node: Node, source: bytes) -> bool:
    start = node.start_byte
    return not source[start - node.start_point.column : start].strip()


def _unnamed(node: Node) -> str:
    """A word for a declaration without a name: `constructor`, `receive`, `operator`."""
    if node.type.endswith("_declaration"):
        return node.type.removesuffix("_declaration")
    word = _WORD.match(text(node))
    return word.group() if word else node.type

"""Questions that every reader of a tree-sitter tree asks, whatever its language."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node


def text(node: Node) -> str:
    """The source text of a node."""
    return node.text.decode("utf-8", "replace") if node.text is not None else ""


def field(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)


def descendants(node: Node) -> Iterator[Node]:
    """All nodes below `node`, in the order of the source. Iterative, because code nests deeper than Python does."""
    waiting = list(reversed(node.children))
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.children))


def ancestors(node: Node) -> Iterator[Node]:
    """From the parent of `node` to the root."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def line_and_column(node: Node, code: bytes) -> tuple[int, int]:
    """Start of a node: line from 1, and column from 1 in characters, as editors count."""
    row = node.start_point.row
    start = node.start_byte - node.start_point.column
    return row + 1, len(code[start : node.start_byte].decode("utf-8", "replace")) + 1

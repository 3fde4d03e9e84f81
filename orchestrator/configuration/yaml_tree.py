"""YAML or JSON text to plain values, with the line of each, under limits that hold for hostile files.

Nesting is bounded while nodes are composed, size and the expansion of aliases while values are made of them. Scalars
follow YAML 1.1 as Echidna reads it, except that a whole number is always decimal or 0x.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from orchestrator.configuration.quantities import parse_integer

MAX_DEPTH: Final = 8
MAX_NODES: Final = 100_000

Location = tuple[str | int, ...]
_TAG = "tag:yaml.org,2002:"
# Timestamps and merge keys are texts here.
_KNOWN_TAGS = {
    _TAG + kind for kind in ("null", "bool", "int", "float", "str", "seq", "map", "timestamp", "merge", "value")
}
_TRUE = {"true", "yes", "on", "y"}
_SCIENTIFIC = re.compile(r"[+-]?[0-9]{1,80}(\.[0-9]{1,80})?[eE][+-]?[0-9]{1,3}$")


class YamlSyntaxError(ValueError):
    """The text is not YAML, or uses what a configuration never needs. `line` starts at 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Tree:
    """`lines` holds the line, from 1, of each value by its location; `repeated` the keys given more than once."""

    value: Any
    lines: dict[Location, int]
    repeated: tuple[tuple[str, int], ...]


class _Loader(yaml.SafeLoader):
    """Composes nodes to a limited depth, which bounds the recursion of PyYAML's composer."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.depth > MAX_DEPTH:
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise YamlSyntaxError(_line(event), f"nested more than {MAX_DEPTH} deep")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


# YAML 1.1 takes `1e18` for text.
_Loader.add_implicit_resolver(_TAG + "float", _SCIENTIFIC, list("+-0123456789"))


def _line(place: Any) -> int:
    """The line, from 1, of an event or a node."""
    return place.start_mark.line + 1 if place is not None and place.start_mark else 1


@dataclass(slots=True)
class _Builder:
    nodes: int = 0
    lines: dict[Location, int] = field(default_factory=dict)
    repeated: list[tuple[str, int]] = field(default_factory=list)

    def value(self, node: yaml.Node, location: Location) -> Any:
        self._count(node)
        if location:
            self.lines[location] = _line(node)
        match node:
            case yaml.MappingNode():
                return self._mapping(node, location)
            case yaml.SequenceNode():
                self._check_depth(node, location)
                return [self.value(item, (*location, index)) for index, item in enumerate(node.value)]
            case _:
                return _scalar_value(node.tag.removeprefix(_TAG), node.value)

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[str, Any]:
        self._check_depth(node, location)
        values: dict[str, Any] = {}
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise YamlSyntaxError(_line(key), "a key must be plain text")
            self._count(key)
            if key.value in values:
                self.repeated.append((key.value, _line(key)))
            values[key.value] = self.value(item, (*location, key.value))
        return values

    def _count(self, node: yaml.Node) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise YamlSyntaxError(_line(node), f"more than {MAX_NODES} values")
        if node.tag not in _KNOWN_TAGS:
            raise YamlSyntaxError(_line(node), f"the tag {node.tag.removeprefix(_TAG)} means nothing here")
        if isinstance(node, yaml.ScalarNode) and "\0" in node.value:
            raise YamlSyntaxError(_line(node), "the character NUL, which no name and no path can hold")

    def _check_depth(self, node: yaml.Node, location: Location) -> None:
        # An alias may stand deeper than its anchor, or within it.
        if len(location) >= MAX_DEPTH:
            raise YamlSyntaxError(_line(node), f"nested more than {MAX_DEPTH} deep")


def _scalar_value(kind: str, text: str) -> Any:
    """The value of a resolved scalar; text that only YAML 1.1 takes for a number (`1:30`, `.inf`) stays text."""
    try:
        match kind:
            case "null":
                return None
            case "bool":
                return text.lower() in _TRUE
            case "int":
                return parse_integer(text)
            case "float" if "inf" not in text.lower() and "nan" not in text.lower():
                return _float_value(text)
            case _:
                return text
    except ValueError:
        return text


def _float_value(text: str) -> int | float:
    try:
        return parse_integer(text)
    except ValueError:
        return float(text)


def parse_tree(text: str) -> Tree:
    """The value of one YAML document; an empty text is None. Raises `YamlSyntaxError`."""
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlSyntaxError(mark.line + 1 if mark else 1, f"not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise YamlSyntaxError(1, f"not YAML: {str(error).splitlines()[0]}") from error
    builder = _Builder()
    value = builder.value(root, ()) if root is not None else None
    return Tree(value, builder.lines, tuple(builder.repeated))


def parse_json_tree(text: str) -> Tree:
    """The value of a JSON document, as `parse_tree` gives it. Raises `YamlSyntaxError`."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise YamlSyntaxError(error.lineno, f"not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise YamlSyntaxError(1, f"not JSON: {error}") from error
    # JSON is YAML but for tabs, which JSON has between values only.
    tree = parse_tree(text.replace("\t", " "))
    return Tree(value, tree.lines, tree.repeated)

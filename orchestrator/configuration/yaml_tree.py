"""YAML text to plain values, with the line of each, under limits that hold for hostile files.

The tree is built from parser events without recursion: nesting, size and the expansion of aliases are bounded before
anything is built of them. Scalars follow YAML 1.1 as Echidna reads it, except that a whole number is always decimal
or 0x.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from orchestrator.configuration.quantities import parse_integer

MAX_DEPTH: Final = 8
MAX_NODES: Final = 100_000

Location = tuple[str | int, ...]
_TAG = "tag:yaml.org,2002:"
_KNOWN_TAGS = {_TAG + kind for kind in ("null", "bool", "int", "float", "str", "seq", "map")}
_TRUE = {"true", "yes", "on", "y"}
_SCIENTIFIC = re.compile(r"[+-]?[0-9]{1,80}(\.[0-9]{1,80})?[eE][+-]?[0-9]{1,3}")


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


@dataclass(slots=True)
class _Frame:
    """A container being filled. `key` is the mapping key whose value comes next."""

    container: dict[str, Any] | list[Any]
    location: Location
    anchor: str | None
    first_node: int
    key: str | None = None

    @property
    def next_location(self) -> Location:
        return (*self.location, len(self.container) if self.key is None else self.key)


@dataclass(slots=True)
class _Builder:
    resolver: yaml.SafeLoader
    root: Any = None
    nodes: int = 0
    frames: list[_Frame] = field(default_factory=list)
    anchors: dict[str, tuple[Any, int]] = field(default_factory=dict)
    lines: dict[Location, int] = field(default_factory=dict)
    repeated: list[tuple[str, int]] = field(default_factory=list)

    def take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 1
        tag = getattr(event, "tag", None)
        if tag is not None and tag not in _KNOWN_TAGS:
            raise YamlSyntaxError(line, f"the tag {tag.removeprefix(_TAG)} means nothing here")
        match event:
            case yaml.MappingStartEvent():
                self._open({}, event.anchor, line)
            case yaml.SequenceStartEvent():
                self._open([], event.anchor, line)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()
            case yaml.AliasEvent():
                self._alias(event.anchor or "", line)
            case yaml.ScalarEvent():
                self._scalar(event, line)
            case yaml.DocumentStartEvent() if self.nodes:
                raise YamlSyntaxError(line, "a second document; a configuration is one document")
            case _:
                pass

    def _count(self, nodes: int, line: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            raise YamlSyntaxError(line, f"more than {MAX_NODES} values")

    def _open(self, container: dict[str, Any] | list[Any], anchor: str | None, line: int) -> None:
        if len(self.frames) == MAX_DEPTH:
            raise YamlSyntaxError(line, f"nested more than {MAX_DEPTH} deep")
        location = self._enter(line)
        self.frames.append(_Frame(container, location, anchor, self.nodes))
        self._count(1, line)

    def _close(self) -> None:
        frame = self.frames.pop()
        if frame.anchor is not None:
            self.anchors[frame.anchor] = (frame.container, self.nodes - frame.first_node)
        self._put(frame.container)

    def _alias(self, anchor: str, line: int) -> None:
        if anchor not in self.anchors:
            raise YamlSyntaxError(line, f"the alias *{anchor} names nothing defined before it")
        value, nodes = self.anchors[anchor]
        self._count(nodes, line)
        self._enter(line)
        self._put(value)

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        self._count(1, line)
        if "\0" in event.value:
            raise YamlSyntaxError(line, "the character NUL, which no name and no path can hold")
        frame = self.frames[-1] if self.frames else None
        if frame is not None and isinstance(frame.container, dict) and frame.key is None:
            frame.key = event.value
            if event.value in frame.container:
                self.repeated.append((event.value, line))
            return
        self._enter(line)
        value = self._resolve(event, line)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        self._put(value)

    def _enter(self, line: int) -> Location:
        """Note the line of the value that begins here; raise where the parser stands at a mapping's key."""
        if not self.frames:
            return ()
        frame = self.frames[-1]
        if isinstance(frame.container, dict) and frame.key is None:
            raise YamlSyntaxError(line, "a key must be plain text")
        self.lines[frame.next_location] = line
        return frame.next_location

    def _put(self, value: Any) -> None:
        if not self.frames:
            self.root = value
            return
        frame = self.frames[-1]
        if isinstance(frame.container, list):
            frame.container.append(value)
        elif frame.key is not None:
            frame.container[frame.key] = value
            frame.key = None

    def _resolve(self, event: yaml.ScalarEvent, line: int) -> Any:
        tag: str = event.tag or self.resolver.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
        is_plain = event.tag is None and event.implicit[0]
        return _scalar_value(tag.removeprefix(_TAG), event.value, is_plain=is_plain)


def _scalar_value(kind: str, text: str, *, is_plain: bool) -> Any:
    """The value of a resolved scalar; text that only YAML 1.1 takes for a number (`1:30`, `.inf`) stays text, and what
    only YAML 1.1 takes for text (`1e18`) is a number."""
    try:
        if kind == "str" and is_plain and _SCIENTIFIC.fullmatch(text):
            return _scientific_value(text)
        match kind:
            case "null":
                return None
            case "bool":
                return text.lower() in _TRUE
            case "int":
                return parse_integer(text)
            case "float" if "inf" not in text.lower() and "nan" not in text.lower():
                return float(text)
            case _:
                return text
    except ValueError:
        return text


def _scientific_value(text: str) -> int | float:
    try:
        return parse_integer(text)
    except ValueError:
        return float(text)


def _events(text: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlSyntaxError(mark.line + 1 if mark else 1, f"not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise YamlSyntaxError(1, f"not YAML: {str(error).splitlines()[0]}") from error


def parse_tree(text: str) -> Tree:
    """The value of one YAML document; an empty text is None. Raises `YamlSyntaxError`."""
    builder = _Builder(yaml.SafeLoader(""))
    for event in _events(text):
        builder.take(event)
    return Tree(builder.root, builder.lines, tuple(builder.repeated))

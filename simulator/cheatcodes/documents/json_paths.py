"""JSONPath as far as contracts use it: names, indexes, slices, wildcards and descent; no filters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from simulator.cheatcodes.core.errors import CheatcodeError

MAX_SELECTED = 1 << 16
MAX_PATH = 4096
_STEP = re.compile(
    r"""
    (?P<descent>\.\.)?
    (?: (?(descent)|\.) (?: (?P<name>[^.\[\]*?@()'"\s]+) | (?P<all>\*) )
      | (?(descent)|\.?) \[ \s* (?:
            (?P<index>-?\d{1,9})
          | (?P<start>-?\d{1,9})? \s* : \s* (?P<end>-?\d{1,9})?
          | (?P<every>\*)
          | '(?P<single>(?:[^'\\]|\\.)*)'
          | "(?P<double>(?:[^"\\]|\\.)*)"
        ) \s* \]
    )""",
    re.VERBOSE,
)
Step = Callable[[Any], Iterator[Any]]


def select(document: Any, path: str) -> list[Any]:
    """The values that a path leads to, in the order of the document; none when there are none. A path begins at the
    root, with or without `$`. Raises `CheatcodeError` for what is no path, and for too many values."""
    found = [document]
    for step in _steps(path):
        found = [value for each in found for value in step(each)]
        if len(found) > MAX_SELECTED:
            raise CheatcodeError(f"the path {path!r} leads to more than {MAX_SELECTED} values")
    return found


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[Step, ...]:
    text = "" if path in (".", "$") else path.removeprefix("$")
    steps: list[Step] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position) if len(text) <= MAX_PATH else None
        if match is None:
            raise CheatcodeError(f"failed selecting from JSON: {path!r} is no path at {text[position:][:40]!r}")
        if match["descent"]:
            steps.append(_descendants)
        steps.append(_step(match))
        position = match.end()
    return tuple(steps)


def _step(match: re.Match[str]) -> Step:
    if match["index"] is not None:
        return _item(int(match["index"]))
    if match["all"] or match["every"]:
        return _children
    for group in ("name", "single", "double"):
        if match[group] is not None:
            return _member(match[group] if group == "name" else re.sub(r"\\(.)", r"\1", match[group]))
    bounds = [None if match[group] is None else int(match[group]) for group in ("start", "end")]
    return _items(slice(*bounds))


def _member(name: str) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _item(index: int) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list) and -len(value) <= index < len(value):
            yield value[index]

    return step


def _items(bounds: slice) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            yield from value[bounds]

    return step


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _descendants(value: Any) -> Iterator[Any]:
    """The value itself and everything in it."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(list(_children(each))))

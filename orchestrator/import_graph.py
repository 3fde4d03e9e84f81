"""The import graph of the program, and the picture of it in CONTRIBUTING.md.

Imports are read from the syntax trees, those under `TYPE_CHECKING` and inside of functions included. A string that
names a module of the program (for `importlib`) counts as an import.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = ("simulator", "actors", "tools", "orchestrator")
"""From the lowest up: each imports itself and those before it."""
Graph = Mapping[str, frozenset[str]]


@cache
def modules() -> dict[str, Path]:
    """Every module of the program by its dotted name; a package by the name of its folder."""
    found = {}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports() -> Graph:
    """The modules that each module imports."""
    return {name: frozenset(_imports(path)) - {name} for name, path in modules().items()}


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            for alias in node.names:
                member = f"{node.module}.{alias.name}"
                if (target := member if member in modules() else node.module) in modules():
                    yield target
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in modules():
            yield node.value


def between_members(folder: str) -> Graph:
    """Imports between the members of a folder: its modules, and its folders with all that they hold."""
    graph: dict[str, set[str]] = defaultdict(set)
    prefix = f"{folder}."
    for name, targets in imports().items():
        if name.startswith(prefix):
            source = name[len(prefix) :].partition(".")[0]
            members = {target[len(prefix) :].partition(".")[0] for target in targets if target.startswith(prefix)}
            graph[source] |= members - {source}
    return {source: frozenset(targets) for source, targets in graph.items()}


def picture() -> str:
    """The rooms and their folders as a Mermaid flowchart. An arrow means "imports". Arrows that others imply, and the
    modules that stand in a room beside its folders, are left out."""
    lines = ["```mermaid", "flowchart TD"]
    for room in reversed(ROOMS):
        graph = _folders(room)
        lines.append(f"  subgraph {room}")
        lines += [f"    {room}.{name}[{name}]" for name in sorted(graph)]
        lines += [
            f"    {room}.{name} --> {room}.{target}"
            for name in sorted(graph)
            for target in sorted(_direct(graph, name))
        ]
        lines.append("  end")
    lines += [f"  {upper} --> {lower}" for lower, upper in pairwise(ROOMS)]
    return "\n".join([*lines, "```", ""])


def _folders(room: str) -> Graph:
    """A room's folders and the imports between them."""
    names = {name.split(".")[1] for name, path in modules().items() if name.count(".") == 1 and path.stem == "__init__"}
    names &= {path.name for path in (ROOT / room).iterdir() if path.is_dir()}
    graph = between_members(room)
    return {name: graph.get(name, frozenset()) & names for name in names}


def _direct(graph: Graph, node: str) -> frozenset[str]:
    """The targets of a node that none of its other targets reaches."""
    implied = {reached for target in graph[node] for reached in _reachable(graph, target)}
    return graph[node] - implied


def _reachable(graph: Graph, node: str) -> frozenset[str]:
    """Everything below a node of a graph without circles, the node itself not included."""
    return frozenset(graph[node] | {each for target in graph[node] for each in _reachable(graph, target)})

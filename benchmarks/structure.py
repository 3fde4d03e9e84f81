"""`python -m benchmarks.structure`: the code in figures: folders, floors, circles, fragments, repeated class names."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache

import click

from benchmarks.measuring.tables import markdown_table
from orchestrator.import_graph import ROOMS, between_members, imports, modules

FRAGMENT_LINES = 60
LONG_LINES = 400
ACCESSORS = frozenset(f"{way}_{kind}" for way in ("load", "store") for kind in ("u8", "i32", "i64", "word", "word_be"))
RECORDS = (
    *("simulator.evm.kernel.plain.memory_access", "simulator.evm.kernel.plain.records", "simulator.evm.host_memory"),
    *("simulator.evm.kernel.compiler.memory_access", "simulator.evm.kernel.compiler.record_types"),
)
"""The modules that define records, for Python, for the compiler and for the host."""
HEADINGS = {
    "modules": "modules",
    "largest_folder": "most modules in a folder",
    "floors": "floors of its folders",
    "module_floors": "floors of its modules",
    "in_circles": "modules in circles",
    "one_importer": "with one importer",
    "fragments": f"of these under {FRAGMENT_LINES} lines",
    "long": f"over {LONG_LINES} lines",
    "named_offsets": "loads and stores with a named offset",
    "repeated_classes": "class names that occur again",
}


@dataclass(frozen=True)
class Figures:
    """The figures of one room. A floor is a step of the longest chain of imports. A class name occurs again when
    another module of the program has it; private names do not count."""

    modules: int
    largest_folder: int
    floors: int
    module_floors: int
    in_circles: int
    one_importer: int
    fragments: int
    long: int
    named_offsets: int
    repeated_classes: int


@cache
def source(name: str) -> str:
    return modules()[name].read_text(encoding="utf-8")


def floors(graph: Mapping[str, frozenset[str]]) -> tuple[int, int]:
    """The number of floors that nodes stand on, each above all that it imports; and the nodes that stand on none, as
    they are on a circle or above one."""
    nodes = set(graph) | {target for targets in graph.values() for target in targets}
    left, count = nodes, 0
    while lowest := {node for node in left if not graph.get(node, frozenset()) & left}:
        left, count = left - lowest, count + 1
    return count, len(left)


def one_importer() -> dict[str, str]:
    """Modules that exactly one other module of the program imports, by name, with it."""
    importers: dict[str, set[str]] = defaultdict(set)
    for name, targets in imports().items():
        for target in targets:
            importers[target].add(name)
    plain = (name for name, path in modules().items() if path.stem not in ("__init__", "__main__"))
    return {name: next(iter(importers[name])) for name in plain if len(importers[name]) == 1}


def fragments() -> dict[str, str]:
    """The short ones of them."""
    return {name: importer for name, importer in one_importer().items() if lines_of(name) < FRAGMENT_LINES}


def lines_of(name: str) -> int:
    return len(source(name).splitlines())


def named_offsets(name: str) -> int:
    """Loads and stores at an address that names a field's offset, outside of the modules that define records."""
    if name in RECORDS:
        return 0
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ACCESSORS
        and any(isinstance(inner, ast.Attribute) and inner.attr == "offset" for inner in ast.walk(node))
        for node in ast.walk(ast.parse(source(name)))
    )


def class_names() -> dict[str, list[str]]:
    """The modules that define a class of this name."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in modules():
        for node in ast.walk(ast.parse(source(name))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    return found


def figures_of(room: str) -> Figures:
    names = [name for name in modules() if name.split(".")[0] == room]
    folders = Counter(modules()[name].parent for name in names if modules()[name].stem != "__init__")
    graph = {name: frozenset(t for t in imports()[name] if t.split(".")[0] == room) for name in names}
    height, in_circles = floors(graph)
    single, short = one_importer(), fragments()
    return Figures(
        len(names),
        max(folders.values()),
        floors(between_members(room))[0],
        height,
        in_circles,
        sum(name in single for name in names),
        sum(name in short for name in names),
        sum(lines_of(name) > LONG_LINES for name in names),
        sum(map(named_offsets, names)),
        sum(len(places) > 1 and any(place in names for place in places) for places in class_names().values()),
    )


@click.command()
@click.option("--fragments", "lists_fragments", is_flag=True, help="List the short modules with one importer.")
@click.option("--classes", "lists_classes", is_flag=True, help="List the class names that occur again.")
def main(lists_fragments: bool, lists_classes: bool) -> None:
    """Print figures of each room as a Markdown table, or the modules behind one of them."""
    if lists_fragments:
        for name, importer in sorted(fragments().items()):
            click.echo(f"{lines_of(name):3} {name} <- {importer}")
    if lists_classes:
        for name, places in sorted(class_names().items()):
            if len(places) > 1:
                click.echo(f"{name}: {', '.join(sorted(places))}")
    if not lists_fragments and not lists_classes:
        rooms = [figures_of(room) for room in ROOMS]
        rows = [
            (HEADINGS[field.name], *(str(getattr(each, field.name)) for each in rooms)) for field in fields(Figures)
        ]
        click.echo("\n".join(markdown_table(("", *ROOMS), rows)))


if __name__ == "__main__":
    main()

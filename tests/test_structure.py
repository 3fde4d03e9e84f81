"""The structure of the code: arrows between rooms point down, nothing imports in a circle, folders stay small."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from orchestrator.import_graph import ROOMS, ROOT, between_members, imports, modules

MAX_MODULES = 20
LARGER_FOLDERS: Mapping[str, tuple[int, str]] = {}
"""Folders that may hold more modules, how many, and why."""


def circle(graph: Mapping[str, frozenset[str]]) -> list[str]:
    """The nodes of one circle in their order, empty when there is none."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return path[path.index(node) :]
        if node in done:
            return []
        for target in sorted(graph.get(node, ())):
            if found := walk(target, [*path, node]):
                return found
        done.add(node)
        return []

    return next((found for node in sorted(graph) if (found := walk(node, []))), [])


def folders() -> list[str]:
    return sorted({name if path.name == "__init__.py" else name.rpartition(".")[0] for name, path in modules().items()})


def test_each_room_imports_only_the_rooms_below_it():
    for name, targets in imports().items():
        room = name.partition(".")[0]
        above = ROOMS[ROOMS.index(room) + 1 :]
        assert not [target for target in targets if target.partition(".")[0] in above], name


def test_the_simulator_and_its_worker_are_free_of_trio():
    for name, path in modules().items():
        if name.startswith("simulator"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            named = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
            assert "trio" not in named, name


def test_no_modules_import_each_other_in_a_circle():
    assert circle(imports()) == []


def test_no_members_of_a_folder_import_each_other_in_a_circle():
    circles = {folder: circle(between_members(folder)) for folder in folders()}
    assert {folder: found for folder, found in circles.items() if found} == {}


def test_a_folder_holds_at_most_twenty_modules():
    sizes = {
        str(folder.relative_to(ROOT)): len([path for path in folder.glob("*.py") if path.name != "__init__.py"])
        for room in (*ROOMS, "benchmarks")
        for folder in [ROOT / room, *(path for path in (ROOT / room).rglob("*") if path.is_dir())]
    }
    too_large = {
        folder: size for folder, size in sizes.items() if size > LARGER_FOLDERS.get(folder, (MAX_MODULES, ""))[0]
    }
    assert too_large == {}


def test_an_exception_for_a_large_folder_is_still_needed():
    for folder in LARGER_FOLDERS:
        assert len(list((ROOT / folder).glob("*.py"))) - 1 > MAX_MODULES, folder


def test_a_circle_is_found_wherever_it_hides():
    assert circle({"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("b")}) == ["b", "c"]


def test_tools_are_made_in_one_place():
    """`looking` and `acting` state annotations and scope, which a caller of `Tool` would have to know."""
    makers = {name for name, path in modules().items() if "Tool" in _called(path)}
    assert makers == {"tools.publishing"}


def _called(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}

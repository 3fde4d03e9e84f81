"""Artifacts of other tools: build-info that is as the sources on disk is taken as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from simulator.compile.projects.build_info import read_build_info_unit
from simulator.compile.source_compilation import CompilerRuns, distinct_units
from simulator.errors import CompileError, PolicyRefused
from simulator.policy import Policy, Request
from simulator.project import Project, Unit

_MAX_BUILD_INFOS = 64
_OUTPUT = ".output.json"
_VERSIONED = re.compile(r"npm/((?:@[^/@]+/)?[^/@]+)@[^/]+/(.+)")
"""Names of packages' sources in Hardhat 3: `npm/NAME@VERSION/PATH`."""


class Artifacts(msgspec.Struct, frozen=True):
    """Places of build-info and of the settings' files, which are older than what is fresh."""

    root: Path
    folder: Path
    settings: tuple[Path, ...]


def fresh_project(artifacts: Artifacts, needed: frozenset[str], runs: CompilerRuns) -> Project | None:
    """The project in artifacts, None unless they hold every needed source, and all of them as they are on disk."""
    missing = {artifacts.root / name for name in needed}
    units: list[Unit] = []
    for file in _build_infos(artifacts):
        unit = _usable(file, runs)
        if unit is None or not _is_fresh(unit, artifacts.root, runs.policy):
            continue
        held = {place for each in unit.sources if (place := _file_of(artifacts.root, each.path))}
        if held & missing:
            units.append(unit)
            missing -= held
        if not missing:
            break
    if missing or not units:
        return None
    return Project.in_folder(artifacts.root, distinct_units(units))


def _build_infos(artifacts: Artifacts) -> Iterator[Path]:
    folder = artifacts.folder.resolve()
    if not folder.is_dir() or not folder.is_relative_to(artifacts.root):
        return
    settings = max((_changed(file) for file in artifacts.settings), default=0.0)
    files = (file for file in folder.glob("*.json") if not file.name.endswith(_OUTPUT))
    newest = sorted(files, key=_changed, reverse=True)[:_MAX_BUILD_INFOS]
    yield from (file for file in newest if _changed(file) >= settings)


def _changed(file: Path) -> float:
    return file.stat().st_mtime if file.exists() else 0.0


def _usable(file: Path, runs: CompilerRuns) -> Unit | None:
    """Artifacts are an offer: whatever is wrong with them, the sources can still be compiled."""
    try:
        return read_build_info_unit(file, runs)
    except (CompileError, PolicyRefused):
        return None


def _is_fresh(unit: Unit, root: Path, policy: Policy) -> bool:
    return all(_holds(root, each.path, each.content, policy) for each in unit.sources)


def _file_of(root: Path, name: str) -> Path | None:
    """Return the file of a unit's source: in the project, or in a package of it."""
    if package := _VERSIONED.fullmatch(name):
        name = f"{package[1]}/{package[2]}"
    own = [root / name.removeprefix("project/")] if name.startswith("project/") else []
    packages = (folder / "node_modules" / name for folder in (root, *list(root.parents)[:3]))
    try:
        return next((file for file in (*own, root / name, *packages) if file.is_file()), None)
    except (OSError, ValueError):
        return None


def _holds(root: Path, name: str, content: str, policy: Policy) -> bool:
    """Return whether a file is what an artifact says of it. Paths in artifacts are the project's word, too."""
    file = _file_of(root, name)
    if file is None:
        return False
    expected = content.encode()
    try:
        with policy.open(Request(name, str(root), (root,)), file, is_source=True) as opened:
            return opened.read(len(expected) + 1) == expected
    except (OSError, ValueError, PolicyRefused):
        return False

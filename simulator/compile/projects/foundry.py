"""Foundry projects: fresh artifacts are taken as they are, else forge builds, else we compile with its settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from simulator.compile.options import CompileOptions
from simulator.compile.projects.build_info import read_build_info_unit
from simulator.compile.projects.foundry_config import FoundryConfig
from simulator.compile.projects.targets import solidity_files
from simulator.compile.solc.runner import ProcessError, Runner
from simulator.compile.source_compilation import CompilerRuns, Progress, distinct_units
from simulator.compile.sources.remappings import unit_name
from simulator.errors import CompileError, PolicyRefused
from simulator.policy import TRUST_FLAG, Policy, Request, find_program
from simulator.project import Project, Unit

_MAX_BUILD_INFOS = 64


def foundry_files(config: FoundryConfig) -> tuple[Path, ...]:
    """The sources and tests of a project. Raises `CompileError` when it has none."""
    folders = [config.root / name for name in (config.source, config.test)]
    found = tuple(dict.fromkeys(file for folder in folders if folder.is_dir() for file in solidity_files(folder)))
    if not found:
        raise CompileError(f"{config.root}: no .sol file in {config.source} or {config.test}")
    return found


def fresh_artifacts(config: FoundryConfig, runs: CompilerRuns) -> Project | None:
    """The project in `out/build-info`, None unless it has every source and test as they are on disk and is younger
    than the settings."""
    missing = {unit_name(file, config.root) for file in foundry_files(config)}
    units: list[Unit] = []
    for file in _build_infos(config):
        unit = _usable(file, runs)
        if unit is None or not _is_fresh(unit, config.root, runs.policy):
            continue
        units.append(unit)
        missing -= {source.path for source in unit.sources}
        if not missing:
            break
    if missing:
        return None
    return Project.in_folder(config.root, distinct_units(units))


def _build_infos(config: FoundryConfig) -> Iterator[Path]:
    folder = (config.root / config.out / "build-info").resolve()
    if not folder.is_dir() or not folder.is_relative_to(config.root):
        return
    settings = max(_changed(config.root / name) for name in ("foundry.toml", "remappings.txt"))
    files = sorted(folder.glob("*.json"), key=_changed, reverse=True)
    yield from (file for file in files[:_MAX_BUILD_INFOS] if _changed(file) >= settings)


def _changed(file: Path) -> float:
    return file.stat().st_mtime if file.exists() else 0.0


def _usable(file: Path, runs: CompilerRuns) -> Unit | None:
    """Artifacts are an offer: whatever is wrong with them, the sources can still be compiled."""
    try:
        return read_build_info_unit(file, runs)
    except (CompileError, PolicyRefused):
        return None


def _is_fresh(unit: Unit, root: Path, policy: Policy) -> bool:
    return all(_holds(root, source.path, source.content.encode(), policy) for source in unit.sources)


def _holds(root: Path, path: str, content: bytes, policy: Policy) -> bool:
    """Whether a file is what an artifact says of it. Paths in artifacts are the project's word, too."""
    try:
        with policy.open(Request(path, str(root), (root,)), root / path, is_source=True) as file:
            return file.read(len(content) + 1) == content
    except (OSError, ValueError, PolicyRefused):
        return False


def build_with_forge(config: FoundryConfig, options: CompileOptions, run: Runner, progress: Progress) -> bool:
    """Have forge write complete build-info; False when there is no forge or it fails, which says nothing about the
    sources: it may lack a compiler. It runs programs that the project names and writes where the project says, so that
    the policy must trust the project."""
    forge = find_program("forge") if options.use_forge else None
    if forge is None:
        return False
    if not options.policy.runs_project_tools:
        progress(f"compiling without forge, which would do whatever the project says; {TRUST_FLAG} lets it")
        return False
    progress("forge build")
    # forge writes only what it compiles into build-info, so everything has to be compiled.
    command = [forge, "build", "--force", "--build-info", "--root", str(config.root)]
    if options.offline:
        command.append("--offline")
    try:
        return run(command, b"", config.root, options.timeout).returncode == 0
    except ProcessError as error:
        progress(f"{error}; compiling without it")
        return False

"""Foundry projects: fresh artifacts are taken as they are, else forge builds, else we compile with its settings."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from simulator.compile.build_info import read_build_info_unit
from simulator.compile.foundry_config import FoundryConfig
from simulator.compile.options import CompileOptions
from simulator.compile.runner import ProcessError, Runner
from simulator.compile.source_compilation import CompilerRuns, Progress, distinct_units
from simulator.compile.targets import solidity_files
from simulator.errors import CompileError
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
    missing = {file.relative_to(config.root).as_posix() for file in foundry_files(config)}
    units: list[Unit] = []
    for file in _build_infos(config):
        unit = _usable(file, runs)
        if unit is None or not _is_fresh(unit, config.root):
            continue
        units.append(unit)
        missing -= {source.path for source in unit.sources}
        if not missing:
            break
    if missing:
        return None
    return Project(str(config.root), distinct_units(units))


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
    except CompileError:
        return None


def _is_fresh(unit: Unit, root: Path) -> bool:
    return all(_content(root / source.path) == source.content for source in unit.sources)


def _content(file: Path) -> str | None:
    try:
        return file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


def build_with_forge(config: FoundryConfig, options: CompileOptions, run: Runner, progress: Progress) -> bool:
    """Have forge write complete build-info; False when there is no forge or it fails, which says nothing about the
    sources: it may lack a compiler."""
    forge = shutil.which("forge") if options.use_forge else None
    if forge is None:
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

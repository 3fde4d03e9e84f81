"""What kind of thing a user points at, and the folder its source paths start from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from simulator.errors import CompileError
from simulator.policy import USER, Policy, Request
from simulator.printable import is_encodable, shown_path

_SKIPPED = {"node_modules", "lib", "out", "cache", "artifacts", "crytic-export"}
_CORPUS_FOLDERS = {"reproducers", "reproducers-unshrunk"}
_MARKERS = (
    "foundry.toml",
    "remappings.txt",
    "package.json",
    "hardhat.config.js",
    "hardhat.config.ts",
    "hardhat.config.cjs",
    "hardhat.config.mjs",
    "node_modules",
)
_SOURCE_FOLDERS = {"src", "contracts", "test", "tests", "script", "scripts", "fuzz", "fuzzing", "echidna", "invariants"}


class SolidityFiles(msgspec.Struct, frozen=True):
    """Source files, resolved, and the folder their names start from."""

    root: Path
    files: tuple[Path, ...]


class FoundryProject(msgspec.Struct, frozen=True):
    """A folder with a `foundry.toml`."""

    root: Path


class BuildInfoFiles(msgspec.Struct, frozen=True):
    """Standard-JSON build-info files of Foundry or Hardhat."""

    files: tuple[Path, ...]


Target = SolidityFiles | FoundryProject | BuildInfoFiles


def classify_targets(paths: Sequence[Path], root: Path | None = None, policy: Policy = USER) -> Target:
    """Tell what `paths` are together: Solidity files and folders, one Foundry project, or build-info files.

    Raises `CompileError` for a path that does not exist, is of no known kind, or does not go with the others, and
    `PolicyRefused`.
    """
    if not paths:
        raise CompileError("no target: name a .sol file, a folder, a Foundry project or a build-info .json file")
    kinds = [_classify(path, policy.file(Request(f"the target {path}"), path)) for path in paths]
    if len(kinds) == 1 and isinstance(kinds[0], FoundryProject):
        return kinds[0]
    if all(isinstance(kind, BuildInfoFiles) for kind in kinds):
        return BuildInfoFiles(tuple(file for kind in kinds if isinstance(kind, BuildInfoFiles) for file in kind.files))
    files = tuple(dict.fromkeys(file for kind in kinds if isinstance(kind, SolidityFiles) for file in kind.files))
    if not all(isinstance(kind, SolidityFiles) for kind in kinds):
        raise CompileError("a Foundry project or build-info files cannot be combined with other targets")
    return SolidityFiles(root.resolve() if root else find_root(files, paths, policy), files)


def _classify(path: Path, resolved: Path) -> Target:
    if resolved.is_dir():
        if (resolved / "foundry.toml").is_file():
            return FoundryProject(resolved)
        if not (files := tuple(solidity_files(resolved))):
            raise CompileError(f"{shown_path(path)}: no .sol file in this folder")
        return SolidityFiles(resolved, files)
    if not resolved.is_file():
        raise CompileError(f"{shown_path(path)}: no such file or folder")
    if resolved.name == "foundry.toml":
        return FoundryProject(resolved.parent)
    match resolved.suffix:
        case ".sol":
            return SolidityFiles(resolved.parent, (resolved,))
        case ".json":
            return BuildInfoFiles((resolved,))
        case ".vy":
            raise CompileError(f"{shown_path(path)}: Vyper cannot be compiled here; targets are Solidity")
        case _:
            raise CompileError(
                f"{shown_path(path)}: not a .sol file, a folder, foundry.toml or a build-info .json file"
            )


def solidity_files(folder: Path) -> Iterator[Path]:
    """Every `.sol` file below a folder in a fixed order, without libraries, build products, hidden files and folders,
    the Foundry tests that a campaign wrote beside its reproducers, and what is no regular file: pipes, devices, links
    that lead nowhere."""
    for base, folders, names in os.walk(folder):
        skipped = _SKIPPED | {"foundry"} if _CORPUS_FOLDERS.intersection(folders) else _SKIPPED
        folders[:] = sorted(name for name in folders if name not in skipped and not name.startswith("."))
        files = (Path(base) / name for name in sorted(names) if name.endswith(".sol") and not name.startswith("."))
        yield from (file for file in files if file.is_file())


def find_root(files: Sequence[Path], paths: Sequence[Path], policy: Policy = USER) -> Path:
    """The project's folder: the nearest one above all files that looks like a project; else the current folder when it
    holds them; else their common folder, or what lies above `src`, `contracts` and the like. It never lies above the
    roots of the policy."""
    folders = [str(path.resolve() if path.is_dir() else path.resolve().parent) for path in paths]
    common = Path(os.path.commonpath(folders))
    for folder in (common, *common.parents):
        if folder in (Path.home(), Path(folder.anchor)) or not policy.is_inside_roots(folder):
            break
        if any((folder / marker).exists() for marker in _MARKERS):
            return folder
    current = Path.cwd()
    if common.is_relative_to(current) and current != Path(current.anchor) and policy.is_inside_roots(current):
        # Compilers know sources by their names from here, which must be UTF-8.
        return current if is_encodable(str(common.relative_to(current))) else common
    while common.name in _SOURCE_FOLDERS and policy.is_inside_roots(common.parent):
        common = common.parent
    return common

"""Kind of the path that a user points at, and the folder its source paths start from."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from simulator.compile.projects.script_config import HARDHAT_FILES, TRUFFLE_FILES, script_file
from simulator.errors import CompileError
from simulator.policy import SOURCE_SUFFIX, USER, Policy, Request
from simulator.printable import is_encodable, shown_path

_SKIPPED = {"node_modules", "lib", "out", "cache", "artifacts", "crytic-export"}
_CORPUS_FOLDERS = {"reproducers", "reproducers-unshrunk"}
_MARKERS = (
    "foundry.toml",
    "remappings.txt",
    "package.json",
    *HARDHAT_FILES,
    *TRUFFLE_FILES,
    "node_modules",
)
_REPOSITORIES = (".git", ".hg", ".svn", ".jj")
_SOURCE_FOLDERS = {"src", "contracts", "test", "tests", "script", "scripts", "fuzz", "fuzzing", "echidna", "invariants"}


class SolidityFiles(msgspec.Struct, frozen=True):
    """Source files, resolved, and the folder their names start from. `named` are those that were named one by one, not
    by a folder."""

    root: Path
    files: tuple[Path, ...]
    named: frozenset[Path] = frozenset()


class FoundryProject(msgspec.Struct, frozen=True):
    """A folder with a `foundry.toml`."""

    root: Path


class ScriptProject(msgspec.Struct, frozen=True):
    """A folder with a configuration of Hardhat or Truffle."""

    root: Path


class BuildInfoFiles(msgspec.Struct, frozen=True):
    """Standard-JSON build-info files of Foundry or Hardhat."""

    files: tuple[Path, ...]


class VyperFiles(msgspec.Struct, frozen=True):
    """Vyper files, resolved, and the folder their names start from."""

    root: Path
    files: tuple[Path, ...]


Target = VyperFiles | SolidityFiles | FoundryProject | ScriptProject | BuildInfoFiles


def classify_targets(paths: Sequence[Path], root: Path | None = None, policy: Policy = USER) -> Target:
    """Tell what `paths` are together: Solidity files and folders, one project, or build-info files.

    Raises `CompileError` for a path that does not exist, is of no known kind, or does not go with the others, and
    `PolicyRefused`.
    """
    if not paths:
        raise CompileError("no target: name a .sol file, a folder, a Foundry project or a build-info .json file")
    kinds = [_classify(path, policy.file(Request(f"the target {path}"), path)) for path in paths]
    if len(kinds) == 1 and isinstance(kinds[0], FoundryProject | ScriptProject):
        return kinds[0]
    if all(isinstance(kind, BuildInfoFiles) for kind in kinds):
        return BuildInfoFiles(tuple(file for kind in kinds if isinstance(kind, BuildInfoFiles) for file in kind.files))
    if all(isinstance(kind, VyperFiles) for kind in kinds):
        found = tuple(dict.fromkeys(file for kind in kinds if isinstance(kind, VyperFiles) for file in kind.files))
        return VyperFiles(root.resolve() if root else find_root(found, paths, policy), found)
    files = tuple(dict.fromkeys(file for kind in kinds if isinstance(kind, SolidityFiles) for file in kind.files))
    if not all(isinstance(kind, SolidityFiles) for kind in kinds):
        raise CompileError("a project or build-info files cannot be combined with other targets")
    named = frozenset(file for kind in kinds if isinstance(kind, SolidityFiles) for file in kind.named)
    return SolidityFiles(root.resolve() if root else find_root(files, paths, policy), files, named)


def _classify(path: Path, resolved: Path) -> Target:
    if resolved.is_dir():
        if (resolved / "foundry.toml").is_file():
            return FoundryProject(resolved)
        if script_file(resolved):
            return ScriptProject(resolved)
        if not (files := tuple(solidity_files(resolved))):
            if vyper := tuple(vyper_files(resolved)):
                return VyperFiles(resolved, vyper)
            raise CompileError(f"{shown_path(path)}: no .sol file in this folder, and no .vy file")
        return SolidityFiles(resolved, files)
    if not resolved.is_file():
        raise CompileError(f"{shown_path(path)}: no such file or folder")
    if resolved.name == "foundry.toml":
        return FoundryProject(resolved.parent)
    if resolved.name in (*HARDHAT_FILES, *TRUFFLE_FILES):
        return ScriptProject(resolved.parent)
    match resolved.suffix:
        case ".sol":
            return SolidityFiles(resolved.parent, (resolved,), frozenset((resolved,)))
        case ".json":
            return BuildInfoFiles((resolved,))
        case ".vy":
            return VyperFiles(resolved.parent, (resolved,))
        case _:
            raise CompileError(
                f"{shown_path(path)}: not a .sol or .vy file, a folder, foundry.toml or a build-info .json file"
            )


def solidity_files(folder: Path) -> Iterator[Path]:
    """Every `.sol` file below a folder in a fixed order, without libraries, build products, hidden files and folders,
    the Foundry tests that a campaign wrote beside its reproducers, and what is no regular file: pipes, devices, links
    that lead nowhere."""
    yield from _source_files(folder, SOURCE_SUFFIX)


def vyper_files(folder: Path) -> Iterator[Path]:
    """The same for Vyper."""
    yield from _source_files(folder, ".vy")


def _source_files(folder: Path, suffix: str) -> Iterator[Path]:
    for base, folders, names in os.walk(folder):
        skipped = _SKIPPED | {"foundry"} if _CORPUS_FOLDERS.intersection(folders) else _SKIPPED
        folders[:] = sorted(name for name in folders if name not in skipped and not name.startswith("."))
        files = (Path(base) / name for name in sorted(names) if name.endswith(suffix) and not name.startswith("."))
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


def own_folders(root: Path, policy: Policy) -> tuple[Path, ...]:
    """Folders of the user's around a project, for relative imports: those of its repository, or, where no folder above
    is one, the folder that the project lies in. None for agents."""
    if policy.roots is not None:
        return ()
    outside = (Path.home(), Path(root.anchor), Path(tempfile.gettempdir()))
    above = [folder for folder in (root, *root.parents) if folder not in outside]
    for folder in above:
        if any((folder / marker).exists() for marker in _REPOSITORIES):
            return (folder,)
    return (root.parent,) if root.parent in above and len(root.parent.parts) > 2 else ()

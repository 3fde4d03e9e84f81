"""Import remappings as solc applies them: `context:prefix=target`."""

from __future__ import annotations

import os
import posixpath
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from simulator.compile.project_files import read_project_file
from simulator.errors import CompileError, PolicyRefused
from simulator.policy import USER, Policy
from simulator.printable import is_encodable, shown_path


class Remapping(msgspec.Struct, frozen=True):
    """Imports that start with `prefix`, in units whose name starts with `context`, start with `target` instead."""

    prefix: str
    target: str
    context: str = ""

    def __str__(self) -> str:
        return f"{self.context}:{self.prefix}={self.target}" if self.context else f"{self.prefix}={self.target}"


def parse_remapping(text: str, place: str) -> Remapping:
    """Read one remapping; `place` names where it stands for the `CompileError` of a malformed one."""
    left, separator, target = text.strip().partition("=")
    context, colon, prefix = left.rpartition(":")
    if not separator or not prefix:
        raise CompileError(f"{place}: '{text.strip()[:120]}' is not a remapping of the form [context:]prefix=target")
    return Remapping(prefix, target, context if colon else "")


def read_remappings(file: Path, policy: Policy = USER) -> tuple[Remapping, ...]:
    """The remappings of a `remappings.txt`, none when it is missing."""
    text = read_project_file(file, policy)
    if text is None:
        return ()
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return tuple(parse_remapping(line, f"{file}:{number}") for number, line in lines if line and line[0] != "#")


def read_package_remappings(folder: Path, policy: Policy = USER) -> tuple[Remapping, ...]:
    """The remappings that a library brings along, in `remappings.txt` and `foundry.toml`. What is malformed there is
    not the user's to mend and is left out."""
    found: list[Remapping] = []
    with suppress(CompileError, PolicyRefused):
        found += read_remappings(folder / "remappings.txt", policy)
    with suppress(tomllib.TOMLDecodeError, AttributeError, TypeError, CompileError, PolicyRefused, RecursionError):
        document = tomllib.loads(read_project_file(folder / "foundry.toml", policy) or "")
        lines = document.get("profile", {}).get("default", {}).get("remappings", [])
        found += [parse_remapping(str(line), "foundry.toml") for line in lines]
    return tuple(found)


def rooted(remapping: Remapping, folder: Path, root: Path) -> Remapping:
    """The remapping of a file in `folder` with a target that starts from `root`, as unit names do. Outside of `root`
    the target is absolute."""
    if not remapping.target:
        return remapping
    absolute = os.path.normpath(folder / remapping.target)
    target = unit_name(Path(absolute), root)
    if remapping.target.endswith("/") and not target.endswith("/"):
        target += "/"
    context = remapping.context
    if folder != root and not context:
        context = unit_name(folder, root) + "/"
    return Remapping(remapping.prefix, target, context)


def in_root(remappings: Iterable[Remapping], root: Path) -> tuple[Remapping, ...]:
    """Remappings of the root folder itself."""
    return tuple(rooted(each, root, root) for each in remappings)


def unit_name(path: Path, root: Path) -> str:
    """The name a file has for the compiler: its path from `root`, or its absolute path when it lies outside. Raises
    `CompileError` for one that is not UTF-8: compilers know sources by name, and read names as UTF-8."""
    name = (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()
    if not is_encodable(name):
        raise CompileError(f"{shown_path(path)}: a compiler cannot take this name, which is not UTF-8: rename it")
    return name


def apply_remappings(remappings: Iterable[Remapping], unit: str, path: str) -> str:
    """The unit name solc makes of `path` in `unit`: the longest context wins, then the longest prefix, then the
    last one."""
    best: Remapping | None = None
    for each in remappings:
        if not (unit.startswith(each.context) and path.startswith(each.prefix)):
            continue
        if best is None or (len(each.context), len(each.prefix)) >= (len(best.context), len(best.prefix)):
            best = each
    return best.target + path[len(best.prefix) :] if best else path


def absolute_import(unit: str, path: str) -> str:
    """An import path as solc sees it: relative ones start from the folder of the importing unit, and `..` above the
    topmost folder is dropped."""
    if not path.startswith(("./", "../")) and path not in (".", ".."):
        return path
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(unit), path))
    while joined.startswith("../"):
        joined = joined[3:]
    return joined

"""Location of a command's program: `node_modules/.bin` of the project, or PATH, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from actors.runtime.errors import ExecutableForbidden, ExecutableMissing

_LOCAL = ("node_modules", ".bin")


def local_programs(folder: Path, roots: Sequence[Path]) -> tuple[Path, ...]:
    """The `node_modules/.bin` of `folder` and of the folders around it, as far as they lie within `roots`, nearest
    first."""
    inside = [each for each in (folder, *folder.parents) if any(each.is_relative_to(root) for root in roots)]
    found = (each.joinpath(*_LOCAL) for each in inside)
    return tuple(
        programs
        for programs in found
        if programs.is_dir() and any(programs.resolve().is_relative_to(root) for root in roots)
    )


def search_path(folder: Path, roots: Sequence[Path], path: str) -> str:
    """PATH for a command in `folder`: local programs first, then the absolute folders of `path`."""
    inherited = (entry for entry in path.split(os.pathsep) if os.path.isabs(entry))
    return os.pathsep.join([*map(str, local_programs(folder, roots)), *inherited])


def find_executable(name: str, path: str, roots: Sequence[Path] = ()) -> Path:
    """The program of that bare name. One in a `node_modules/.bin` within the `roots` must not be a link that leads out
    of them: the project put it there, not the user.

    Raises `ExecutableMissing`, or `ExecutableForbidden` when there is one that this user may not execute.
    """
    if not name or os.sep in name or "\0" in name:
        raise ExecutableMissing(f"Command not found: {name[:80]!r} is not the bare name of a program")
    refusal = ""
    for candidate in _candidates(name, path):
        if not os.access(candidate, os.X_OK):
            refusal = refusal or f"{name} may not be executed"
        elif _leads_out(candidate, roots):
            refusal = refusal or f"{candidate} leads out of the allowed roots"
        else:
            return candidate
    if refusal:
        raise ExecutableForbidden(f"Permission denied: {refusal}")
    raise ExecutableMissing(f"Command not found: {name} is neither on PATH nor in node_modules/.bin")


def _leads_out(program: Path, roots: Sequence[Path]) -> bool:
    is_local = program.parent.parts[-2:] == _LOCAL and any(program.is_relative_to(root) for root in roots)
    return is_local and not any(program.resolve().is_relative_to(root) for root in roots)


def _candidates(name: str, path: str) -> Iterator[Path]:
    for entry in path.split(os.pathsep):
        candidate = Path(entry, name)
        if os.path.isabs(entry) and candidate.is_file():
            yield candidate

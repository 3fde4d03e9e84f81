"""File access: which files of the project a contract may read and write.

A file must be inside of the project, and `fs_permissions` in foundry.toml must allow it; the most exact entry decides.
Links are followed first. What is not allowed counts as not supported, so that it is never taken for a failure of the
contract.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from simulator.cheatcodes.core.errors import CheatcodeError, UnsupportedError
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.protected_names import CONFIGURATION, protected_part
from simulator.compile.projects.foundry_config import PathPermission, read_permissions
from simulator.errors import CompileError, PolicyRefused
from simulator.policy import Policy, Request

MAX_BYTES = 1 << 20


def path_to_read(vm: Session, name: str) -> Path:
    """The path with its links resolved. Raises `UnsupportedError` when it must not be read."""
    path, permission = _resolve(vm, name)
    if permission is None or not permission.reads:
        raise _refused(vm, name, "read")
    return path


def path_to_write(vm: Session, name: str) -> Path:
    """The same for writing. Never written are the project's folder itself, its configuration under any name that a file
    system may take for it, and what other programs obey without being asked (`.git`, `.env`)."""
    path, permission = _resolve(vm, name)
    if permission is None or not permission.writes or path == vm.root.resolve():
        raise _refused(vm, name, "write")
    _require_unprotected(vm.root.resolve(), path)
    return path


def require_unprotected_below(vm: Session, folder: Path) -> None:
    """Raise `CheatcodeError` when a folder holds what must not be written."""
    root = vm.root.resolve()
    for current, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _require_unprotected(root, Path(current) / name)


def _require_unprotected(root: Path, path: Path) -> None:
    found = protected_part(path.relative_to(root))
    if found is None and _is_same_file(path, root / CONFIGURATION):
        found = CONFIGURATION
    if found is not None:
        raise CheatcodeError(f"access to `{found}` is not allowed")


def _is_same_file(path: Path, other: Path) -> bool:
    """Return whether two names are of one file, as hard links are."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def _resolve(vm: Session, name: str) -> tuple[Path, PathPermission | None]:
    """The path and what decides about it; None outside of the project and without any entry."""
    try:
        root = vm.root.resolve()
        path = vm.policy.file(Request(f"the path {name}", "", (root,)), root / name)
        permissions = _permissions(str(root), vm.policy)
    except PolicyRefused:
        return root, None
    except (OSError, ValueError, RuntimeError, CompileError) as error:
        raise CheatcodeError(f"the path {name!r} cannot be used: {error}") from None
    if not path.is_relative_to(root):  # a trusted project, whose contracts are no more trusted for that
        return path, None
    entries = [each for each in permissions if path.is_relative_to(each.path)]
    return path, max(entries, key=lambda each: len(each.path.parts), default=None)


def _refused(vm: Session, name: str, access: str) -> UnsupportedError:
    text = f"the path {name} is not allowed to be accessed for {access} operations: see fs_permissions in foundry.toml"
    vm.warn_once(text)
    return UnsupportedError(text)


@lru_cache(maxsize=8)
def _permissions(root: str, policy: Policy) -> tuple[PathPermission, ...]:
    listed = read_permissions(Path(root), policy=policy)
    return tuple(PathPermission(each.path.resolve(), each.reads, each.writes) for each in listed)

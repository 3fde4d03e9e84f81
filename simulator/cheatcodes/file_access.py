"""Which files of the project a contract may read and write.

A file must be inside of the project, and `fs_permissions` in foundry.toml must allow it; the most exact entry decides.
Links are followed first. What is not allowed counts as not supported, so that it is never taken for a failure of the
contract.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from simulator.cheatcodes.errors import CheatcodeError, UnsupportedError
from simulator.cheatcodes.session import Session
from simulator.compile.foundry_config import PathPermission, read_permissions
from simulator.errors import CompileError

MOST_BYTES = 1 << 20
CONFIGURATION = "foundry.toml"


def path_to_read(vm: Session, name: str) -> Path:
    """The path with its links resolved. Raises `UnsupportedError` when it must not be read."""
    path, permission = _resolve(vm, name)
    if permission is None or not permission.reads:
        raise _refused(vm, name, "read")
    return path


def path_to_write(vm: Session, name: str) -> Path:
    """The same for writing. The project's folder itself and its configuration are never written."""
    path, permission = _resolve(vm, name)
    if permission is None or not permission.writes or path == vm.root.resolve():
        raise _refused(vm, name, "write")
    if path.name == CONFIGURATION:
        raise CheatcodeError(f"access to `{CONFIGURATION}` is not allowed")
    return path


def _resolve(vm: Session, name: str) -> tuple[Path, PathPermission | None]:
    """The path and what decides about it; None outside of the project and without any entry."""
    try:
        root = vm.root.resolve()
        path = (root / name).resolve()
        permissions = _permissions(str(root))
    except (OSError, ValueError, RuntimeError, CompileError) as error:
        raise CheatcodeError(f"the path {name!r} cannot be used: {error}") from None
    if not path.is_relative_to(root):
        return path, None
    entries = [each for each in permissions if path.is_relative_to(each.path)]
    return path, max(entries, key=lambda each: len(each.path.parts), default=None)


def _refused(vm: Session, name: str, access: str) -> UnsupportedError:
    text = f"the path {name} is not allowed to be accessed for {access} operations: see fs_permissions in foundry.toml"
    vm.warn_once(text)
    return UnsupportedError(text)


@lru_cache(maxsize=8)
def _permissions(root: str) -> tuple[PathPermission, ...]:
    listed = read_permissions(Path(root))
    return tuple(PathPermission(each.path.resolve(), each.reads, each.writes) for each in listed)

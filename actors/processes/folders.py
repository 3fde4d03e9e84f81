"""Working folders from outside: resolved, then compared with the allowed roots by their parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from actors.runtime.errors import FolderRefused

SYSTEM_FOLDERS = tuple(
    map(Path, ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr", "/var"))
)


def allowed_roots(folders: Sequence[Path]) -> tuple[Path, ...]:
    """The roots with their links resolved; those that do not exist are left out."""
    return tuple(folder.resolve() for folder in folders if folder.is_dir())


def confined_folder(path: str, roots: Sequence[Path], here: Path) -> Path:
    """The existing folder that `path`, seen from `here`, leads to once every link is resolved.

    Raises `FolderRefused` when there is none, when it lies in none of the `roots` (which are resolved), or in a
    folder of the system that no root was put into on purpose.
    """
    if "\0" in path:
        raise FolderRefused("Working directory contains a NUL character")
    try:
        folder = (here / path).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise FolderRefused(f"Working directory does not exist: {path}") from error
    if not folder.is_dir():
        raise FolderRefused(f"Working directory is not a directory: {path}")
    if not any(_admits(root, folder) for root in roots):
        raise FolderRefused(f"Working directory is outside the allowed roots: {path}")
    return folder


def leads_outside(path: str, roots: Sequence[Path], folder: Path) -> bool:
    """True if a path that a command is given, seen from `folder`, lies outside all `roots`; it need not exist."""
    try:
        place = (folder / path).resolve()
    except (OSError, RuntimeError, ValueError):
        return True
    return not any(place.is_relative_to(root) for root in roots)


def _admits(root: Path, folder: Path) -> bool:
    if not folder.is_relative_to(root):
        return False
    return all(root.is_relative_to(system) for system in SYSTEM_FOLDERS if folder.is_relative_to(system))

"""Confinement of paths that callers name: inside the allowed roots, symbolic links resolved, compared by components."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from simulator.policy import resolved_path

MAX_PATH_LENGTH = 4_096


class PathRefused(Exception):  # noqa: N818  # the name says what happened
    """A path that leaves the roots, or is none; the message says which roots there are and never what lies outside."""


class PathOutside(PathRefused):
    """A path that leaves the roots."""


class AllowedRoots:
    """Folders below which tools may touch files. Relative paths are relative to `base`. Blocks on the file system."""

    def __init__(self, roots: Iterable[Path], base: Path) -> None:
        self.base = base.resolve()
        self.roots = tuple(dict.fromkeys(root.resolve() for root in roots))

    def resolve(self, text: str) -> Path:
        """The absolute path, free of symbolic links. Nothing needs to exist there. Raises `PathRefused`."""
        if not text or "\0" in text or len(text) > MAX_PATH_LENGTH:
            raise PathRefused(f"a path has 1 to {MAX_PATH_LENGTH} characters and no NUL")
        path = resolved_path(Path(self.base, text))
        if path is None:
            raise PathRefused("the path cannot be resolved")
        if not any(path.is_relative_to(root) for root in self.roots):
            shown = ", ".join(str(root) for root in self.roots) or "none: start the server with --mcp-root FOLDER"
            raise PathOutside(f"the path is outside the allowed roots ({shown})")
        return path

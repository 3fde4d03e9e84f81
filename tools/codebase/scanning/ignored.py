"""Rules of .gitignore files: each rules its own folder and those below, deeper ones over higher ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

MAX_FILE_BYTES = 1 << 20
ALWAYS = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"))
"""Folders that are never source, whatever .gitignore says."""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules that hold in one folder: those of .gitignore files from the outermost to the innermost."""

    levels: tuple[tuple[Path, GitIgnoreSpec], ...] = ()

    def inside(self, folder: Path) -> IgnoreRules:
        """The rules in `folder`, which lies in the one these hold for. A file that cannot be read rules nothing."""
        spec = _spec(folder / ".gitignore")
        return IgnoreRules((*self.levels, (folder, spec))) if spec is not None else self

    def leave_out(self, path: Path, *, is_folder: bool) -> bool:
        """True if git would ignore `path`, an entry of the folder of these rules."""
        for folder, spec in reversed(self.levels):
            relative = path.relative_to(folder).as_posix() + ("/" if is_folder else "")
            verdict = spec.check_file(relative).include
            if verdict is not None:
                return verdict
        return False


def rules_above(root: Path) -> IgnoreRules:
    """The rules of the folders above `root`, up to the top of its repository; none outside a repository."""
    above = []
    for folder in (root, *root.parents):
        if (folder / ".git").exists():
            break
        above.append(folder.parent)
    else:
        return IgnoreRules()
    rules = IgnoreRules()
    for folder in reversed(above):
        rules = rules.inside(folder)
    return rules


def _spec(path: Path) -> GitIgnoreSpec | None:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES)
    except OSError:
        return None
    lines = content.decode("utf-8", "replace").splitlines()
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # one bad pattern must not make the others void
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True

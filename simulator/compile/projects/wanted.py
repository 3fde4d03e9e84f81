"""Sources that a campaign needs: those that declare its contracts, and what these ask for by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from simulator.compile.sources.scan import declared_contracts, requested_artifacts
from simulator.errors import PolicyRefused, TargetError
from simulator.policy import Policy, Request

MAX_SCANNED = 16 << 20
_MAX_LISTED = 20


def is_pattern(name: str) -> bool:
    """Return whether a name stands for all contracts that fit it: `*` for any letters, `?` for one."""
    return "*" in name or "?" in name


def fits(name: str, pattern: str) -> bool:
    """Return whether a contract's name is the pattern, or one that it stands for."""
    return fnmatchcase(name, pattern) if is_pattern(pattern) else name == pattern


class SourceDeclarations:
    """Declarations in the sources of a project. Files that cannot be read declare nothing."""

    def __init__(self, files: Sequence[Path], root: Path, policy: Policy) -> None:
        self._texts = {file: _text(file, root, policy) for file in files}
        self._names = {file: declared_contracts(text) for file, text in self._texts.items()}

    def files_of(self, wanted: str) -> tuple[Path, ...]:
        """The files that declare `Name` or `path:Name`, whose name may be a pattern."""
        path, _, name = wanted.rpartition(":")
        found = (file for file, names in self._names.items() if any(fits(each, name) for each in names))
        return tuple(file for file in found if _ends_with(file, path))

    def with_artifacts(self, files: Iterable[Path]) -> tuple[Path, ...]:
        """The files, and those that they ask cheatcodes for: `vm.getCode("Token.sol:Token")`."""
        found = dict.fromkeys(files)
        pending = list(found)
        while pending:
            for wanted in requested_artifacts(self._texts.get(pending.pop(), "")):
                fresh = [file for file in self._requested(wanted) if file not in found]
                found.update(dict.fromkeys(fresh))
                pending += fresh
        return tuple(found)

    def _requested(self, wanted: str) -> tuple[Path, ...]:
        path, colon, name = wanted.rpartition(":")
        if not colon and name.endswith(".sol"):
            return tuple(file for file in self._texts if _ends_with(file, name))
        return self.files_of(wanted if path.endswith(".sol") else name)

    def unknown(self, wanted: str) -> TargetError:
        """Return the error about a contract that nothing declares."""
        names = sorted({f"{file.name}:{name}" for file, found in self._names.items() for name in found})
        simple = [name.rpartition(":")[2] for name in names]
        near = difflib.get_close_matches(wanted.rpartition(":")[2], simple, 1)
        more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
        hint = f"; did you mean {near[0]}?" if near else "."
        shown = ", ".join(names[:_MAX_LISTED]) + more
        return TargetError(f"no contract '{wanted}' in the target{hint} Candidates: {shown or 'none'}")


def _ends_with(file: Path, path: str) -> bool:
    parts = tuple(part for part in PurePosixPath(path).parts if part != "/")
    return not parts or file.parts[-len(parts) :] == parts


def _text(file: Path, root: Path, policy: Policy) -> str:
    try:
        with policy.open(Request(file.name, str(root), (root,)), file, is_source=True) as opened:
            return opened.read(MAX_SCANNED).decode(errors="replace")
    except (OSError, PolicyRefused):
        return ""

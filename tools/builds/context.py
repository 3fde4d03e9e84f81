"""Context shared by all build tools: the process runner, and the folders in which commands may work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.processes.environment import build_environment
from actors.processes.executables import search_path
from actors.processes.folders import allowed_roots
from actors.processes.runner import ProcessRunner
from tools.builds.responses import Form


@dataclass(frozen=True, slots=True)
class BuildContext:
    """`runner` must have a store and be serving. `roots` are the folders that working directories may lie in, `here`
    is where relative ones start; `environment` is what commands get before a plugin adds its own. `compact` is
    the form of diagnostics where a call does not choose."""

    runner: ProcessRunner
    roots: tuple[Path, ...]
    here: Path
    environment: Mapping[str, str] = field(default_factory=build_environment)
    compact: bool = False

    @classmethod
    def of(
        cls,
        runner: ProcessRunner,
        roots: tuple[Path, ...],
        here: Path | None = None,
        environment: Mapping[str, str] | None = None,
        *,
        compact: bool = False,
    ) -> BuildContext:
        """A context with its links resolved. No roots means the folder `here`, which is the current one by default."""
        place = (here or Path.cwd()).resolve()
        own = build_environment() if environment is None else environment
        return cls(runner, allowed_roots(roots or (place,)), place, own, compact)

    def form(self, wanted: bool | None) -> Form:
        """The form of diagnostics for a call that wants the compact one, the full one, or says nothing."""
        return Form.COMPACT if (self.compact if wanted is None else wanted) else Form.FULL

    def holds(self, folder: str) -> bool:
        """Return whether a folder is one that working directories may lie in."""
        return any(Path(folder).is_relative_to(root) for root in self.roots)

    def search_path(self, folder: Path) -> str:
        """PATH for a command in `folder`."""
        return search_path(folder, self.roots, self.environment.get("PATH", ""))

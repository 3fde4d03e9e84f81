"""Family `coverage`: its tools, one line a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tools.coverage.snapshots import SnapshotStore
from tools.coverage.tools import LcovTools
from tools.roots import AllowedRoots
from tools.tool import Tool


@dataclass(frozen=True, slots=True)
class CoverageContext:
    """Context of coverage tools. `wall_clock` gives Unix seconds."""

    roots: AllowedRoots
    wall_clock: Callable[[], float]
    store: SnapshotStore = field(default_factory=SnapshotStore)


TOOLS: tuple[Callable[[CoverageContext], Iterable[Tool[Any]]], ...] = (
    lambda context: LcovTools(context.roots, context.store, context.wall_clock).published(),
)

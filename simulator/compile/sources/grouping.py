"""Dividing source files into groups that one release of the compiler can take together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from simulator.compile.diagnostics import CompilationFailed, Diagnostic, line_at
from simulator.compile.solc.version import (
    OLDEST,
    Version,
    VersionError,
    VersionRange,
    format_version,
    parse_range,
)
from simulator.compile.sources.imports import SourceGraph

Choose = Callable[[Sequence[VersionRange]], Version | None]


class Group(msgspec.Struct, frozen=True):
    """`roots` are compiled with everything in `units`; every pragma of these is in `ranges`."""

    roots: tuple[str, ...]
    units: frozenset[str]
    ranges: tuple[VersionRange, ...]
    version: Version


def group_by_version(graph: SourceGraph, choose: Choose) -> tuple[Group, ...]:
    """The roots of a graph in as few groups as a first-fit over their order finds.

    Raises `CompilationFailed` for pragmas that cannot be read and for a root that no release can take.
    """
    ranges = _ranges(graph)
    groups: list[Group] = []
    for root in graph.roots:
        units = graph.closure(root)
        for position, group in enumerate(groups):
            if merged := _group((*group.roots, root), group.units | units, ranges, choose):
                groups[position] = merged
                break
        else:
            alone = _group((root,), units, ranges, choose)
            if alone is None:
                raise CompilationFailed([_no_release(graph, root, units)])
            groups.append(alone)
    return tuple(groups)


def _ranges(graph: SourceGraph) -> dict[str, tuple[VersionRange, ...]]:
    found: dict[str, tuple[VersionRange, ...]] = {}
    diagnostics = []
    for name, unit in graph.units.items():
        try:
            found[name] = tuple(parse_range(pragma.text) for pragma in unit.pragmas)
        except VersionError as error:
            diagnostics.append(_at_pragma(graph, name, str(error)))
    if diagnostics:
        raise CompilationFailed(diagnostics)
    return found


def _group(
    roots: tuple[str, ...], units: frozenset[str], ranges: dict[str, tuple[VersionRange, ...]], choose: Choose
) -> Group | None:
    wanted = _distinct(each for name in sorted(units) for each in ranges[name])
    version = choose(wanted)
    return Group(roots, units, wanted, version) if version else None


def _distinct(ranges: Iterable[VersionRange]) -> tuple[VersionRange, ...]:
    return tuple(dict.fromkeys(ranges))


def _no_release(graph: SourceGraph, root: str, units: frozenset[str]) -> Diagnostic:
    texts = {f"{name}: {pragma.text}" for name in units for pragma in graph.units[name].pragmas}
    others = "; ".join(sorted(texts)[:6])
    return _at_pragma(
        graph,
        root,
        f"no release of Solidity from {format_version(OLDEST)} on satisfies the pragmas of this file and its imports"
        f" ({others})",
    )


def _at_pragma(graph: SourceGraph, name: str, message: str) -> Diagnostic:
    unit = graph.units[name]
    line, column = (unit.pragmas[0].line, unit.pragmas[0].column) if unit.pragmas else (1, 1)
    end = len(line_at(unit.content, line)) + 1
    return Diagnostic("error", "", message, name, line, column, line, end, line_at(unit.content, line))

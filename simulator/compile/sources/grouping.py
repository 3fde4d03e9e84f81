"""Dividing source files into groups that one run of a compiler can take together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from simulator.compile.diagnostics import Diagnostic, line_at
from simulator.compile.options import CompilerSettings
from simulator.compile.solc.version import (
    OLDEST,
    Version,
    VersionError,
    VersionRange,
    format_version,
    parse_range,
)
from simulator.compile.sources.imports import SourceGraph
from simulator.compile.toolchain import Toolchain

Choose = Callable[[Sequence[VersionRange]], Version | None]


class Group(msgspec.Struct, frozen=True):
    """`roots` are compiled with everything in `units`; every pragma of these is in `ranges`. `is_listed`: the release
    is one that the project's configuration lists."""

    roots: tuple[str, ...]
    units: frozenset[str]
    ranges: tuple[VersionRange, ...]
    version: Version
    settings: CompilerSettings
    is_listed: bool = False


class Grouping(msgspec.Struct, frozen=True):
    """The groups, what is wrong with roots that are in none, and roots that no listed release takes."""

    groups: tuple[Group, ...]
    faults: Mapping[str, tuple[Diagnostic, ...]]
    unlisted: tuple[str, ...] = ()


def group_by_version(graph: SourceGraph, choose: Choose, toolchain: Toolchain) -> Grouping:
    """The sound roots of a graph in as few groups as a first-fit over their order finds. Faults are those of the graph,
    pragmas that cannot be read, and roots that no release can take."""
    ranges, unreadable = _ranges(graph)
    groups: list[Group] = []
    faults: dict[str, tuple[Diagnostic, ...]] = {}
    unlisted = []
    for root in graph.roots:
        units = graph.closure(root)
        if wrong := (*graph.faults_of(root), *(unreadable[name] for name in sorted(units) if name in unreadable)):
            faults[root] = wrong
            continue
        group = _listed_group(root, units, ranges, toolchain)
        if toolchain.builds and group is None:
            unlisted.append(root)
        group = group or _chosen_group((root,), units, ranges, choose, toolchain)
        if group is None:
            faults[root] = (_no_release(graph, root, units),)
        else:
            _join(groups, group, ranges, choose, toolchain)
    return Grouping(tuple(groups), faults, tuple(unlisted))


def _join(
    groups: list[Group],
    group: Group,
    ranges: Mapping[str, tuple[VersionRange, ...]],
    choose: Choose,
    toolchain: Toolchain,
) -> None:
    """Put a group of one root into the first one that takes it."""
    for position, other in enumerate(groups):
        if merged := _merged(other, group, ranges, choose, toolchain):
            groups[position] = merged
            return
    groups.append(group)


def _merged(
    first: Group,
    second: Group,
    ranges: Mapping[str, tuple[VersionRange, ...]],
    choose: Choose,
    toolchain: Toolchain,
) -> Group | None:
    roots, units = (*first.roots, *second.roots), first.units | second.units
    if first.is_listed != second.is_listed:
        return None
    if not first.is_listed:
        return _chosen_group(roots, units, ranges, choose, toolchain)
    if (first.version, first.settings) != (second.version, second.settings):
        return None
    return msgspec.structs.replace(first, roots=roots, units=units, ranges=_wanted(units, ranges))


def _listed_group(
    root: str, units: frozenset[str], ranges: Mapping[str, tuple[VersionRange, ...]], toolchain: Toolchain
) -> Group | None:
    wanted = _wanted(units, ranges)
    build = toolchain.build_for(root, wanted)
    return Group((root,), units, wanted, build.version, build.settings, is_listed=True) if build else None


def _chosen_group(
    roots: tuple[str, ...],
    units: frozenset[str],
    ranges: Mapping[str, tuple[VersionRange, ...]],
    choose: Choose,
    toolchain: Toolchain,
) -> Group | None:
    wanted = _wanted(units, ranges)
    version = choose(wanted)
    return Group(roots, units, wanted, version, toolchain.settings_of(version)) if version else None


def subgroup(graph: SourceGraph, group: Group, roots: Iterable[str]) -> Group:
    """The group of some of a group's roots, with the same release."""
    kept = tuple(roots)
    units = frozenset(name for root in kept for name in graph.closure(root))
    return msgspec.structs.replace(group, roots=kept, units=units)


def _ranges(graph: SourceGraph) -> tuple[dict[str, tuple[VersionRange, ...]], dict[str, Diagnostic]]:
    found: dict[str, tuple[VersionRange, ...]] = {}
    unreadable = {}
    for name, unit in graph.units.items():
        try:
            found[name] = tuple(parse_range(pragma.text) for pragma in unit.pragmas)
        except VersionError as error:
            unreadable[name] = _at_pragma(graph, name, str(error))
    return found, unreadable


def _wanted(units: Iterable[str], ranges: Mapping[str, tuple[VersionRange, ...]]) -> tuple[VersionRange, ...]:
    return tuple(dict.fromkeys(each for name in sorted(units) for each in ranges[name]))


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

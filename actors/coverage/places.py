"""Where a sequence brought something new: the first place of the sources that no worker had reached before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

from simulator.coverage.code_map import CodeMap
from simulator.coverage.code_sites import CodeSites

MAX_CELLS = 64
KnownSites: TypeAlias = Mapping[int, tuple[CodeMap, CodeSites | None]]
"""Codes whose places in the sources are known, by identity of their maps: to hash one is to hash thousands of
numbers."""


class NewPlace(msgspec.Struct, frozen=True):
    """`location` is `path:line`, and `function` the `Contract.function` it is in, where the sources are mapped already;
    otherwise `cells` of the campaign's code number `code` say what to look up. All are empty where nothing is new."""

    location: str = ""
    function: str = ""
    code: int = -1
    cells: tuple[int, ...] = ()


def place_in(sites: CodeSites, cells: Iterable[int]) -> NewPlace | None:
    """The first of these cells that is of a statement; None where none is."""
    for cell in cells:
        for (path, line), site in sites.lines.items():
            if cell in site.cells:
                return NewPlace(f"{path}:{line}", _function(sites, path, line, site.contract))
        for branch in sites.branches:
            if cell in branch.cells:
                function = _function(sites, branch.path, branch.line, branch.contract)
                return NewPlace(f"{branch.path}:{branch.line}", function)
    return None


def place_of(code: CodeMap, number: int, cells: tuple[int, ...], known: KnownSites) -> NewPlace:
    """The place of these new cells of a code, or what to look up later."""
    found = known.get(id(code))
    if found is None or found[0] is not code:
        # The lowest are those of the dispatcher, which is no statement.
        return NewPlace(code=number, cells=cells[:: 1 + len(cells) // MAX_CELLS])
    sites = found[1]
    return (place_in(sites, cells) if sites is not None else None) or NewPlace()


def _function(sites: CodeSites, path: str, line: int, contract: str) -> str:
    """The function that begins last before the line: functions do not nest."""
    begun = [each for each in sites.functions.values() if each.path == path and each.line <= line]
    if not begun:
        return contract
    name = max(begun, key=lambda each: (each.line, each.declaration.start)).declaration.name
    return f"{contract}.{name}" if contract else name

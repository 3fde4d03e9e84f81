"""Where a sequence brought something new: the first place of the sources that no worker had reached before."""

from __future__ import annotations

from collections.abc import Mapping
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


class PlaceBook:
    """Looks up places. What is known of a code is turned around once, so that a look-up costs no walk of its lines."""

    def __init__(self) -> None:
        self.known: KnownSites = {}
        self._places: dict[int, tuple[CodeMap, dict[int, NewPlace]]] = {}

    def place_of(self, code: CodeMap, number: int, cells: tuple[int, ...]) -> NewPlace:
        """The place of these new cells of a code, or what to look up later."""
        found = self.known.get(id(code))
        if found is None or found[0] is not code:
            # The lowest are those of the dispatcher, which is no statement.
            return NewPlace(code=number, cells=cells[:: 1 + len(cells) // MAX_CELLS])
        own = self._places.get(id(code))
        if own is None or own[0] is not code:
            own = self._places[id(code)] = (code, _places(found[1]) if found[1] is not None else {})
        return next((own[1][cell] for cell in cells if cell in own[1]), NewPlace())


def _places(sites: CodeSites) -> dict[int, NewPlace]:
    """The place of each cell that is of a statement or a branch."""
    places: dict[int, NewPlace] = {}
    for (path, line), site in sites.lines.items():
        place = NewPlace(f"{path}:{line}", _function(sites, path, line, site.contract))
        for cell in site.cells:
            places.setdefault(cell, place)
    for branch in sites.branches:
        place = NewPlace(f"{branch.path}:{branch.line}", _function(sites, branch.path, branch.line, branch.contract))
        for cell in branch.cells:
            places.setdefault(cell, place)
    return places


def _function(sites: CodeSites, path: str, line: int, contract: str) -> str:
    """The function that begins last before the line: functions do not nest."""
    begun = [each for each in sites.functions.values() if each.path == path and each.line <= line]
    if not begun:
        return contract
    name = max(begun, key=lambda each: (each.line, each.declaration.start)).declaration.name
    return f"{contract}.{name}" if contract else name

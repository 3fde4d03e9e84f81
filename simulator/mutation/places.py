"""Places of a source's operations in the codes that were made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from simulator.compile.syntax.operations import Operation, unpack_operations
from simulator.coverage.branch_sites import find_branches
from simulator.coverage.code_map import CodeMap
from simulator.coverage.source_text import SourceText
from simulator.mutation.code_view import JUMPI, CodeView
from simulator.project import Contract, SourceFile, Unit

_CLUSTER = 16
"""Instructions of one operation further apart than this belong to different copies of it."""


@dataclass(frozen=True)
class Branch:
    """A JUMPI that is a branch of the source, by the index of the instruction."""

    view: CodeView
    index: int
    jumps_when_true: bool


@dataclass
class UnitPlaces:
    """One compiler run: its codes, sources, and their branches by path, start and kind."""

    views: list[CodeView]
    sources: dict[int, SourceText]
    branches: dict[tuple[str, int, str], list[Branch]] = field(default_factory=dict)

    def of(self, operation: Operation, file: int) -> Iterator[tuple[CodeView, Sequence[int]]]:
        """The codes that have the operation, with the indexes of its instructions."""
        for view in self.views:
            if found := view.steps_of(file, operation.start, operation.length):
                yield view, found


def clusters(indexes: Sequence[int]) -> list[list[int]]:
    """The copies of an operation in one code."""
    found: list[list[int]] = []
    for index in sorted(indexes):
        if found and index - found[-1][-1] <= _CLUSTER:
            found[-1].append(index)
        else:
            found.append([index])
    return found


def operations_of(source: SourceFile) -> tuple[Operation, ...]:
    """The operations of a source in its order, an operation that several trees repeat once."""
    return tuple(sorted(dict.fromkeys(unpack_operations(source.operations)), key=lambda one: (one.start, -one.length)))


def read_unit(unit: Unit) -> UnitPlaces:
    """The codes of a unit, those that create included, with all branches of the sources."""
    sources = {source.id: SourceText(source) for source in unit.sources}
    places = UnitPlaces([], sources)
    for contract in unit.contracts:
        for creation in (False, True):
            view = CodeView(contract, creation=creation, via_ir=unit.via_ir)
            if view.steps:
                places.views.append(view)
                _add_branches(places, view, contract)
    return places


def _add_branches(places: UnitPlaces, view: CodeView, contract: Contract) -> None:
    jumps = [step.pc for step in view.steps if step.opcode == JUMPI]
    blank = CodeMap(
        contract.full_name, "creation" if view.name[1] else "runtime", (0,), (len(view.code),), tuple(jumps)
    )
    aligned = [(step.pc, step.source) for step in view.steps]
    for site in find_branches(blank, view.code, aligned, places.sources):
        if site.is_total:
            continue
        number, is_taken = divmod(site.cells[0] - 1, 2)
        branch = Branch(view, view.at[jumps[number]], bool(is_taken))
        places.branches.setdefault((site.path, site.start, site.kind), []).append(branch)

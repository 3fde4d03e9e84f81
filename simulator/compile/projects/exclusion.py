"""Sources that are left out of the dictionary and of coverage reports, such as libraries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase

import msgspec

from simulator.project import Constant, Contract, Project


def excluded_sources(project: Project, globs: Sequence[str]) -> tuple[str, ...]:
    """The paths that one of the globs takes. A source that the user pointed at is never among them."""
    paths = dict.fromkeys(source.path for unit in project.units for source in unit.sources)
    return tuple(
        path
        for path in paths
        if path not in project.named_sources and any(fnmatchcase(path, pattern) for pattern in globs)
    )


def without_constants_of(project: Project, sources: Collection[str]) -> Project:
    """The project whose contracts know no constants of these sources."""
    if not sources:
        return project
    units = tuple(
        msgspec.structs.replace(unit, contracts=tuple(_without(each, sources) for each in unit.contracts))
        for unit in project.units
    )
    return msgspec.structs.replace(project, units=units)


def _without(contract: Contract, sources: Collection[str]) -> Contract:
    if not any(path in sources for path, _ in contract.constant_origins):
        return contract
    kept = tuple(constant for path, constant in _with_origins(contract) if path not in sources)
    origins = tuple(origin for origin in contract.constant_origins if origin[0] not in sources)
    return msgspec.structs.replace(contract, constants=kept, constant_origins=origins)


def _with_origins(contract: Contract) -> Iterator[tuple[str, Constant]]:
    position = 0
    for path, count in contract.constant_origins:
        yield from ((path, constant) for constant in contract.constants[position : position + count])
        position += count

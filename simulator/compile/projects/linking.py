"""Libraries: which ones a contract needs, in which order they are deployed, and putting their addresses into code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from simulator.errors import CompileError
from simulator.project import Contract, LinkReference, Project

_ADDRESS = 20


class LinkError(CompileError):
    """A library is missing, has no code, or needs itself."""


def link(code: bytes, references: Iterable[LinkReference], addresses: Mapping[str, int]) -> bytes:
    """The code with the addresses of libraries, given by `path:Name`, in their places. Raises `LinkError` for a
    library that has no address or one beyond 160 bits."""
    linked = bytearray(code)
    for reference in references:
        address = addresses.get(reference.library)
        if address is None:
            raise LinkError(f"the library {reference.library} is needed and has no address")
        if not 0 <= address < 1 << 8 * _ADDRESS:
            raise LinkError(f"the library {reference.library} has the address {address:#x}, beyond 160 bits")
        linked[reference.offset : reference.offset + _ADDRESS] = address.to_bytes(_ADDRESS, "big")
    return bytes(linked)


def libraries_of(contract: Contract, project: Project) -> tuple[Contract, ...]:
    """The libraries that must be deployed before a contract, directly needed or not, each after those that it needs
    itself. Raises `LinkError` when one is not part of the project or a library needs itself."""
    by_name = {each.full_name: each for each in project.contracts}
    ordered: dict[str, Contract] = {}
    # Iterative depth-first search; a name stays on the path from its first visit until all it needs is ordered.
    path: list[str] = []
    pending: list[tuple[str, bool]] = [(name, False) for name in reversed(_needed(contract))]
    while pending:
        name, is_done = pending.pop()
        if is_done:
            ordered[path.pop()] = by_name[name]
            continue
        if name in ordered:
            continue
        if name in path:
            raise LinkError(f"libraries need each other: {' -> '.join([*path[path.index(name) :], name])}")
        if name not in by_name or not by_name[name].creation_code:
            raise LinkError(f"{contract.full_name} needs the library {name}, which the target does not contain")
        path.append(name)
        pending.append((name, True))
        pending += [(other, False) for other in reversed(_needed(by_name[name]))]
    return tuple(ordered.values())


def _needed(contract: Contract) -> list[str]:
    return sorted({reference.library for reference in (*contract.creation_links, *contract.runtime_links)})

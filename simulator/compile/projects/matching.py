"""Recognising compiled contracts by code that appears at run time."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from simulator.project import Contract, LinkReference, Project

_ADDRESS = 20
_PUSH20 = 0x73
_PREFIX = 24
_MAX_REMEMBERED = 4096

Hole = tuple[int, int]


class _Candidate:
    """A contract and the pieces of its code that are the same wherever it is deployed. Equal contracts differ in the
    metadata behind that."""

    __slots__ = ("contract", "metadata", "pieces", "size")

    def __init__(self, contract: Contract, whole: bytes, holes: Iterable[Hole]) -> None:
        code = without_metadata(whole)
        self.contract = contract
        self.size = len(code)
        self.metadata = whole[self.size :]
        self.pieces = _pieces(code, holes)

    def fits(self, code: bytes) -> bool:
        return all(code.startswith(piece, offset) for offset, piece in self.pieces)

    def fits_exactly(self, code: bytes) -> bool:
        """Return whether the metadata is the same too, for a code that fits."""
        return code.startswith(self.metadata, self.size)


class CodeMatcher:
    """Finds the contract that a code comes from. Immutables, library addresses and the metadata at the end may differ.

    Built once per project; a look-up compares with the few contracts of the same size, and repeated ones are
    remembered.
    """

    def __init__(self, project: Project) -> None:
        self._runtime: dict[int, list[_Candidate]] = defaultdict(list)
        self._creation: dict[bytes, list[_Candidate]] = defaultdict(list)
        self._remembered: dict[tuple[bytes, bool], Contract | None] = {}
        for contract in project.contracts:
            self._add(contract)
        for bucket in self._creation.values():
            # Where one creation code is the beginning of another, the longer one says more.
            bucket.sort(key=lambda candidate: -candidate.size)

    def match(self, code: bytes, creation: bool) -> Contract | None:
        """The first contract of the project with this code, None when there is none; one with the same metadata comes
        before the others. `creation`: the code is the one that creates, followed by constructor arguments, instead of
        the deployed one."""
        key = (hashlib.blake2b(code, digest_size=16).digest(), creation)
        if key not in self._remembered:
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = self._match_creation(code) if creation else self._match_runtime(code)
        return self._remembered[key]

    def _add(self, contract: Contract) -> None:
        if contract.runtime_code:
            holes = [*_link_holes(contract.runtime_links), *contract.immutables, *_own_address(contract)]
            candidate = _Candidate(contract, contract.runtime_code, holes)
            self._runtime[candidate.size].append(candidate)
        if contract.creation_code:
            candidate = _Candidate(contract, contract.creation_code, _link_holes(contract.creation_links))
            self._creation[contract.creation_code[:_PREFIX]].append(candidate)

    def _match_runtime(self, code: bytes) -> Contract | None:
        sizes = dict.fromkeys((len(without_metadata(code)), len(code)))
        return _best((candidate for size in sizes for candidate in self._runtime.get(size, ())), code)

    def _match_creation(self, code: bytes) -> Contract | None:
        return _best(self._creation.get(code[:_PREFIX], ()), code)


def _best(candidates: Iterable[_Candidate], code: bytes) -> Contract | None:
    fitting = [candidate for candidate in candidates if candidate.fits(code)]
    exact = next((candidate for candidate in fitting if candidate.fits_exactly(code)), None)
    chosen = exact or next(iter(fitting), None)
    return None if chosen is None else chosen.contract


def without_metadata(code: bytes) -> bytes:
    """The code without the CBOR map that solc appends, whose length stands in the last two bytes."""
    size = int.from_bytes(code[-2:], "big")
    start = len(code) - 2 - size
    is_map = size > 0 and start >= 0 and 0xA1 <= code[start] <= 0xA4
    return code[:start] if is_map else code


def _pieces(code: bytes, holes: Iterable[Hole]) -> tuple[tuple[int, bytes], ...]:
    pieces = []
    position = 0
    for start, length in sorted(holes):
        if start > position:
            pieces.append((position, code[position:start]))
        position = max(position, start + length)
    if position < len(code):
        pieces.append((position, code[position:]))
    return tuple(pieces)


def _link_holes(links: Iterable[LinkReference]) -> list[Hole]:
    return [(link.offset, _ADDRESS) for link in links]


def _own_address(contract: Contract) -> list[Hole]:
    """A library's runtime code starts by comparing its own address, which deployment writes into it."""
    code = contract.runtime_code
    is_guard = contract.kind == "library" and code[:1] == bytes([_PUSH20]) and not any(code[1 : 1 + _ADDRESS])
    return [(1, _ADDRESS)] if is_guard else []

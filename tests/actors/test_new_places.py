"""The first new statement that a sequence reaches: from features of a worker to a line of the sources."""

from __future__ import annotations

import struct

from actors.coverage.feature_numbers import BITS, FeatureNumbers
from actors.coverage.places import MAX_CELLS, KnownSites, NewPlace, PlaceBook
from simulator.coverage.code_map import CodeMap
from simulator.coverage.code_sites import CodeSites, FunctionSite, LineSite
from simulator.coverage.declarations import FunctionDeclaration

CODE = CodeMap("Vault.sol:Vault", "runtime", tuple(range(0, 400, 2)), tuple(range(2, 402, 2)), ())


def features(*cells: int, bit: int = 0) -> bytes:
    return b"".join(struct.pack("<I", BITS * cell + bit) for cell in cells)


def function(name: str, line: int) -> FunctionSite:
    return FunctionSite("Vault.sol", FunctionDeclaration(name, "Vault", "function", line, line, line + 5, ""), line)


def place_of(code: CodeMap, number: int, cells: tuple[int, ...], known: KnownSites) -> NewPlace:
    book = PlaceBook()
    book.known = known
    return book.place_of(code, number, cells)


SITES = CodeSites(
    {("Vault.sol", 7): LineSite("Vault", {5}), ("Vault.sol", 21): LineSite("Vault", {9})},
    {("Vault.sol", 6): function("deposit", 6), ("Vault.sol", 20): function("withdraw", 20)},
    (),
)


def test_cells_that_nothing_was_heard_of_come_before_new_depths():
    numbers = FeatureNumbers()
    numbers.of(0, CODE, features(3, 5))
    assert numbers.fresh(0, features(3, 9, 5)) == (9,)
    assert numbers.fresh(0, features(5, bit=1)) == (5,)
    assert numbers.fresh(0, features(3, 5)) == ()
    assert numbers.fresh(1, features(3, 5)) == (3, 5)


def test_the_first_cell_with_a_statement_is_the_place():
    known = {id(CODE): (CODE, SITES)}
    assert place_of(CODE, 1, (0, 1, 9), known) == NewPlace("Vault.sol:21", "Vault.withdraw")
    assert place_of(CODE, 1, (5, 9), known) == NewPlace("Vault.sol:7", "Vault.deposit")
    assert place_of(CODE, 1, (0, 1), known) == NewPlace()
    assert place_of(CODE, 1, (0, 1), {id(CODE): (CODE, None)}) == NewPlace()


def test_a_code_that_is_not_mapped_yet_is_looked_up_later():
    """Also where another map had the same identity; many cells are thinned out."""
    other = CodeMap("Other.sol:Other", "runtime", (0,), (1,), ())
    for known in ({}, {id(CODE): (other, SITES)}):
        assert place_of(CODE, 4, (5, 9), known) == NewPlace(code=4, cells=(5, 9))
    assert len(place_of(CODE, 4, tuple(range(200)), {}).cells) <= MAX_CELLS

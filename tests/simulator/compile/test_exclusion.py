"""Excluded sources give no constants and no coverage; what the user pointed at is never excluded."""

from __future__ import annotations

from simulator.compile.projects.exclusion import excluded_sources, without_constants_of
from simulator.project import Constant, Contract, Project, SourceFile, Unit

OWN, FOREIGN = Constant("uint", "1"), Constant("uint", "2")
CONTRACT = Contract(
    "src/A.sol",
    "A",
    "contract",
    (),
    b"",
    b"",
    constants=(OWN, FOREIGN, Constant("uint", "3")),
    constant_origins=(("src/A.sol", 1), ("lib/x/L.sol", 1), ("src/A.sol", 1)),
)
SOURCES = tuple(SourceFile(index, path, "") for index, path in enumerate(("src/A.sol", "lib/x/L.sol", "lib/M.sol")))
PROJECT = Project("/", (Unit("0.8.30", "prague", SOURCES, (CONTRACT,)),), named_sources=("src/A.sol", "lib/M.sol"))


def test_globs_choose_sources_but_for_those_that_were_named() -> None:
    assert excluded_sources(PROJECT, ("lib/*", "src/*")) == ("lib/x/L.sol",)
    assert excluded_sources(PROJECT, ()) == ()


def test_constants_of_excluded_sources_are_dropped() -> None:
    (contract,) = without_constants_of(PROJECT, ("lib/x/L.sol",)).contracts
    assert contract.constants == (OWN, Constant("uint", "3"))
    assert contract.constant_origins == (("src/A.sol", 1), ("src/A.sol", 1))
    assert without_constants_of(PROJECT, ("lib/M.sol",)).contracts == (CONTRACT,)

"""Coverage of contracts in the order in which people look: their own code, then tests, then libraries."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final, Literal

from simulator.coverage.summary import ContractCoverage
from simulator.settings import TestMode

ContractGroup = Literal["own", "tests", "libraries"]
GROUP_TITLES: Final[dict[ContractGroup, str]] = {
    "own": "Your contracts",
    "tests": "Tests and scripts",
    "libraries": "Libraries",
}
_LIBRARY_FOLDERS: Final = frozenset(("lib", "node_modules", "dependencies", "vendor", "forge-std", "ds-test"))
_TEST_FOLDERS: Final = frozenset(
    ("test", "tests", "script", "scripts", "mock", "mocks", "echidna", "medusa", "fuzz", "invariant", "invariants")
)
_HARNESS_MODES: Final = frozenset(("property", "optimization", "foundry", "medusa"))
_TEST_SUFFIXES: Final = (".t.sol", ".s.sol")


def grouped(
    contracts: Iterable[ContractCoverage], target: str, mode: TestMode
) -> dict[ContractGroup, list[ContractCoverage]]:
    """The contracts by group, each in its order. `target` is the `path:Name` of the fuzzed contract: where its mode has
    tests written as functions of it, it counts as a test, unless there is no other code of one's own."""
    groups: dict[ContractGroup, list[ContractCoverage]] = {group: [] for group in GROUP_TITLES}
    for contract in contracts:
        groups[group_of(contract.path)].append(contract)
    if mode in _HARNESS_MODES and len(groups["own"]) > 1:
        harness = [each for each in groups["own"] if f"{each.path}:{each.name}" == target]
        groups["own"] = [each for each in groups["own"] if each not in harness]
        groups["tests"] = [*harness, *groups["tests"]]
    return groups


def group_of(path: str) -> ContractGroup:
    """The group of a source, by its folders and its name."""
    *folders, name = PurePosixPath(path).parts or ("",)
    if any(folder in _LIBRARY_FOLDERS or folder.startswith("@") for folder in folders):
        return "libraries"
    if name.endswith(_TEST_SUFFIXES) or any(folder.lower() in _TEST_FOLDERS for folder in folders):
        return "tests"
    return "own"

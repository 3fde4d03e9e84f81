"""The suite: a Foundry project of unit, fuzz and invariant tests.

Most are generated, the same for each seed; files in `written` are there for what no family has."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.differential.families import chain, expectations, failures, fuzzing, handlers, setups, targets
from tests.differential.families.writing import TestContract

SEED = 18
CONTRACTS = Path(__file__).with_name("contracts")
WRITTEN = Path(__file__).with_name("written")
FAMILIES: Mapping[str, Callable[[Random], Iterator[TestContract]]] = {
    "Failures": failures.contracts,
    "Expectations": expectations.contracts,
    "Chain": chain.contracts,
    "Fuzzing": fuzzing.contracts,
    "Setups": setups.contracts,
    "Handlers": handlers.contracts,
    "Targets": targets.contracts,
}
HEADER = """// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/Base.sol";
import "../src/Helpers.sol";

"""
CONFIGURATION = """[profile.default]
src = "src"
test = "test"
libs = []
offline = true
optimizer = false
evm_version = "cancun"
solc = "0.8.30"

[fuzz]
runs = 64
seed = "0x12"
max_test_rejects = 2000

[invariant]
runs = 8
depth = 16
shrink_run_limit = 50
"""


@dataclass(frozen=True)
class Suite:
    """Contracts by the name of their family, and names of files of further ones."""

    families: Mapping[str, tuple[TestContract, ...]]
    written: tuple[str, ...] = ()

    @property
    def contracts(self) -> Iterable[TestContract]:
        return (each for family in self.families.values() for each in family)

    def only(self, names: Collection[str], written: tuple[str, ...] = ()) -> Suite:
        """The generated contracts of these names, and these files."""
        found = {family: tuple(each for each in group if each.name in names) for family, group in self.families.items()}
        return Suite(found, written)

    def write(self, folder: Path) -> None:
        """Make a Foundry project of the suite in a folder."""
        for name in ("src", "test"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for source in sorted(CONTRACTS.glob("*.sol")):
            shutil.copy(source, folder / "src" / source.name)
        for family, contracts in self.families.items():
            text = HEADER + "\n".join(each.text for each in contracts)
            (folder / "test" / f"{family}.t.sol").write_text(text)
        for name in self.written:
            shutil.copy(WRITTEN / f"{name}.sol", folder / "test" / f"{name}.t.sol")
        (folder / "foundry.toml").write_text(CONFIGURATION)


def generate(seed: int = SEED) -> Suite:
    """The suite of a seed. Each family draws from a generator of its own."""
    families = {name: tuple(family(Random(f"{seed} {name}"))) for name, family in FAMILIES.items()}
    return Suite(families, tuple(sorted(each.stem for each in WRITTEN.glob("*.sol"))))

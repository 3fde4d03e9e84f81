"""The checked-in verdicts of forge on the generated suite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from tests.differential.verdicts import Verdicts

FILE = Path(__file__).with_name("expected.json")


class Expected(msgspec.Struct, frozen=True):
    """Who gave the verdicts, to the suite of which seed, and the verdicts: contract, verdict, signatures."""

    forge: str
    seed: int
    contracts: Mapping[str, Mapping[str, tuple[str, ...]]]

    def verdicts(self, contract: str) -> Verdicts:
        """Of one contract, by signature."""
        return {test: verdict for verdict, tests in self.contracts[contract].items() for test in tests}

    def save(self) -> None:
        """Replace the file."""
        FILE.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def expected_of(forge: str, seed: int, verdicts: Mapping[str, Verdicts]) -> Expected:
    """Verdicts as the file holds them."""
    contracts: dict[str, dict[str, tuple[str, ...]]] = {}
    for contract, tests in sorted(verdicts.items()):
        of_contract = contracts.setdefault(contract, {})
        for verdict in sorted(set(tests.values())):
            of_contract[verdict] = tuple(sorted(test for test, each in tests.items() if each == verdict))
    return Expected(forge, seed, contracts)


def load_expected() -> Expected:
    """The content of the file."""
    return msgspec.json.decode(FILE.read_bytes(), type=Expected)

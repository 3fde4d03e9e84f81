"""Verdicts of tests by their signatures, and how two programs' verdicts are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
MISSING = "missing"

Verdicts = Mapping[str, str]
"""By the signature of a test; a contract that fails before its tests has `setUp()` or `constructor()` alone."""


@dataclass(frozen=True)
class Difference:
    """A test on which two programs disagree."""

    contract: str
    test: str
    forge: str
    ours: str

    def __str__(self) -> str:
        return f"{self.contract}.{self.test}: forge {self.forge}, ours {self.ours}"


def compare(contract: str, forge: Verdicts, ours: Verdicts) -> Iterator[Difference]:
    """Every test of either side whose verdicts differ."""
    for test in sorted({*forge, *ours}):
        wanted, got = forge.get(test, MISSING), ours.get(test, MISSING)
        if wanted != got:
            yield Difference(contract, test, wanted, got)

"""Verdicts that are known to differ from forge's, by contract and test, with the reason."""

from __future__ import annotations

from collections.abc import Mapping

from tests.differential.verdicts import Difference

KNOWN: Mapping[str, tuple[frozenset[str], str]] = {
    "Inputs0": (
        frozenset(("testFuzz_assumeNone(uint256)", "testFuzz_assumeSeldom(uint256)")),
        "forge draws each input anew and meets the assumption too seldom; ours that met it are kept and varied, so that"
        " the test runs as often as it should",
    ),
    "FixturesRare": (
        frozenset(("testFuzz_text(string)",)),
        "a text of a fixture is drawn more seldom than in forge, so that a short campaign can miss it",
    ),
}


def is_known(difference: Difference) -> bool:
    """Return whether a difference is one of these."""
    tests, _ = KNOWN.get(difference.contract, (frozenset(), ""))
    return difference.test in tests

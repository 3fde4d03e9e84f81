"""Declarations that a harness inherits from forge-std and ds-test: settings of the test, neither tests nor anything
to call."""

from __future__ import annotations

from simulator.abi.contract import Function
from simulator.modes.mode import Harness

IS_TEST, SET_UP, FAILED = "IS_TEST()", "setUp()", "failed()"
SKIPPED = b"FOUNDRY::SKIP"
"""How the revert data of a test begins that does not want to be run."""
TARGETS = frozenset(
    (
        *(f"target{what}()" for what in ("ArtifactSelectors", "Artifacts", "Contracts", "Interfaces")),
        *(f"target{what}()" for what in ("Selectors", "Senders")),
        *(f"exclude{what}()" for what in ("Artifacts", "Contracts", "Selectors", "Senders")),
    )
)
"""Signatures of forge-std's `StdInvariant`: what an invariant test wants called."""


def is_boilerplate(harness: Harness, function: Function) -> bool:
    """Return whether a function means something to forge alone."""
    if function.signature in TARGETS:
        return True
    return harness.has(IS_TEST) and function.signature in (IS_TEST, FAILED)


def sets_up_like_echidna(harness: Harness) -> bool:
    """Echidna calls `setUp()` of contracts that say they are Foundry tests."""
    return harness.has(IS_TEST) and harness.has(SET_UP)


def is_called_like_echidna(harness: Harness, function: Function) -> bool:
    """Everything but properties, `setUp()`, and what means something to forge alone."""
    if function.name.startswith(harness.prefix) and not function.inputs.members:
        return False
    return function.signature != SET_UP and not is_boilerplate(harness, function)

"""The test mode of a campaign that was given none."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.assembly.mode_choice import with_mode
from orchestrator.configuration.decide import DecisionInputs, make_request
from orchestrator.configuration.model import Configuration
from simulator.compile.projects.harnesses import ASSERTION_PANIC
from simulator.project import Contract, Project

AROUND = DecisionInputs(cores=2, random_seed=7, stdout_is_terminal=False, stderr_is_terminal=False, color=False)


@pytest.mark.parametrize(
    ("function", "output", "code", "mode", "is_said"),
    [
        ("echidna_holds", "bool", ASSERTION_PANIC, "property", True),
        ("echidna_holds", "bool", b"\x00", "property", False),
        ("check", "bool", ASSERTION_PANIC, "assertion", False),
        ("property_holds", "bool", ASSERTION_PANIC, "medusa", False),
        ("property_name", "uint256", ASSERTION_PANIC, "assertion", False),
    ],
)
def test_asserts_that_the_chosen_mode_does_not_check_are_said(
    function: str, output: str, code: bytes, mode: str, is_said: bool
) -> None:
    """A pass in property mode must not look like one of the asserts."""
    chosen, note = _chosen({function: output}, code)
    assert chosen == mode
    assert f"A is fuzzed in {mode} mode" in note
    assert ("Asserts in its code are not checked then" in note) == is_said


def test_tests_of_a_mode_that_was_not_chosen_are_said() -> None:
    """A harness with asserts and a value to maximise: asserts come first, and the value is not forgotten."""
    chosen, note = _chosen({"echidna_profit": "int256"}, ASSERTION_PANIC)
    assert chosen == "assertion"
    assert "optimization mode would suit it too: its functions named echidna_* return int256" in note


def _chosen(functions: dict[str, str], code: bytes) -> tuple[str | None, str]:
    """The mode for a contract of views by the type that each returns, and what is said."""
    abi = tuple(
        {"type": "function", "name": name, "inputs": [], "outputs": [{"name": "", "type": output}]}
        | {"stateMutability": "view"}
        for name, output in functions.items()
    )
    request = make_request([Path("a.sol")], Configuration(), AROUND)
    contract = Contract("a.sol", "A", "contract", abi, code, code)
    chosen, note = with_mode(request, Project("/nowhere", ()), contract)
    return chosen.configuration.test_mode, note


def test_a_mode_that_was_given_is_not_spoken_of() -> None:
    request = make_request([Path("a.sol")], Configuration.model_validate({"testMode": "property"}), AROUND)
    assert with_mode(request, Project("/nowhere", ()), Contract("a", "A", "contract", (), b"", b"")) == (request, "")

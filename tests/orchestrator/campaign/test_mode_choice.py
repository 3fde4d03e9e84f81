"""The test mode of a campaign that was given none."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.assembly.mode_choice import with_mode
from orchestrator.configuration.decide import Surroundings, make_request
from orchestrator.configuration.model import Configuration
from simulator.compile.projects.harnesses import ASSERTION_PANIC
from simulator.project import Contract, Project

AROUND = Surroundings(cores=2, random_seed=7, stdout_is_terminal=False, stderr_is_terminal=False, color=False)


@pytest.mark.parametrize(
    ("function", "output", "code", "mode", "is_said"),
    [
        ("echidna_holds", "bool", ASSERTION_PANIC, "property", True),
        ("echidna_holds", "bool", b"\x00", "property", False),
        ("check", "bool", ASSERTION_PANIC, "assertion", False),
    ],
)
def test_asserts_that_the_chosen_mode_does_not_check_are_said(
    function: str, output: str, code: bytes, mode: str, is_said: bool
) -> None:
    """A pass in property mode must not look like one of the asserts."""
    outputs = [{"name": "", "type": output}]
    abi = ({"type": "function", "name": function, "inputs": [], "outputs": outputs, "stateMutability": "view"},)
    contract = Contract("a.sol", "A", "contract", abi, code, code)
    request = make_request([Path("a.sol")], Configuration(), AROUND)
    chosen, note = with_mode(request, Project("/nowhere", ()), contract)
    assert chosen.configuration.test_mode == mode
    assert f"A is fuzzed in {mode} mode" in note
    assert ("Asserts in its code are not checked then" in note) == is_said


def test_a_mode_that_was_given_is_not_spoken_of() -> None:
    request = make_request([Path("a.sol")], Configuration.model_validate({"testMode": "property"}), AROUND)
    assert with_mode(request, Project("/nowhere", ()), Contract("a", "A", "contract", (), b"", b"")) == (request, "")

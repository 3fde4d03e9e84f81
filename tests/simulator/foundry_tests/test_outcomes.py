"""Outcomes of executed tests, and how forge's answer is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.foundry_tests.forge import forge_command, read_answer
from simulator.foundry_tests.outcome import ExportOutcome, judged, unverified
from simulator.foundry_tests.worlds import world_of
from simulator.project import Contract, Project, Unit
from simulator.settings import CampaignSettings


def test_only_a_failure_with_the_own_message_verifies() -> None:
    """A test that fails in another way, passes, or never runs shows nothing."""
    assert judged(ExportOutcome("failed", "x() is not true"), "x() is not true", "forge").is_verified
    for outcome in (
        ExportOutcome("failed", "setUp() reverts"),
        ExportOutcome("passed"),
        ExportOutcome("stopped", "x() is not true"),
    ):
        verdict = judged(outcome, "x() is not true", "forge")
        assert not verdict.is_verified
        assert verdict.text.startswith("Unverified: forge ")


def test_a_reason_stays_one_printable_line() -> None:
    """It is written into the source of the test, and contracts choose it."""
    hostile = "a\nimport 'x';\u202e" + "y" * 500
    for text in (judged(ExportOutcome("failed", hostile), "b", "forge").text, unverified(hostile).text):
        assert text.isprintable()
        assert len(text) < 300


def answer(results: object) -> bytes:
    return json.dumps({"a.sol:Reproducer_a": {"test_results": results}}).encode()


@pytest.mark.parametrize(
    ("results", "outcome"),
    [
        ({"test_reproduce()": {"status": "Failure", "reason": "no"}}, ExportOutcome("failed", "no")),
        ({"test_reproduce()": {"status": "Success", "reason": None}}, ExportOutcome("passed")),
        ({"setUp()": {"status": "Failure", "reason": "no"}}, ExportOutcome("stopped", "setUp() fails: no")),
    ],
)
def test_the_answer_of_forge_is_read_by_contract(results: object, outcome: ExportOutcome) -> None:
    """Lines around the document are no part of it."""
    assert read_answer(b"Compiling...\n" + answer(results) + b"\n") == {"Reproducer_a": outcome}


@pytest.mark.parametrize("output", [b"", b"Error: no", b"[1]", b'{"a": 1}', b'{"a:b": {"test_results": [1]}}', b"{"])
def test_an_answer_without_results_is_none(output: bytes) -> None:
    """Nothing is taken for a verdict."""
    assert read_answer(output) == {}


def test_forge_runs_our_tests_alone_unless_they_ask_for_other_contracts(tmp_path: Path) -> None:
    """With a filter, forge compiles nothing but what the tests import."""
    assert "--match-test" in forge_command("forge", tmp_path, has_older=False)
    assert "--match-test" not in forge_command("forge", tmp_path, has_older=True)
    assert "--offline" in forge_command("forge", tmp_path, has_older=False)


def test_code_for_rules_before_istanbul_runs_under_istanbul() -> None:
    """As in the campaign; the compiler keeps to the older rules."""
    contract = Contract("a.sol", "A", "contract", (), b"", b"")
    project = Project("/", (Unit("0.4.26", "byzantium", (), (contract,)),))
    world = world_of(project, CampaignSettings(contract="a.sol:A"))
    assert (world.evm_version, world.compiled_for) == ("istanbul", "byzantium")

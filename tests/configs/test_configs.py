"""The configurations that ship."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.configuration.decide import DecisionInputs, make_request
from orchestrator.configuration.layers import file_layer
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.resolve import resolve

FOLDER = Path(__file__).parents[2] / "configs"
FILES = sorted(FOLDER.glob("*.yaml"))
BUILD_SERVER = DecisionInputs(cores=2, random_seed=7, stdout_is_terminal=False, stderr_is_terminal=False, color=False)


def test_there_are_configurations() -> None:
    """The folder holds the files that the other tests read."""
    assert {"quick", "thorough", "assertion", "ci", "agent"} <= {file.stem for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_shipped_configuration_loads_without_a_remark(file: Path) -> None:
    """No unknown key, no key without effect, and at least one limit."""
    resolved = resolve([file_layer(file)])
    assert (resolved.warnings, resolved.notes) == ((), ())
    request = make_request([FOLDER], resolved.configuration, BUILD_SERVER)
    assert request.call_limit or request.time_limit


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_shipped_configuration_says_how_to_use_it(file: Path) -> None:
    """The head of each file holds a command that names the file."""
    text = file.read_text()
    assert text.startswith("# ")
    assert f"--config configs/{file.name}" in text


def test_echidnas_defaults_are_the_defaults_except_for_the_budget() -> None:
    """Every value of echidna_defaults.yaml but testLimit is what an empty configuration means."""
    resolved = resolve([file_layer(FOLDER / "echidna_defaults.yaml")])
    assert resolved.configuration == Configuration(testLimit=50_000, testMode="property")


def test_the_build_server_configuration_gives_the_same_campaign_each_time() -> None:
    """ci.yaml fixes the seed and one worker, and asks for JSON."""
    request = make_request([FOLDER], resolve([file_layer(FOLDER / "ci.yaml")]).configuration, BUILD_SERVER)
    assert (request.seed, request.workers, request.format) == (1, 1, "json")

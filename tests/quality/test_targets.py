"""The fuzzer's abilities, one planted bug each: found within a budget of calls, and shrunk to what is minimal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from worker_client import Outcome, WorkerClient

from simulator.abi.contract import ContractAbi
from simulator.abi.text import format_value
from simulator.compile import CompileOptions, compile_targets, select_contract
from simulator.project import Contract, Project
from simulator.settings import CampaignSettings
from simulator.transaction import Transaction

FOLDER = Path(__file__).parent / "targets"
TARGETS: list[dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text())["targets"]

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target["file"]).stem)
def test_a_planted_bug_is_found_within_its_budget_and_shrunk_to_the_minimum(
    target: dict[str, Any], tmp_path: Path
) -> None:
    """Exactly the planted failures are found, as short and with arguments as simple as the manifest says."""
    project = compile_targets((FOLDER / target["file"],), CompileOptions(solc_version=target["solc"]))
    contract = select_contract(project, target["contract"])
    outcome = fuzz(target, project, contract, tmp_path)
    assert sorted(outcome.findings) == sorted(target["falsified"])
    assert set(target["passed"]) <= outcome.passed
    for finding in outcome.findings.values():
        assert finding.minimal
        assert len(finding.sequence) <= target["max_calls"]
        if target["minimal_arguments"] is not None:
            assert [arguments(project, call) for call in finding.sequence] == target["minimal_arguments"]


def fuzz(target: dict[str, Any], project: Project, contract: Contract, folder: Path) -> Outcome:
    settings = CampaignSettings(
        contract=contract.full_name, test_mode=target["mode"], all_contracts=target.get("allContracts", False)
    )
    with WorkerClient(project, settings, folder) as worker:
        return worker.fuzz(target["budget"])


def arguments(project: Project, call: Transaction) -> list[str]:
    """The arguments of a call as reports write them; none for a call without call data."""
    for contract in project.contracts:
        function = ContractAbi.from_json(contract.abi).by_selector.get(call.data[:4])
        if function is not None:
            pairs = zip(function.inputs.members, function.decode_call(call.data), strict=True)
            return [format_value(member, value) for member, value in pairs]
    return []

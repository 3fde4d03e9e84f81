"""Test modes: one table that flags, settings and schemas agree with, and the choice where nobody said."""

from __future__ import annotations

import msgspec
import pytest

from orchestrator.configuration.model import Configuration
from simulator.abi.contract import ContractAbi
from simulator.modes.choice import choose_mode
from simulator.modes.mode import Harness
from simulator.modes.table import MODE_NAMES, MODES
from simulator.settings import CampaignSettings
from tools.campaign.extensions.lifecycle import StartCampaignInput


def harness(*functions: tuple[str, str] | str, asserts: bool = False, foundry: bool = False) -> Harness:
    """A contract with these functions, each as a name or as name and type of the result."""
    pairs = [(each, "") if isinstance(each, str) else each for each in functions]
    abi = [
        {"type": "function", "name": name, "inputs": [], "outputs": [{"type": output}] if output else []}
        for name, output in pairs
    ]
    return Harness("C", ContractAbi.from_json(abi), "echidna_", asserts=asserts, in_foundry_project=foundry)


def test_the_order_of_the_table_decides_nothing_about_names() -> None:
    assert set(MODE_NAMES) >= {"property", "foundry", "assertion", "overflow", "optimization", "exploration"}
    assert all(MODES[name].name == name and MODES[name].meaning for name in MODE_NAMES)


@pytest.mark.parametrize("name", sorted(MODE_NAMES))
def test_settings_configuration_and_tools_know_every_mode(name: str) -> None:
    frame = msgspec.msgpack.encode(CampaignSettings(test_mode=name))
    assert msgspec.msgpack.decode(frame, type=CampaignSettings).test_mode == name
    assert Configuration.model_validate({"testMode": name}).test_mode == name
    assert StartCampaignInput.model_validate({"paths": ["a.sol"], "testMode": name}).test_mode == name


def test_echidnas_former_name_of_foundry_mode_is_understood() -> None:
    assert Configuration.model_validate({"testMode": "dapptest"}).test_mode == "foundry"


def test_a_frame_with_another_mode_is_refused() -> None:
    frame = msgspec.msgpack.encode(CampaignSettings(test_mode="magic"))
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(frame, type=CampaignSettings)


@pytest.mark.parametrize(
    ("contract", "mode"),
    [
        (harness(("echidna_a", "bool"), "test_b", "setUp", asserts=True), "property"),
        (harness(("echidna_a", "int256")), "optimization"),
        (harness("test_b", "setUp", asserts=True), "foundry"),
        (harness("invariant_a", "IS_TEST"), "foundry"),
        (harness("invariant_a", foundry=True), "foundry"),
        (harness("act", asserts=True), "assertion"),
        (harness("act"), "property"),
    ],
    ids=["property", "optimization", "setUp", "IS_TEST", "foundry.toml", "asserts", "nothing"],
)
def test_without_a_mode_the_contract_decides(contract: Harness, mode: str) -> None:
    choice = choose_mode(contract)
    assert choice.mode.name == mode
    assert ("--test-mode" in choice.note) == (contract.abi.functions[0].name != "act" or contract.asserts)

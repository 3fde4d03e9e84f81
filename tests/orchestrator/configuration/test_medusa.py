"""medusa.json: each key means what Medusa means by it, or is said to do nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.keys import FIELDS
from orchestrator.configuration.layers import file_layer, flag_layer
from orchestrator.configuration.medusa import _RULES
from orchestrator.configuration.resolve import Resolved, resolve
from orchestrator.configuration.settings_adapter import campaign_settings
from simulator.modes.medusa_tests import MedusaTests

FIRST_CREATED = "0xa647ff3c36cfab592509e13860ab8c4f28781a66"
"""Where 0x30000 creates its first contract; Medusa's corpora are full of it."""


def read(folder: Path, document: Any, **flags: tuple[str, Any]) -> Resolved:
    file = folder / "medusa.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document, indent="\t"))
    return resolve([file_layer(file), flag_layer(flags)])


def fuzzing(folder: Path, **keys: Any) -> Resolved:
    return read(folder, {"fuzzing": keys})


def nested(name: str, value: Any) -> dict[str, Any]:
    for part in reversed(name.split(".")):
        value = {part: value}
    return value


@pytest.mark.parametrize(
    ("name", "value", "key", "meant"),
    [
        ("fuzzing.workers", 3, "workers", 3),
        ("fuzzing.timeout", 30, "timeout", 30.0),
        ("fuzzing.timeout", 0, "timeout", None),
        ("fuzzing.testLimit", 500, "testLimit", 500),
        ("fuzzing.testLimit", 0, "testLimit", None),
        ("fuzzing.shrinkLimit", 9, "shrinkLimit", 9),
        ("fuzzing.callSequenceLength", 7, "seqLen", 7),
        ("fuzzing.coverageEnabled", False, "coverage", False),
        ("fuzzing.coverageFormats", ["lcov"], "coverageFormats", ("lcov",)),
        ("fuzzing.coverageExclusions", ["lib/**"], "coverageExcludes", ("lib/**",)),
        ("fuzzing.targetContracts", ["A", "B"], "targetContracts", ("A", "B")),
        ("fuzzing.deploymentOrder", ["A"], "targetContracts", ("A",)),
        ("fuzzing.predeployedContracts", {"A": "1234"}, "predeployedContracts", {"A": 0x1234}),
        (
            "fuzzing.targetContractsBalances",
            ["0x10", "1e18", "5", ""],
            "targetContractsBalances",
            (16, 10**18, 5, 0),
        ),
        ("fuzzing.constructorArgs", {"A": {"x": "1"}}, "constructorArgs", {"A": {"x": "1"}}),
        ("fuzzing.deployerAddress", "0x7", "deployer", 7),
        ("fuzzing.senderAddresses", ["0x7", "8"], "sender", (7, 8)),
        ("fuzzing.senderAddresses", ["0x7", "8"], "psender", 7),
        ("fuzzing.blockNumberDelayMax", 1, "maxBlockDelay", 1),
        ("fuzzing.blockTimestampDelayMax", 2, "maxTimeDelay", 2),
        ("fuzzing.transactionGasLimit", 100_000, "testMaxGas", 100_000),
        ("fuzzing.transactionGasLimit", 100_000, "propMaxGas", 100_000),
        ("fuzzing.testing.stopOnFailedTest", False, "stopOnFail", False),
        ("fuzzing.testing.stopOnNoTests", False, "requireTests", False),
        ("fuzzing.testing.testAllContracts", True, "allContracts", True),
        ("fuzzing.testing.testViewMethods", False, "excludeViewPure", True),
        ("fuzzing.testing.targetFunctionSignatures", ["A.f()"], "filterBlacklist", False),
        ("fuzzing.testing.excludeFunctionSignatures", ["A.f()"], "filterFunctions", ("A.f()",)),
        ("fuzzing.testing.assertionTesting.enabled", False, "assertionTests", False),
        ("fuzzing.testing.assertionTesting.testViewMethods", False, "excludeViewPure", True),
        (
            "fuzzing.testing.assertionTesting.panicCodeConfig",
            {"failOnDivideByZero": True, "failOnAssertion": False},
            "panicCodes",
            (0x12,),
        ),
        ("fuzzing.testing.propertyTesting.enabled", False, "propertyTests", False),
        ("fuzzing.testing.propertyTesting.testPrefixes", ["a_", "b_"], "propertyPrefixes", ("a_", "b_")),
        ("fuzzing.testing.propertyTesting.testPrefixes", ["a_", "b_"], "prefix", "a_"),
        ("fuzzing.testing.optimizationTesting.enabled", False, "optimizationTests", False),
        ("fuzzing.testing.optimizationTesting.testPrefixes", ["max_"], "optimizationPrefixes", ("max_",)),
        ("fuzzing.chainConfig.codeSizeCheckDisabled", False, "codeSize", 24_576),
        ("fuzzing.chainConfig.cheatCodes.cheatCodesEnabled", False, "cheatcodes", False),
        ("fuzzing.chainConfig.cheatCodes.enableFFI", True, "allowFFI", True),
        (
            "fuzzing.chainConfig.forkConfig",
            {"forkModeEnabled": True, "rpcUrl": "http://a", "rpcBlock": 5},
            "rpcBlock",
            5,
        ),
        ("fuzzing.chainConfig.forkConfig", {"forkModeEnabled": False, "rpcUrl": "http://a"}, "rpcUrl", None),
        ("compilation.platformConfig.solcVersion", "0.8.19", "solcVersion", "0.8.19"),
        ("compilation.platformConfig.args", ["--foundry-compile-all"], "cryticArgs", ("--foundry-compile-all",)),
    ],
)
def test_a_key_of_medusa_is_a_key_of_the_campaign(
    tmp_path: Path, name: str, value: Any, key: str, meant: object
) -> None:
    """In Medusa's own notation: addresses and balances are texts, 0 is no limit."""
    resolved = read(tmp_path, {"fuzzing": {}} | nested(name, value))
    assert getattr(resolved.configuration, FIELDS[key]) == meant
    assert not resolved.warnings


def test_what_the_file_leaves_out_is_as_in_medusa(tmp_path: Path) -> None:
    """All kinds of tests at once, ended by the first failure; values of calls have 64 bits."""
    keys = fuzzing(tmp_path).configuration
    settings = campaign_settings(keys, "a.sol:A")
    assert (keys.test_mode, keys.stop_on_fail, settings.medusa) == ("medusa", True, MedusaTests())
    assert (settings.contract_address.hex(), settings.max_value) == (FIRST_CREATED[2:], b"\xff" * 8)
    assert (settings.block.timestamp, settings.block.number) == (1, 1)


def test_relative_paths_start_from_the_folder_of_the_file(tmp_path: Path) -> None:
    """Medusa works in that folder."""
    document = {"fuzzing": {"corpusDirectory": "corpus"}, "compilation": {"platformConfig": {"target": "."}}}
    keys = read(tmp_path, document).configuration
    assert (keys.corpus_directory, keys.target) == (str(tmp_path / "corpus"), str(tmp_path))
    assert fuzzing(tmp_path, corpusDirectory="").configuration.corpus_directory is None


def test_flags_override_the_file_and_values_have_their_lines(tmp_path: Path) -> None:
    """As with every other layer."""
    resolved = read(tmp_path, {"fuzzing": {"workers": 1, "timeout": 5}}, workers=("--workers", "2"))
    assert resolved.configuration.workers == 2
    assert resolved.sources["timeout"] == f"{tmp_path}/medusa.json:4"
    assert "Medusa's default" in resolved.sources["stopOnFail"]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"workers": "many"}, "3: fuzzing.workers: got 'many'; expected a whole number from 1 to 255"),
        ({"senderAddresses": ["0x1", "me"]}, "5: fuzzing.senderAddresses[1]: got '0xme'; expected a list of at least"),
        ({"testing": 3}, "3: fuzzing.testing: must be an object"),
        (
            {"testing": {"assertionTesting": {"panicCodeConfig": [1]}}},
            "5: fuzzing.testing.assertionTesting.panicCodeConfig: expected an object with true or false for failOn",
        ),
        (
            {"testing": {"targetFunctionSignatures": ["A.f()"], "excludeFunctionSignatures": ["A.g()"]}},
            "7: fuzzing.testing.excludeFunctionSignatures: only one of target and exclude may be given",
        ),
        ({"predeployedContracts": {"A": "0x1"}}, "4: fuzzing.predeployedContracts[A]: got '0x1'; expected names of"),
    ],
)
def test_a_wrong_value_names_the_line_and_medusas_key(tmp_path: Path, keys: dict[str, Any], problem: str) -> None:
    """People look for what they wrote."""
    with pytest.raises(ConfigurationError) as caught:
        fuzzing(tmp_path, **keys)
    assert caught.value.problems[0].startswith(f"{tmp_path}/medusa.json:{problem}")


def test_equal_prefixes_are_refused(tmp_path: Path) -> None:
    """A function cannot be a property and a value to maximise."""
    prefixes = {"testPrefixes": ["a_"]}
    with pytest.raises(ConfigurationError, match="a_: a prefix of properties and of optimization"):
        fuzzing(tmp_path, testing={"propertyTesting": prefixes, "optimizationTesting": prefixes})


def test_unknown_keys_are_warned_of_and_comments_are_not(tmp_path: Path) -> None:
    """Medusa ignores both; a misspelt key changes what a campaign means."""
    resolved = fuzzing(tmp_path, _COMMENT_1="x", testing={"stopOnFailedTests": False, "_why": 1})
    assert resolved.warnings == (
        f"{tmp_path}/medusa.json:5: fuzzing.testing.stopOnFailedTests: unknown key, ignored;"
        " did you mean fuzzing.testing.stopOnFailedTest?",
    )


@pytest.mark.parametrize("name", [name for name, rule in _RULES.items() if rule.unused])
def test_a_key_without_effect_is_noted_unless_it_is_medusas_default(tmp_path: Path, name: str) -> None:
    """It says why."""
    document = {"fuzzing": {"timeout": 1}}
    default = nested(name, _RULES[name].default)
    top = name.split(".")[0]
    assert not read(tmp_path, document | {top: document.get(top, {}) | default[top]}).notes
    (note,) = read(tmp_path, document | {top: document.get(top, {}) | nested(name, "other")[top]}).notes
    assert f"{name} has no effect: {_RULES[name].unused}" in note


def test_every_rule_sets_a_key_that_exists() -> None:
    """A misspelt one would be an error of the user's."""
    assert {rule.key for rule in _RULES.values()} - {""} <= set(FIELDS)


def test_a_campaign_without_limits_says_so(tmp_path: Path) -> None:
    """Medusa would never end."""
    (note,) = fuzzing(tmp_path).notes
    assert "Medusa runs for ever" in note
    assert not fuzzing(tmp_path, timeout=5).notes


def test_contracts_are_planned_in_medusas_order_at_its_addresses(tmp_path: Path) -> None:
    """Those with fixed addresses first; each deployment takes a nonce of the deployer."""
    keys = fuzzing(
        tmp_path,
        targetContracts=["A", "B"],
        targetContractsBalances=["1", "2"],
        predeployedContracts={"P": "0x1234", "B": "0x5678"},
        constructorArgs={"A": {"x": "9"}},
    ).configuration
    settings = campaign_settings(keys, "a.sol:A")
    plan = settings.targets
    assert [(each.name, each.address.hex()[-4:], each.value) for each in plan] == [
        ("P", "1234", b""),
        ("B", "5678", b"\2"),
        ("A", "cdc0", b"\1"),
    ]
    assert plan[2].arguments == b'{"x":"9"}'
    assert settings.contract_address == plan[2].address


def test_a_contract_that_a_flag_names_takes_the_place_of_the_targets(tmp_path: Path) -> None:
    """Unless it is one of them, which then comes first in reports alone."""
    keys = fuzzing(tmp_path, targetContracts=["A", "B"], constructorArgs={"C": {"x": "9"}}).configuration
    (other,) = campaign_settings(keys, "c.sol:C").targets
    assert (other.name, other.arguments) == ("c.sol:C", b'{"x":"9"}')
    assert [each.name for each in campaign_settings(keys, "b.sol:B").targets] == ["A", "B"]


def test_json_with_echidnas_keys_is_echidnas(tmp_path: Path) -> None:
    """JSON is YAML."""
    assert read(tmp_path, {"testMode": "assertion", "seqLen": 5}).configuration.sequence_length == 5

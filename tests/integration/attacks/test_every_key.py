"""Every key of every configuration format is held against the policy. A new one without a decision fails here."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import simulator.compile.projects.foundry_config
import simulator.compile.sources.remappings
from orchestrator.agents.client_policy import client_policy, confined
from orchestrator.agents.server_settings import server_settings
from orchestrator.command_line.fuzz_options import OPTIONS
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.keys import FIELDS
from orchestrator.configuration.layers import ENVIRONMENT, file_layer
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.powers import OF_THE_SERVER, POWERS, Power
from orchestrator.configuration.resolve import resolve
from simulator.compile import CompileOptions, compile_targets
from simulator.compile.projects.foundry_config import KEYS
from simulator.errors import CompileError, PolicyRefused
from simulator.policy import USER, Policy, agent_policy
from tools.campaign.extensions.lifecycle import StartCampaignInput

SOURCE = "pragma solidity ^0.8.0;\ncontract C {}\n"
NAMES_THE_MACHINE = re.compile(
    r"\b(folders?|files?|paths?|programs?|databases?|URLs?|ports?|listen|registry|environment|variables?|commands?)\b",
    re.I,
)
HARMLESS = {
    "contract": "`path:Name` is looked up among what was compiled",
    "coverageExcludes": "globs that source names are compared with",
    "automaticPriorities": "",
    "constructorValues": "values of the ABI",
    "cryticArgs": "remappings, which lead to sources that the policy is asked for",
    "exclude": "globs that source names are compared with",
    "testMode": "one of the table's names",
    "corpusFormat": "one of the formats' names",
    "constructorArgs": "values of Solidity types",
    "target": "read by the command line alone, for the user who names the configuration",
}
"""Keys whose meaning mentions a path, but which name nothing on the machine."""


def test_every_key_of_the_configuration_has_a_decision() -> None:
    """Echidna's and our own, as YAML, as flags and as environment variables."""
    assert set(POWERS) == set(FIELDS)
    assert {option.key for option in OPTIONS if getattr(option, "key", None)} <= set(POWERS)
    assert {option.name for option in OPTIONS if not getattr(option, "key", None)} == {"config", "resume", "log_format"}
    assert set(ENVIRONMENT.values()) <= set(POWERS)


@pytest.mark.parametrize("key", FIELDS)
def test_a_key_that_names_a_part_of_the_machine_has_a_power(key: str) -> None:
    """By its name and by what the reference says of it."""
    meaning = Configuration.model_fields[FIELDS[key]].description or ""
    named = NAMES_THE_MACHINE.search(meaning) or re.search(r"(Dir|Path|File|Url|Port|Host|Roots|FFI|Args)$", key)
    assert not named or POWERS[key] is not Power.NONE or key in HARMLESS, meaning


HOSTILE: dict[str, Any] = {
    "corpusDir": "/outside/corpus",
    "coverageDir": "../outside",
    "rpcUrl": "http://169.254.169.254/",
    "solcArgs": "--allow-paths /outside",
    "allowPaths": ["/outside"],
    "mcpAllowRpc": ["http://127.0.0.1:1"],
    "mcpRoots": ["/"],
    "mcpAuth": "none",
    "enabledToolGroups": ["campaign"],
    "mcpTools": "full",
    "maxCampaigns": 7,
    "executor": "ray",
    "seedSequences": ["/outside"],
    "toolNameStyle": "dotted",
    "codebaseEmbedder": "fastembed",
}


def hostile(key: str) -> Any:
    """A value of the key's type that is not its default."""
    default = getattr(Configuration(), FIELDS[key])
    if key in HOSTILE:
        return HOSTILE[key]
    if isinstance(default, bool):
        return not default
    return 77 if isinstance(default, int | float) or key.endswith("Port") else "/outside"


@pytest.mark.parametrize("key", [key for key, power in POWERS.items() if power not in (Power.NONE, Power.UNUSED)])
def test_a_client_gets_none_of_the_machine_by_a_key(key: str, tmp_path: Path) -> None:
    """The refusal names the key, the file and the line."""
    file = tmp_path / "echidna.yaml"
    value = hostile(key)
    file.write_text(f"{key}: {'[' + repr(value[0]) + ']' if isinstance(value, list) else str(value).lower()}\n")
    kind = ConfigurationError if POWERS[key] is Power.TRUST else PolicyRefused
    with pytest.raises(kind, match=re.escape(f"{file}:1: {key}")):
        confined(resolve([file_layer(file)]), Configuration(), agent_policy([tmp_path]), tmp_path)


def test_what_the_server_has_set_itself_is_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client's file may repeat it."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "echidna.yaml"
    file.write_text("allowFFI: true\nsolcPath: /bin/solc\nrpcUrl: http://localhost:1/mine\n")
    own = resolve([file_layer(file)]).configuration
    policy = client_policy(server_settings(own), own)
    assert confined(resolve([file_layer(file)]), own, policy, tmp_path) == own
    assert (policy.may_use_ffi, policy.programs, policy.network) == (True, ("/bin/solc",), ("http://localhost:1",))


def test_every_argument_of_start_campaign_has_a_decision() -> None:
    """Those that name a path are resolved within the roots, the others become keys of the configuration."""
    paths = {"paths", "config", "corpus_dir"}
    plain = {"contract", "test_mode", "call_limit", "time_limit", "workers", "seed"}
    of_the_campaign = {"paused"}
    keys = {"settings"}  # each with the power of its key, as in a file of the client
    assert set(StartCampaignInput.model_fields) == paths | plain | of_the_campaign | keys


def test_the_keys_of_foundry_toml_are_those_with_a_decision() -> None:
    """Whatever the code reads from a profile stands in the table."""
    read: set[str] = set()
    readers = ("_get", "get", "_one_of", "_texts", "_further_folders")
    for module in (simulator.compile.projects.foundry_config, simulator.compile.sources.remappings):
        for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                read |= {each.value for each in node.args if name in readers and isinstance(each, ast.Constant)}
    structure = {"profile", "default", "access", "path", "FOUNDRY_PROFILE", "strategy"}
    assert read - structure == set(KEYS) - {"src", "test"}


FOUNDRY: dict[str, str] = {
    "src": '"{outside}"',
    "test": '"../outside"',
    "out": '"{outside}/out"',
    "libs": '["../.."]',
    "remappings": '["x/={outside}/"]',
    "extends": '"{outside}/foundry.toml"',
    "allow_paths": '["{outside}"]',
    "include_paths": '["{outside}"]',
    "fs_permissions": '[{ access = "read", path = "{outside}" }]',
    "solc": '"{outside}/solc"',
    "solc_version": '"./solc"',
}


def test_every_powerful_key_of_foundry_toml_is_tried() -> None:
    """The table names what each can ask for."""
    assert set(FOUNDRY) == {key for key, power in KEYS.items() if power}


USED_ELSEWHERE = {
    ("agent", "fs_permissions"): "asked when a contract opens a file: tests/simulator/cheatcodes/test_policy.py",
    ("user", "fs_permissions"): "the same: tests/simulator/cheatcodes/test_files.py",
    ("user", "libs"): "sources alone are read from them: test_hostile_projects.py",
    ("user", "allow_paths"): "the same",
    ("user", "include_paths"): "the same",
}
TRIED = [(asks, key) for asks in ("agent", "user") for key in FOUNDRY if (asks, key) not in USED_ELSEWHERE]


@pytest.mark.parametrize(("asks", "key"), TRIED)
def test_foundry_toml_leads_nowhere(key: str, asks: str, tmp_path: Path) -> None:
    """A typed error with the key and the file; remappings and permissions name nothing until they are used."""
    outside, project = tmp_path / "outside", tmp_path / "project"
    (project / "src").mkdir(parents=True)
    outside.mkdir()
    (outside / "Other.sol").write_text("secret")
    imported = 'import "x/Other.sol";\n' if key == "remappings" else ""
    (project / "src/C.sol").write_text(imported + SOURCE)
    (project / "foundry.toml").write_text(
        f"[profile.default]\n{key} = {FOUNDRY[key].replace('{outside}', str(outside))}\n"
    )
    policy = agent_policy([project]) if asks == "agent" else USER
    with pytest.raises((PolicyRefused, CompileError)) as refused:
        compile_targets([project], CompileOptions(policy=policy, cache_directory=tmp_path / "cache", offline=True))
    assert isinstance(refused.value, CompileError if key == "remappings" else PolicyRefused)
    assert "secret" not in str(refused.value)
    if key != "remappings":  # asked when an import is read, and told with its place
        named = key.removesuffix("_version")
        assert str(refused.value).startswith(f"{project}/foundry.toml: {named}: ")


@pytest.mark.parametrize("name", ["roots", "programs", "network", "variables", "may_use_ffi", "trusts_project"])
def test_an_agent_has_less_than_a_user_in_every_part_of_the_policy(name: str) -> None:
    """A new part needs a decision for agents too."""
    assert name in Policy.__dataclass_fields__
    assert set(Policy.__dataclass_fields__) == {
        *("roots", "programs", "network", "variables", "may_use_ffi", "trusts_project")
    }
    agent = agent_policy([])
    assert not getattr(agent, name)
    assert {Power.PROGRAM, Power.FFI, Power.SERVER, Power.TRUST} == OF_THE_SERVER

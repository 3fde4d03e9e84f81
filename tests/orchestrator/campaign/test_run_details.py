"""The command that a report gives makes the same campaign again."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from orchestrator.assembly.run_details import CONFIGURATION_FILE, run_details
from orchestrator.command_line.fuzz import configuration_layers, fuzz
from orchestrator.configuration.decide import DecisionInputs, make_request
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.configuration.resolve import resolve
from simulator.project import Project, Unit

PROJECT = Project("/project", (Unit("0.8.30", "cancun", (), ()),))
SURROUNDINGS = DecisionInputs(3, 77, stdout_is_terminal=False, stderr_is_terminal=False, color=False)


def request_for(keys: dict[str, object], paths: tuple[Path, ...]) -> CampaignRequest:
    return make_request(paths, Configuration.model_validate(keys), SURROUNDINGS)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"testLimit": 100, "seed": 5, "workers": 2, "testMode": "property"},
        {"timeout": 2.5, "sender": [1, 0x20000], "constructorValues": ["-5", "a b", "'"], "allContracts": True},
        {"prefix": "p_", "mutConsts": [1, 2, 3, 4], "filterFunctions": ["A.f()"], "maxValue": 2**90},
        {"coverage": False, "excludeViewPure": True, "deployer": 2**160 - 1, "exclude": ["lib/*", "--x"]},
        {"deployContracts": [["0x1234", "Name"]], "stopAfterNoCoverage": 9.5, "contractAddr": "0x1234"},
        {"solcArgs": "--via-ir --optimize", "allowPaths": ["/a b"], "stopOnFail": True, "cryticArgs": ["--x"]},
    ],
)
def test_the_command_sets_what_the_campaign_had(tmp_path: Path, keys: dict[str, object]) -> None:
    (tmp_path / "a b.sol").touch()
    request = request_for({"testMode": "assertion", **keys}, (tmp_path / "a b.sol",))
    details = run_details(request, PROJECT, "a b.sol:T", None, 1.5)
    assert details.made == "1970-01-01T00:00:01Z"
    program, command, *arguments = shlex.split(details.command)
    assert (program, command) == ("monotreme", "fuzz")
    parsed = dict(fuzz.make_context("fuzz", arguments).params)
    file = parsed.pop("config")
    assert (file is None) == (not details.configuration)
    if file is not None:
        assert str(file) == CONFIGURATION_FILE
        file = tmp_path / CONFIGURATION_FILE
        text = (f"{key}: {json.dumps(value)}\n" for key, value in details.configuration.items())
        file.write_text("".join(text))
    again = resolve(configuration_layers(file, parsed)).configuration
    repeated = make_request(parsed["paths"], again, replace(SURROUNDINGS, cores=1, random_seed=1))
    wanted = request.configuration.model_copy(
        update={
            "contracts": ("a b.sol:T",),
            "seed": request.seed,
            "workers": request.workers,
            "timeout": request.time_limit,
        }
    )
    assert again == wanted
    assert (repeated.paths, repeated.seed, repeated.workers) == (request.paths, request.seed, request.workers)


def test_a_report_names_no_secret() -> None:
    keys = {
        "rpcUrl": "https://node.example/key",
        "etherscanApiKey": "key",
        "mcpAllowRpc": ["https://other.example/key"],
    }
    details = run_details(request_for(keys, (Path("a.sol"),)), PROJECT, "a.sol:T", None, 0.0)
    assert "key" not in msgspec.json.encode(details).decode()
    assert details.command.endswith("--rpc-url URL")

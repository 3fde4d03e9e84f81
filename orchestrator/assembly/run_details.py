"""Details of the run behind a report: versions, configuration, and the command that makes the campaign again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from orchestrator.configuration.model import (
    SECRET_KEYS,
    AgentKeys,
    BuildKeys,
    Configuration,
    OutputKeys,
)
from orchestrator.configuration.other_fuzzers_keys import UnusedKeys
from orchestrator.configuration.plain_values import yaml_values
from orchestrator.configuration.request import CampaignRequest
from orchestrator.report.model import RunDetails
from simulator.printable import encodable
from simulator.project import Project

CONFIGURATION_FILE: Final = "campaign.yaml"
_WITHOUT_EFFECT: Final = frozenset(
    info.alias or name
    for group in (OutputKeys, AgentKeys, BuildKeys, UnusedKeys)
    for name, info in group.model_fields.items()
) | {"target", "corpusDir", "corpusFormat"}

FLAG_NAMES: Final = {
    "contract": "--contract",
    "constructorValues": "--constructor-args",
    "allContracts": "--all-contracts",
    "testMode": "--test-mode",
    "testLimit": "--test-limit",
    "timeout": "--timeout",
    "seqLen": "--seq-len",
    "shrinkLimit": "--shrink-limit",
    "stopOnFail": "--stop-on-fail",
    "sender": "--sender",
    "deployer": "--deployer",
    "contractAddr": "--contract-addr",
    "rpcBlock": "--rpc-block",
    "solcArgs": "--solc-args",
    "solcVersion": "--solc-version",
    "solcPath": "--solc",
    "allowPaths": "--allow-paths",
    "exclude": "--exclude",
    "trustProject": "--trust-project",
    "fetchVyper": "--fetch-vyper",
    "seed": "--seed",
    "workers": "--workers",
}
"""By key, in the order in which a command names them."""


def run_details(
    request: CampaignRequest, project: Project, contract: str, baseline: int | None, made: float
) -> RunDetails:
    """The details of a campaign of `contract`, with the time of its report in Unix seconds."""
    values = _chosen(request, contract)
    return RunDetails(
        version=own_version(),
        made=datetime.fromtimestamp(int(made), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        root=project.root,
        compilers=tuple(dict.fromkeys(f"{unit.compiler} ({unit.evm_version})" for unit in project.units)),
        command=_command(request, values),
        configuration={key: value for key, value in values.items() if key not in FLAG_NAMES},
        baseline=baseline,
    )


def own_version() -> str:
    """The version of this program; empty where it runs without being installed."""
    try:
        return version("monotreme")
    except PackageNotFoundError:
        return ""


def _chosen(request: CampaignRequest, contract: str) -> dict[str, Any]:
    """Return the differences from a campaign with no settings, by key: what was set, and what was decided."""
    configuration, fields = request.configuration, Configuration.model_fields
    set_keys = {fields[name].alias or name for name in configuration.model_fields_set}
    values = {
        key: value
        for key, value in yaml_values(configuration).items()
        if key in set_keys and key not in _WITHOUT_EFFECT | SECRET_KEYS and value is not None
    }
    decided: dict[str, Any] = {
        "contract": encodable(contract),
        "testMode": configuration.test_mode,
        "testLimit": request.call_limit,
        "timeout": request.time_limit,
        "seed": request.seed,
        "workers": request.workers,
    }
    if configuration.target_contracts:
        # The contracts are said by that key, and a single one would take its place.
        del decided["contract"]
    return {**values, **{key: value for key, value in decided.items() if value is not None}}


def _command(request: CampaignRequest, values: dict[str, Any]) -> str:
    words = ["monotreme", "fuzz", *(encodable(str(path)) for path in request.paths)]
    if any(key not in FLAG_NAMES for key in values):
        words += ["--config", CONFIGURATION_FILE]
    for key, flag in FLAG_NAMES.items():
        if key in values:
            words += _flag(flag, values[key])
    if request.configuration.rpc_url:
        words += ["--rpc-url", "URL"]
    return shlex.join(words)


def _flag(flag: str, value: Any) -> Iterator[str]:
    match value:
        case True:
            yield flag
        case False:
            pass
        case list() | tuple():
            for each in value:
                yield from (flag, str(each))
        case float():
            yield from (flag, str(int(value)) if value.is_integer() else str(value))
        case _:
            # A value that begins with a dash would be taken for a flag.
            text = str(value)
            yield from ([f"{flag}={text}"] if text.startswith("-") else (flag, text))

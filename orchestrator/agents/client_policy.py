"""Permissions of a server's clients on this machine, from the settings of its administrator on the command line."""

from __future__ import annotations

import shlex
from pathlib import Path

from orchestrator.agents.server_settings import ServerSettings
from orchestrator.configuration.keys import FIELDS
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.powers import OF_THE_SERVER, POWERS, Power
from orchestrator.configuration.resolve import Resolved
from orchestrator.output_folders import WRITTEN
from simulator.compile.solc_arguments import parse_solc_arguments
from simulator.errors import PolicyRefused
from simulator.policy import Policy, Request, agent_policy

_DEFAULT = "default"


def client_policy(settings: ServerSettings, configuration: Configuration) -> Policy:
    """The policy of campaigns that clients begin. `configuration` is the server's own."""
    own = (configuration.rpc_url,) if configuration.rpc_url else ()
    return agent_policy(
        settings.roots.roots,
        program=configuration.solc_path,
        urls=(*configuration.mcp_allow_rpc, *own),
        may_use_ffi=configuration.allow_ffi,
    )


def confined(resolved: Resolved, base: Configuration, policy: Policy, here: Path) -> Configuration:
    """The configuration of a client with folders that are absolute and without links; relative ones start from `here`.

    `base` is the server's own. Raises `PolicyRefused` naming the key and its place, and `CompileError` for compiler
    arguments that are none.
    """
    configuration = resolved.configuration
    updates: dict[str, str | tuple[str, ...]] = {}
    for key, power in POWERS.items():
        name = FIELDS[key]
        value = getattr(configuration, name)
        source = resolved.sources[key]
        request = Request(key, "" if source in (key, _DEFAULT) else source)
        if power in OF_THE_SERVER and value != getattr(base, name):
            raise PolicyRefused(f"{request}: only the command line of the server may set this")
        if not value:
            continue
        match power:
            case Power.WRITES_FOLDER:
                updates[name] = str(policy.output_folder(request, here / value, WRITTEN))
            case Power.READS_FOLDERS:
                updates[name] = tuple(str(policy.file(request, here / each)) for each in value)
            case Power.NETWORK:
                policy.endpoints(request, value)
            case Power.COMPILER_ARGUMENTS:
                _check_arguments(request, value, policy)
            case _:
                pass
    return configuration.model_copy(update=updates)


def _check_arguments(request: Request, value: str, policy: Policy) -> None:
    try:
        parse_solc_arguments(shlex.split(value), Path.cwd(), policy)
    except PolicyRefused as error:
        raise PolicyRefused(f"{request}: {error}") from error

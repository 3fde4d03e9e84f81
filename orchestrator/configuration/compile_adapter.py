"""From configuration keys to the compiler's options."""

from __future__ import annotations

import shlex
from pathlib import Path

from orchestrator.configuration.crytic_arguments import compiler_arguments
from orchestrator.configuration.model import Configuration
from simulator.compile.options import CompileOptions
from simulator.policy import USER, Policy


def compile_options(configuration: Configuration, policy: Policy = USER) -> CompileOptions:
    """The options for `simulator.compile`; relative paths start from the working directory."""
    return CompileOptions(
        solc=Path(configuration.solc_path) if configuration.solc_path else None,
        solc_version=configuration.solc_version,
        solc_args=(*shlex.split(configuration.solc_args), *compiler_arguments(configuration.crytic_args)),
        policy=policy,
        may_fetch_vyper=configuration.fetch_vyper,
        contracts=_needed_contracts(configuration),
        allow_paths=tuple(Path(each) for each in configuration.allow_paths),
    )


def _needed_contracts(configuration: Configuration) -> tuple[str, ...]:
    """The contracts whose sources are compiled, the fuzzed one first; empty where it is still to be chosen."""
    keys = configuration
    fuzzed = keys.contracts + keys.target_contracts
    if not fuzzed:
        return ()
    return tuple(dict.fromkeys((*fuzzed, *keys.predeployed_contracts, *(name for _, name in keys.deploy_contracts))))

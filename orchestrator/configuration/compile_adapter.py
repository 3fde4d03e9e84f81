"""From configuration keys to the compiler's options."""

from __future__ import annotations

import shlex
from pathlib import Path

from orchestrator.configuration.model import Configuration
from simulator.compile.options import CompileOptions
from simulator.policy import USER, Policy


def compile_options(configuration: Configuration, policy: Policy = USER) -> CompileOptions:
    """The options for `simulator.compile`; relative paths start from the working directory."""
    return CompileOptions(
        solc=Path(configuration.solc_path) if configuration.solc_path else None,
        solc_version=configuration.solc_version,
        solc_args=tuple(shlex.split(configuration.solc_args)),
        policy=policy,
    )

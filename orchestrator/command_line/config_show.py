"""`monotreme config show`: every value and where it comes from, as a configuration file or as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from orchestrator.command_line.help_format import PLAIN_EXIT_CODES, GroupedCommand, GroupedOption, format_option
from orchestrator.streams import write_result, write_stderr
from simulator.printable import one_line

if TYPE_CHECKING:
    from orchestrator.configuration.resolve import Resolved

EXAMPLES = """\
Examples:
  monotreme config show                              the defaults, as a file to start from
  monotreme config show --config echidna.yaml        what this file sets, and what it leaves
  monotreme config show --config echidna.yaml --format json"""

_DEFAULT: Final = "default"
OF_THE_WORLD: Final = frozenset(
    (
        *("contractAddr", "deployer", "psender", "sender", "balanceAddr", "testMaxGas", "propMaxGas"),
        *("maxTimeDelay", "maxBlockDelay", "maxValue"),
    )
)
"""Keys whose defaults are those of the test mode."""


def _show(config: Path | None, output: str) -> int:
    from orchestrator.configuration.layers import environment_layer, file_layer
    from orchestrator.configuration.resolve import resolve

    layers = [environment_layer(os.environ)]
    resolved = resolve(layers if config is None else [file_layer(config), *layers])
    for warning in resolved.warnings:
        write_stderr(one_line(f"warning: {warning}"))
    if output == "json":
        write_result(as_json(resolved), "json")
    else:
        write_result(as_yaml(resolved))
    return 0


def as_json(resolved: Resolved) -> str:
    """One object: `keys` maps each key to its value and source; `warnings` and `notes` are lists of texts."""
    from orchestrator.configuration.plain_values import json_values

    values = _without_secrets(json_values(resolved.configuration))
    keys = {key: {"value": values[key], "source": source} for key, source in resolved.sources.items()}
    return json.dumps({"keys": keys, "warnings": resolved.warnings, "notes": resolved.notes}, indent=2)


def as_yaml(resolved: Resolved) -> str:
    """A configuration file that means the same, each line ending with the source of its value. Keys without effect
    are left out unless they are set."""
    return "\n".join(_yaml_lines(resolved))


def _yaml_lines(resolved: Resolved) -> Iterator[str]:
    from orchestrator.configuration.model import GROUPS
    from orchestrator.configuration.other_fuzzers_keys import UnusedKeys
    from orchestrator.configuration.plain_values import yaml_values

    values = _without_secrets(yaml_values(resolved.configuration))
    remarks = _remarks(resolved)
    for group in GROUPS:
        keys = [info.alias or name for name, info in group.model_fields.items()]
        if group is UnusedKeys:
            keys = [key for key in keys if resolved.sources[key] != _DEFAULT]
        if keys:
            yield f"# {(group.__doc__ or '').splitlines()[0]}"
        for key in keys:
            setting = f"{key}: {json.dumps(values[key])}"
            if key in OF_THE_WORLD and resolved.sources[key] == _DEFAULT:
                # As a setting, it would take the place of what another test mode begins with.
                yield f"# {setting:<42}  # default of Echidna's modes; another mode has its own"
            else:
                yield f"{setting:<44}  # {one_line(remarks.get(key, resolved.sources[key]))}"


def _without_secrets(values: dict[str, Any]) -> dict[str, Any]:
    from orchestrator.configuration.model import SECRET_KEYS

    return {key: None if key in SECRET_KEYS else value for key, value in values.items()}


def _remarks(resolved: Resolved) -> dict[str, str]:
    """Comment on a value, in place of its bare source."""
    from orchestrator.configuration.decide import DecisionInputs, default_time_limit, default_workers
    from orchestrator.configuration.model import SECRET_KEYS

    keys = resolved.configuration
    remarks = {key: f"{resolved.sources[key]} (not shown)" for key in SECRET_KEYS if resolved.sources[key] != _DEFAULT}
    if keys.workers is None:
        remarks["workers"] = f"default: {default_workers(DecisionInputs.observe().cores)}, one for each core, at most 4"
    if keys.timeout is None and default_time_limit(keys) is not None:
        remarks["timeout"] = f"default: {default_time_limit(keys):.0f} s, because there is no testLimit either"
    if keys.seed is None:
        remarks["seed"] = "default: a random one"
    return remarks


show = GroupedCommand(
    "show",
    callback=_show,
    examples=EXAMPLES,
    exit_codes=PLAIN_EXIT_CODES,
    short_help="Print every value and where it comes from.",
    help="Print every configuration value with its source: default, file and line, or environment variable.",
    params=[
        GroupedOption(
            "--config", group="Options", metavar="FILE", type=click.Path(path_type=Path), help="Configuration file."
        ),
        format_option("text", "json", help="YAML text, or one JSON document."),
    ],
)

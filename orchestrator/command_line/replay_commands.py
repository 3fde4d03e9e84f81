"""`monotreme replay-commands`: the commands of one campaign, applied to a fresh one of the same target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from orchestrator.command_line.fuzz import Ports, configuration_layers, print_resolved, result_form
from orchestrator.command_line.fuzz_options import OPTIONS
from orchestrator.command_line.help_format import GroupedCommand
from orchestrator.streams import write_result, write_stderr

EXAMPLES = """\
Examples:
  monotreme replay-commands corpus/mcp-commands.jsonl . --seed 1 --workers 1 --test-limit 2000000 --corpus-dir again"""


@click.pass_context
def _replay_commands(
    context: click.Context,
    /,
    log: Path,
    paths: tuple[Path, ...],
    config: Path | None,
    resume: bool,
    log_format: str,
    **flags: Any,
) -> int:
    # Everything behind the command is loaded here, so that help never waits for it.
    from orchestrator.configuration.decide import DecisionInputs, make_request
    from orchestrator.configuration.errors import ConfigurationError
    from orchestrator.configuration.resolve import resolve
    from orchestrator.logging import configure_logging
    from orchestrator.replay.recorded import read_commands
    from orchestrator.replay.run import run_replay

    ports = context.find_object(Ports) or Ports()
    if resume:
        raise ConfigurationError("replay-commands begins a campaign of its own: leave out --resume")
    commands = read_commands(log)
    resolved = resolve(configuration_layers(config, flags))
    request = make_request(paths, resolved.configuration, ports.surroundings or DecisionInputs.observe())
    configure_logging("json" if log_format == "json" else "text")
    print_resolved(resolved)
    if resolved.configuration.has_page:
        write_stderr("note: a replay has no dashboard; --dashboard and --dashboard-port have no effect here")
    outcome = run_replay(request, log, commands, write_stderr, ports.campaign_ports)
    if outcome.output:
        write_result(outcome.output, result_form(request))
    if outcome.error is not None:
        raise outcome.error
    return outcome.exit_code


replay_commands = GroupedCommand(
    "replay-commands",
    callback=_replay_commands,
    examples=EXAMPLES,
    short_help="Apply the recorded commands of a campaign to a fresh one.",
    help=(
        "Fuzz a target, and command the campaign what LOG (the mcp-commands.jsonl of a corpus folder) records, each"
        " command at the number of calls at which it took effect. With one worker, the same seed and the same limits"
        " the corpus is that of the recorded campaign. Commands that failed are listed and not applied."
    ),
    params=[
        click.Argument(
            ["log"], metavar="LOG", help="The recorded commands.", type=click.Path(exists=True, path_type=Path)
        ),
        click.Argument(
            ["paths"],
            nargs=-1,
            required=True,
            metavar="PATH...",
            help="Files, folders, a Foundry project or build-info JSON.",
            type=click.Path(exists=True, path_type=Path),
        ),
        *OPTIONS,
    ],
)

"""`monotreme fuzz`: from flags to a campaign request, from the campaign's outcome to stdout and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from orchestrator.command_line.fuzz_options import OPTIONS, REPORT_OPTIONS, flag_values
from orchestrator.command_line.help_format import GroupedCommand
from orchestrator.report.formats import REPORT_FORMATS
from orchestrator.streams import Form, write_result, write_stderr
from simulator.printable import one_line, shown_path

if TYPE_CHECKING:
    from orchestrator.campaign import ProgramPorts
    from orchestrator.campaign_service import CampaignService
    from orchestrator.configuration.decide import DecisionInputs
    from orchestrator.configuration.layers import Layer
    from orchestrator.configuration.request import CampaignRequest, CampaignResult
    from orchestrator.configuration.resolve import Resolved
    from orchestrator.dashboard.visitors import Visitors
    from orchestrator.several_campaigns import Turn

EXAMPLES = """\
Examples:
  monotreme fuzz Token.sol                                 properties of Token.sol, for 60 s
  monotreme fuzz . --contract TokenTest --test-mode assertion --timeout 600
  monotreme fuzz . --contract 'Crytic*' --timeout 600      each contract of such a name, in turn
  monotreme fuzz --config medusa.json                      as `medusa fuzz` would, target and all
  monotreme fuzz src/Vault.sol --config echidna.yaml --corpus-dir corpus --test-limit 10000000
  monotreme fuzz . --corpus-dir corpus --report sarif=out.sarif --report html=out.html --baseline known.json
  monotreme fuzz . --seed 1 --workers 1 --format json      the same campaign each time, as JSON"""

OTHERS_CONFIGURATIONS: Final = (
    *("echidna.yaml", "echidna.yml", "echidna.config.yaml", "echidna.config.yml", "echidna-config.yaml"),
    *("medusa.json", "medusa-config.json"),
)


@dataclass(frozen=True, slots=True)
class Ports:
    """External services of the fuzzing commands. None stands for the real implementation."""

    run_campaign: Callable[[CampaignRequest], CampaignResult] | None = None
    campaign_ports: ProgramPorts | None = None
    surroundings: DecisionInputs | None = None
    turns: Callable[[CampaignRequest], Sequence[Turn]] | None = None


@click.pass_context
def _fuzz(
    context: click.Context,
    /,
    paths: tuple[Path, ...],
    config: Path | None,
    resume: bool,
    log_format: str,
    report: tuple[str, ...],
    baseline: Path | None,
    **flags: Any,
) -> int:
    # pydantic, YAML and the campaign are loaded here, so that help never waits for them.
    from orchestrator.configuration.decide import DecisionInputs, make_request
    from orchestrator.configuration.resolve import resolve
    from orchestrator.logging import configure_logging
    from orchestrator.report.requested import read_requests
    from orchestrator.report.saved import read_baseline
    from orchestrator.several_campaigns import names_several

    ports = context.find_object(Ports) or Ports()
    resolved = resolve(configuration_layers(config, flags))
    paths = paths or target_paths(context, resolved)
    output = resolved.configuration.format or "none"
    reports = read_requests(report, stdout_taken_by=f"the report of --format {output}" if output != "none" else "")
    request = make_request(
        paths,
        resolved.configuration,
        ports.surroundings or DecisionInputs.observe(),
        resume=resume,
        reports=reports,
        baseline=read_baseline(baseline) if baseline is not None else None,
    )
    configure_logging("json" if log_format == "json" else "text")
    if resolved.configuration.format != "none":
        print_resolved(resolved)
        if config is None and (unused := unused_configurations(paths)) and not resolved.configuration.quiet:
            write_stderr(one_line(f"note: {unused}"))
    if names_several(request):
        return _fuzz_several(request, ports)
    outcome = (ports.run_campaign or _campaign_runner())(request)
    if outcome.output:
        write_result(outcome.output, result_form(request))
    if outcome.error is not None:
        raise outcome.error
    return outcome.exit_code


def _fuzz_several(request: CampaignRequest, ports: Ports) -> int:
    from orchestrator.campaign import ProgramPorts
    from orchestrator.command_line.fuzz_several import fuzz_in_turn
    from orchestrator.dashboard.visitors import Visitors
    from orchestrator.several_campaigns import turns_of

    visitors = Visitors()
    turns = ports.turns or partial(turns_of, ports=lambda own: ProgramPorts(service=service_for(own, visitors)))
    made = turns(request)
    visitors.planned = tuple(turn.contract for turn in made)
    return fuzz_in_turn(request, made, result_form(request))


def target_paths(context: click.Context, resolved: Resolved) -> tuple[Path, ...]:
    """The target that a configuration names, where the command line names none."""
    target = resolved.configuration.target
    if target is None:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    if not Path(target).exists():
        raise click.UsageError(f"{resolved.sources['target']}: target: {target} does not exist", context)
    return (Path(target),)


def result_form(request: CampaignRequest) -> Form:
    """Format of this request's report on stdout."""
    for each in request.reports:
        if each.path is None:
            return each.format.form
    form = REPORT_FORMATS[request.format].form
    return "colored" if request.color and form == "text" else form


def configuration_layers(config: Path | None, flags: dict[str, Any]) -> Sequence[Layer]:
    """The layers that a command line brings: file, environment, flags."""
    import os

    from orchestrator.configuration.crytic_arguments import words
    from orchestrator.configuration.layers import environment_layer, file_layer, flag_layer

    if flags.get("crytic_args") is not None:
        flags["crytic_args"] = tuple(words(flags["crytic_args"], "--crytic-args"))
    layers = [environment_layer(os.environ), flag_layer(flag_values(flags))]
    return layers if config is None else [file_layer(config), *layers]


def _campaign_runner() -> Callable[[CampaignRequest], CampaignResult]:
    from orchestrator.campaign import ProgramPorts, run_campaign

    return lambda request: run_campaign(request, ports=ProgramPorts(service=service_for(request)))


def service_for(request: CampaignRequest, visitors: Visitors | None = None) -> CampaignService:
    """A server for agents, and a page for people, where they are configured. Their packages are loaded only then: that
    takes a second or two. `visitors` are those of the pages before it."""
    from orchestrator.campaign_service import NoService

    configuration = request.configuration
    port = configuration.mcp_port
    serves = port is not None or configuration.has_page
    if not serves and not configuration.autopilot:
        return NoService()
    from orchestrator.agents.campaign_service import HttpService

    if not configuration.autopilot:
        return HttpService(configuration, port, visitors)
    from orchestrator.autopilot.service import AutopilotService, unserved

    inner = HttpService(configuration, port, visitors) if serves else unserved(configuration)
    return AutopilotService(inner, serves=serves)


def print_resolved(resolved: Resolved) -> None:
    """Likely mistakes and keys without effect, on stderr."""
    for warning in resolved.warnings:
        write_stderr(one_line(f"warning: {warning}"))
    if not resolved.configuration.quiet:
        for note in resolved.notes:
            write_stderr(one_line(f"note: {note}"))


fuzz = GroupedCommand(
    "fuzz",
    callback=_fuzz,
    examples=EXAMPLES,
    short_help="Compile, deploy and fuzz a Solidity target.",
    help=(
        "Compile, deploy and fuzz Solidity files, a folder, a Foundry project or build-info JSON. Functions named"
        " echidna_* are properties that must stay true; --test-mode assertion looks for failing asserts, --test-mode"
        " foundry runs Foundry tests and invariants. Without it the contract decides. Broken tests are"
        " shrunk to a minimal sequence of calls."
    ),
    params=[
        click.Argument(
            ["paths"],
            nargs=-1,
            metavar="PATH...",
            help="Files, folders, a Foundry project or build-info JSON. Not needed where --config names a target.",
            type=click.Path(exists=True, path_type=Path),
        ),
        *OPTIONS,
        *REPORT_OPTIONS,
    ],
)


def unused_configurations(paths: Sequence[Path]) -> str | None:
    """One line that names the configurations of other fuzzers beside these targets, which count only when `--config`
    names them; None when there is none."""
    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in paths)
    found = [folder / name for folder in folders for name in OTHERS_CONFIGURATIONS if (folder / name).is_file()]
    if not found:
        return None
    shown = ", ".join(map(shown_path, found))
    return (
        f"{shown}: not used, as no --config names {'it' if len(found) == 1 else 'one'}: --config {shown_path(found[0])}"
    )

"""`monotreme mutate`: from flags to a run of mutants, from its report to stdout and an exit code."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.command_line.fuzz import Ports, configuration_layers, print_resolved, target_paths
from orchestrator.command_line.fuzz_options import OPTIONS
from orchestrator.command_line.help_format import GroupedCommand, GroupedOption, format_option
from orchestrator.streams import Form, write_result, write_stderr
from simulator.printable import one_line

if TYPE_CHECKING:
    from orchestrator.mutation.request import MutationFormat

EXAMPLES = """\
Examples:
  monotreme fuzz . --contract VaultTest --corpus-dir corpus --timeout 300     make a corpus
  monotreme mutate . --contract VaultTest --corpus-dir corpus                 ask what its tests notice
  monotreme mutate . --contract VaultTest --corpus-dir corpus --only src/Vault.sol --mutants 100
  monotreme mutate . --contract VaultTest --corpus-dir corpus --format html > mutants.html"""

EXIT_CODES = """\
Exit codes:
  0    no mutant survived of those that were tried
  1    a mutant survived
  2    wrong usage, configuration or target
  3    the machine, a worker or the program failed
  130  interrupted before a mutant survived"""

_GROUPS = ("Target", "Tests", "Chain", "Compilation")
_NAMES = ("--seed", "--workers", "--corpus-dir", "--quiet", "--seq-len")
_FORMATS: dict[str, Form] = {"text": "text", "json": "json", "html": "text"}


@click.pass_context
def _mutate(
    context: click.Context,
    /,
    paths: tuple[Path, ...],
    config: Path | None,
    mutants: int,
    calls_each: int,
    seconds_each: float,
    timeout: float | None,
    only: tuple[str, ...],
    resume: bool,
    output: MutationFormat,
    **flags: Any,
) -> int:
    # The compiler, the actors and the report are loaded here, so that help never waits for them.
    from orchestrator.configuration.decide import DecisionInputs, make_request
    from orchestrator.configuration.errors import ConfigurationError
    from orchestrator.configuration.resolve import resolve
    from orchestrator.logging import configure_logging
    from orchestrator.mutation.request import MutationRequest
    from orchestrator.mutation.run import run_mutation

    ports = context.find_object(Ports) or Ports()
    resolved = resolve(configuration_layers(config, flags))
    paths = paths or target_paths(context, resolved)
    campaign = make_request(paths, resolved.configuration, ports.surroundings or DecisionInputs.observe())
    folder = campaign.corpus_directory
    if resume and folder is None:
        raise ConfigurationError("--resume needs the folder of the run to resume: give --corpus-dir or corpusDir")
    if folder is not None and not folder.is_dir():
        raise ConfigurationError(f"--corpus-dir: {folder} does not exist: fuzz with --corpus-dir {folder} first")
    configure_logging("text")
    print_resolved(resolved)
    quiet = resolved.configuration.quiet
    request = MutationRequest(
        campaign, mutants, calls_each, seconds_each, math.inf if timeout is None else timeout, only, resume, output
    )
    outcome = run_mutation(request, (lambda _: None) if quiet else lambda text: write_stderr(one_line(text)))
    write_result(outcome.output, "colored" if campaign.color and output == "text" else _FORMATS[output])
    return outcome.exit_code


def _options() -> list[click.Option]:
    """Return the options of `fuzz` about what is deployed and how."""
    return [
        option
        for option in OPTIONS
        if isinstance(option, GroupedOption) and (option.group in _GROUPS or option.opts[0] in _NAMES)
    ]


def _number(name: str, metavar: str, type_: click.ParamType[Any], default: float, help_: str) -> GroupedOption:
    return GroupedOption(
        name, group="Mutants", metavar=metavar, type=type_, default=default, help=help_, shown_default=f"{default:g}"
    )


mutate = GroupedCommand(
    "mutate",
    callback=_mutate,
    examples=EXAMPLES,
    exit_codes=EXIT_CODES,
    short_help="Ask which faults in the code under test its tests notice.",
    help=(
        "Make faulty versions of the code under test, replay the corpus on each and fuzz those that survive it, and"
        " report which of them no test notices. Nothing is compiled anew: another instruction is put in place of one"
        " in the deployed code. Tests, harnesses and libraries are left as they are."
    ),
    params=[
        click.Argument(
            ["paths"],
            nargs=-1,
            metavar="PATH...",
            help="Files, folders, a Foundry project or build-info JSON. Not needed where --config names a target.",
            type=click.Path(exists=True, path_type=Path),
        ),
        _number("--mutants", "N", click.IntRange(1), 1000, "Try at most so many, spread over the lines."),
        _number(
            "--calls-each",
            "N",
            click.IntRange(0),
            20_000,
            "Calls to fuzz each mutant that survives the corpus; 0 only replays.",
        ),
        _number(
            "--seconds-each",
            "S",
            click.FloatRange(0, min_open=True),
            10.0,
            "End the fuzzing of a mutant after so much processor time, whatever calls are left.",
        ),
        GroupedOption(
            "--timeout",
            group="Mutants",
            metavar="S",
            type=click.FloatRange(0, min_open=True),
            help="End after so many seconds, with a report of what was tried by then.",
            shown_default="none",
        ),
        GroupedOption(
            "--only",
            group="Mutants",
            metavar="NAME",
            multiple=True,
            help="Change this file, contract, function or Contract.function alone; several may be given.",
        ),
        GroupedOption(
            "--resume",
            group="Mutants",
            is_flag=True,
            help="Continue with the same run, whose results are in --corpus-dir.",
        ),
        format_option("text", "json", "html", group="Mutants", help="Report on stdout."),
        *_options(),
    ],
)

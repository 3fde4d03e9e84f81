"""`monotreme compare`: what differs between two campaigns."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.command_line.help_format import GroupedCommand, format_option
from orchestrator.streams import write_result

EXAMPLES = """\
Examples:
  monotreme compare corpus-main corpus-branch
  monotreme compare before.json after.json --format json"""
EXIT_CODES = """\
Exit codes:
  0    nothing is worse
  1    a test fails or is missing that did not and was not, or a finding is new
  2    wrong usage or input
  3    the machine or the program failed
  130  interrupted"""


def _compare(before: Path, after: Path, output: str) -> int:
    from orchestrator.comparison.compare import compare
    from orchestrator.comparison.text import render_comparison, render_comparison_json
    from orchestrator.report.saved import read_report

    found = compare(read_report(before), read_report(after))
    if output == "json":
        write_result(render_comparison_json(found), "json")
    else:
        write_result(render_comparison(found))
    return int(found.worse)


def _campaign(name: str) -> click.Argument:
    return click.Argument([name], metavar=name.upper(), type=click.Path(exists=True, path_type=Path))


compare_campaigns = GroupedCommand(
    "compare",
    callback=_compare,
    examples=EXAMPLES,
    exit_codes=EXIT_CODES,
    short_help="Show what differs between two campaigns.",
    help=(
        "Compare two campaigns by their corpus folders or JSON reports: tests with another verdict, findings that are"
        " new or gone, lines of source won and lost, speed. Coverage that is lost is shown, and is no failure: it"
        " depends on chance and budget."
    ),
    params=[
        _campaign("before"),
        _campaign("after"),
        format_option("text", "json", help="Text, or one JSON document."),
    ],
)

"""`monotreme show`: the report of a campaign that has ended, again."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.command_line.help_format import PLAIN_EXIT_CODES, GroupedCommand, GroupedOption
from orchestrator.streams import Form, write_result

EXAMPLES = """\
Examples:
  monotreme show corpus
  monotreme show corpus --report markdown=comment.md --report sarif=out.sarif"""


def _show(campaign: Path, output: str | None, requests: tuple[str, ...]) -> int:
    import os
    import sys

    from orchestrator.report.errors import ReportRequestError
    from orchestrator.report.files import write_report
    from orchestrator.report.formats import REPORT_FORMATS
    from orchestrator.report.requested import read_requests
    from orchestrator.report.saved import read_report, saved_material
    from orchestrator.streams import is_terminal

    taken = "" if output in (None, "none") else f"the report of --format {output}"
    reports = read_requests(requests, stdout_taken_by=taken)
    for each in reports:
        if each.format.needs_sources:
            raise ReportRequestError(
                f"--report {each.format.name}: a saved report does not hold what it is made of; "
                "give this flag to `monotreme fuzz`"
            )
    material = saved_material(read_report(campaign))
    for each in reports:
        text = each.format.render(material)
        if each.path is None:
            write_result(text, each.format.form)
        else:
            write_report(each.path, text)
    form = REPORT_FORMATS[output or ("none" if reports else "text")]
    if form.module:
        color = is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        shown: Form = "colored" if color and form.form == "text" else form.form
        write_result(form.render(material.report, color=color), shown)
    return 0


show_campaign = GroupedCommand(
    "show",
    callback=_show,
    examples=EXAMPLES,
    exit_codes=PLAIN_EXIT_CODES,
    short_help="Print the report of a campaign that has ended.",
    help="Print the report of a campaign from its corpus folder or its JSON report, or write it in other formats.",
    params=[
        click.Argument(["campaign"], metavar="CAMPAIGN", type=click.Path(exists=True, path_type=Path)),
        GroupedOption(
            "--format",
            "output",
            group="Options",
            type=click.Choice(["text", "json", "none"]),
            help="Report on stdout.",
            shown_default="text; none with --report",
        ),
        GroupedOption(
            "--report",
            "requests",
            group="Options",
            metavar="FORMAT=FILE",
            multiple=True,
            help="Write a report: json, html, markdown, junit, sarif, github, text. FILE - is stdout.",
        ),
    ],
)

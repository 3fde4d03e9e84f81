"""`monotreme show`: the report of a campaign that has ended, again, or its dashboard."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.command_line.help_format import PLAIN_EXIT_CODES, GroupedCommand, GroupedOption
from orchestrator.streams import Form, write_result

EXAMPLES = """\
Examples:
  monotreme show corpus
  monotreme show corpus --report markdown=comment.md --report sarif=out.sarif
  monotreme show corpus --dashboard                     open the campaign in a browser"""


def _show(
    campaign: Path, output: str | None, requests: tuple[str, ...], dashboard: bool, dashboard_port: str | None
) -> int:
    if dashboard or dashboard_port is not None:
        if output is not None or requests:
            raise click.UsageError("--dashboard serves a page until Ctrl-C; it goes without --format and --report")
        return _serve(campaign, dashboard_port)
    import os
    import sys

    from orchestrator.dashboard.saved.overview import overview_of, render_overview_json, render_overview_text
    from orchestrator.report.errors import ReportRequestError
    from orchestrator.report.files import write_report
    from orchestrator.report.formats import REPORT_FORMATS
    from orchestrator.report.requested import read_requests
    from orchestrator.report.saved import read_report, saved_material
    from orchestrator.streams import is_terminal
    from simulator.printable import shown_path

    taken = "" if output in (None, "none") else f"the report of --format {output}"
    reports = read_requests(requests, stdout_taken_by=taken)
    for each in reports:
        if each.format.needs_sources:
            raise ReportRequestError(
                f"--report {each.format.name}: a saved report does not hold what it is made of; "
                "give this flag to `monotreme fuzz`"
            )
    color = is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if (overview := overview_of(campaign)) is not None:
        if reports:
            raise ReportRequestError(
                f"{shown_path(campaign)}: holds several campaigns: --report needs one of its folders"
            )
        if output == "json":
            write_result(render_overview_json(overview), "json")
        elif output != "none":
            write_result(render_overview_text(overview, color=color), "colored" if color else "text")
        return 0
    material = saved_material(read_report(campaign))
    for each in reports:
        text = each.format.render(material)
        if each.path is None:
            write_result(text, each.format.form)
        else:
            write_report(each.path, text)
    form = REPORT_FORMATS[output or ("none" if reports else "text")]
    if form.module:
        shown: Form = "colored" if color and form.form == "text" else form.form
        write_result(form.render(material.report, color=color), shown)
    return 0


def _serve(campaign: Path, port: str | None) -> int:
    import os

    from orchestrator.agents.saved_page import run_saved_page
    from orchestrator.configuration.layers import environment_layer, flag_layer
    from orchestrator.configuration.resolve import resolve

    flags = {"dashboardPort": ("--dashboard-port", port)} if port is not None else {}
    run_saved_page(campaign, resolve([environment_layer(os.environ), flag_layer(flags)]).configuration)
    return 0


show_campaign = GroupedCommand(
    "show",
    callback=_show,
    examples=EXAMPLES,
    exit_codes=PLAIN_EXIT_CODES,
    short_help="Print the report of a campaign that has ended.",
    help=(
        "Print the report of a campaign from its corpus folder or its JSON report, or write it in other formats. For a"
        " folder of several campaigns, a line on each."
    ),
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
        GroupedOption(
            "--dashboard",
            group="Options",
            is_flag=True,
            help="Serve the dashboard of the campaign in a corpus folder, also of one whose program died.",
        ),
        GroupedOption(
            "--dashboard-port",
            group="Options",
            metavar="PORT",
            help="Serve it at http://127.0.0.1:PORT; 0: any free port.",
            shown_default="8010 with --dashboard",
        ),
    ],
)

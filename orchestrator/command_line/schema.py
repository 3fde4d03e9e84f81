"""`monotreme schema`: the JSON schemas of the program's documents."""

from __future__ import annotations

import click

from orchestrator.command_line.help_format import PLAIN_EXIT_CODES, GroupedCommand
from orchestrator.streams import write_result

EXAMPLES = """\
Examples:
  monotreme schema report > report.schema.json"""
DOCUMENTS = ("report", "comparison")


def _schema(document: str) -> int:
    from msgspec import Struct

    from orchestrator.comparison.model import Comparison
    from orchestrator.report.model import SCHEMA_VERSION, CampaignReport
    from orchestrator.report.schemas import document_schema

    types: dict[str, tuple[int, type[Struct]]] = {
        "report": (SCHEMA_VERSION, CampaignReport),
        "comparison": (1, Comparison),
    }
    version, type_ = types[document]
    write_result(document_schema(document, version, type_), "json")
    return 0


schema = GroupedCommand(
    "schema",
    callback=_schema,
    examples=EXAMPLES,
    exit_codes=PLAIN_EXIT_CODES,
    short_help="Print the JSON schema of a document.",
    help=(
        "Print the JSON schema (2020-12) of a document: the report of a campaign, or a comparison of two. A version"
        " may gain members; what it has is neither changed nor removed."
    ),
    params=[click.Argument(["document"], metavar="|".join(DOCUMENTS), type=click.Choice(DOCUMENTS))],
)

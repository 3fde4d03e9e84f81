"""`monotreme schema`: the JSON schemas of the program's documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from orchestrator.command_line.help_format import PLAIN_EXIT_CODES, GroupedCommand
from orchestrator.streams import write_result

if TYPE_CHECKING:
    from msgspec import Struct

EXAMPLES = """\
Examples:
  monotreme schema report > report.schema.json"""
DOCUMENTS = ("report", "comparison")

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _schema(document: str) -> int:
    from orchestrator.comparison.model import Comparison
    from orchestrator.report.model import SCHEMA_VERSION, CampaignReport

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


def document_schema(name: str, version: int, type_: type[Struct]) -> str:
    """The schema of a document. Members that a reader does not know are allowed: they may be added to a version; what
    is there is neither changed nor removed without a new one."""
    from msgspec.json import schema as schema_of

    schema: dict[str, Any] = schema_of(type_)
    head = {
        "$schema": DIALECT,
        "$id": f"urn:monotreme:{name}:{version}",
        "title": f"Monotreme {name}, schema {version}",
    }
    return json.dumps({**head, **schema}, indent=2) + "\n"

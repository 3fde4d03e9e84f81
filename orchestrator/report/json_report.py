"""The campaign's result as its one JSON document."""

from __future__ import annotations

import msgspec

from orchestrator.report.model import CampaignReport
from simulator.encoding import encode_json
from simulator.printable import printable_json


def render_json(report: CampaignReport) -> str:
    """The document of schema 1, indented, ending with a line feed. Equal reports give equal texts."""
    return printable_json(msgspec.json.format(encode_json(report), indent=2).decode()) + "\n"

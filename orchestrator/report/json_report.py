"""The campaign's result as its one JSON document."""

from __future__ import annotations

import msgspec

from orchestrator.report.model import CampaignReport


def render_json(report: CampaignReport) -> str:
    """The document of schema 1, indented, ending with a line feed. Equal reports give equal texts."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"

"""The text, the JSON document and the LCOV tracefile as files."""

from __future__ import annotations

from orchestrator.report.json_report import render_json
from orchestrator.report.material import ReportMaterial
from orchestrator.report.text import render_text
from simulator.coverage import lcov
from simulator.printable import printable


def render_json_file(material: ReportMaterial) -> str:
    """The document of `--format json`."""
    return render_json(material.report)


def render_text_file(material: ReportMaterial) -> str:
    """The report of `--format text`, without colours."""
    return printable(render_text(material.report))


def render_lcov_file(material: ReportMaterial) -> str:
    """The coverage of all sources."""
    return lcov.render(material.files or (), material.root)

"""Reports of earlier campaigns, read back from their folders or files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from orchestrator.report.errors import ReportRequestError
from orchestrator.report.findings import findings
from orchestrator.report.material import ReportMaterial
from orchestrator.report.model import SCHEMA_VERSION, CampaignReport
from simulator.files.regular_file import TooLargeError, read_at_most
from simulator.printable import one_line, shown_path

REPORT_FILE: Final = "report.json"
"""The report as JSON, in the folder of a campaign."""
MAX_BYTES: Final = 256 << 20


def read_report(place: Path) -> CampaignReport:
    """The report in a folder of a campaign, or in a JSON file. Raises `ReportRequestError`."""
    path = place / REPORT_FILE if place.is_dir() else place
    try:
        data = read_at_most(path.resolve(), MAX_BYTES)
    except FileNotFoundError as error:
        hint = "; a campaign with --corpus-dir writes it at its end" if path != place else ""
        raise ReportRequestError(f"{shown_path(path)}: there is no such report{hint}") from error
    except TooLargeError as error:
        raise ReportRequestError(f"{shown_path(path)}: over {MAX_BYTES >> 20} MiB, which no report has") from error
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ReportRequestError(f"{shown_path(path)}: cannot be read: {reason}") from error
    try:
        return msgspec.json.decode(data, type=CampaignReport)
    except (msgspec.DecodeError, RecursionError) as error:
        wanted = f"a JSON report of schema {SCHEMA_VERSION}, as --report json=FILE writes it"
        raise ReportRequestError(f"{shown_path(path)}: not {wanted}: {one_line(str(error))}") from error


def read_baseline(place: Path) -> frozenset[str]:
    """The fingerprints of the findings of a report. Raises `ReportRequestError`."""
    prints = frozenset(finding.fingerprint for _, finding in findings(read_report(place)))
    if "" in prints:
        raise ReportRequestError(f"{shown_path(place)}: its findings have no fingerprints; make the report again")
    return prints


def saved_material(report: CampaignReport) -> ReportMaterial:
    """Return the material that a report alone is enough for: everything but the sources and how often their lines
    ran."""
    root = report.run.root if report.run else ""
    return ReportMaterial(report, None, report.campaign.target.rpartition(":")[2], root, os.getcwd(), 0)

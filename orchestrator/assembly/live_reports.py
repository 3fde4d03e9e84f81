"""Reports of a running campaign."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import trio

from actors.campaign.status import CampaignEnd
from actors.corpus.keeper import CorpusKeeper
from actors.coverage.tracker import CoverageTracker
from actors.health.campaign_health import health_notes
from actors.priorities.manager import PriorityManager
from actors.runtime.errors import CommandRejected, StorageFailed
from orchestrator.assembly.addresses import DeployedNames
from orchestrator.assembly.result import CampaignMaterial, build_findings, write_coverage
from orchestrator.configuration.request import CampaignRequest
from orchestrator.report.errors import ReportError
from orchestrator.report.files import write_report
from orchestrator.report.json_report import render_json
from orchestrator.report.saved import REPORT_FILE
from simulator.project import Project
from simulator.settings import CampaignSettings


@dataclass(frozen=True)
class LiveReports:
    """Writes what the end of the campaign writes, as of now: coverage reports, and the report as JSON besides."""

    request: CampaignRequest
    settings: CampaignSettings
    project: Project
    deployment: DeployedNames
    tracker: CoverageTracker
    keeper: CorpusKeeper
    priorities: PriorityManager

    async def __call__(self, end: CampaignEnd) -> tuple[str, ...]:
        """The files that were written. Renders in a thread. Raises `CommandRejected` without a folder to write to, and
        `StorageFailed`."""
        folder = self.request.coverage_directory
        if folder is None:
            raise CommandRejected("there is no folder for reports: set coverageDir or corpusDir")
        material = CampaignMaterial(
            self.request,
            self.settings,
            self.project,
            self.deployment.book(),
            end,
            self.tracker.snapshot(),
            self.keeper.statistics(),
            notes=health_notes(self.tracker, self.priorities),
        )
        try:
            return await trio.to_thread.run_sync(_write, material, folder)
        except (ReportError, OSError) as error:
            raise StorageFailed(f"{folder}: {error}") from error


def _write(material: CampaignMaterial, folder: Path) -> tuple[str, ...]:
    findings = build_findings(material)
    files = write_coverage(material, findings.files, findings.report.health or None)
    report = folder / REPORT_FILE
    write_report(report, render_json(findings.report))
    return (*map(str, files), str(report))

"""From the end of a campaign to its report, its coverage files and the program's exit code."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import assert_never

import msgspec

from actors.campaign.status import CampaignEnd
from actors.campaign.tests import TestRecord
from actors.corpus.keeper import CorpusStatistics
from actors.coverage.report import ReportBuilder
from actors.coverage.tracker import CoverageSnapshot
from actors.events.types import StopReason
from orchestrator.assembly.compilation import unreported_sources
from orchestrator.configuration.request import CampaignRequest
from orchestrator.report.build import campaign_summary, reproducer
from orchestrator.report.files import CoverageFormat, write_coverage_files
from orchestrator.report.json_report import render_json
from orchestrator.report.model import CampaignReport, CorpusSummary, TestReport, TestStatus
from orchestrator.report.text import render_text
from simulator.coverage.file_coverage import FileCoverage
from simulator.coverage.summary import summarize
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.trace.address_book import AddressBook

INTERRUPTED = 130
INFRASTRUCTURE = 3


class CampaignMaterial(msgspec.Struct, frozen=True):
    """Everything that a report is made of."""

    request: CampaignRequest
    settings: CampaignSettings
    project: Project
    book: AddressBook
    end: CampaignEnd
    coverage: CoverageSnapshot
    corpus: CorpusStatistics


class Findings(msgspec.Struct, frozen=True):
    """The report and the sources behind its coverage."""

    report: CampaignReport
    files: tuple[FileCoverage, ...]


def build_findings(material: CampaignMaterial) -> Findings:
    """The report's model. Takes from milliseconds to seconds: call it in a thread."""
    end, request = material.end, material.request
    files = ReportBuilder(material.project, unreported_sources(material.project, request.configuration)).files(
        material.coverage
    )
    report = CampaignReport(
        campaign=campaign_summary(
            target=material.settings.contract,
            mode=material.settings.test_mode,
            seed=request.seed,
            workers=request.workers,
            calls=end.calls,
            duration=end.seconds,
            stop_reason=end.reason.value,
            left_out=end.ready.left_out if end.ready is not None else (),
        ),
        tests=tuple(_test(record, material.book) for record in end.tests),
        coverage=summarize(files),
        corpus=_corpus(material.corpus, request.corpus_directory),
    )
    return Findings(report, files)


def write_coverage(material: CampaignMaterial, files: Sequence[FileCoverage]) -> tuple[Path, ...]:
    """The coverage reports that the request asks for; none without a folder. Raises `ReportError`."""
    folder = material.request.coverage_directory
    if folder is None or not material.request.configuration.coverage:
        return ()
    names = {_format(name): None for name in material.request.configuration.coverage_formats}
    title = material.request.configuration.project_name or material.settings.contract
    return write_coverage_files(
        folder, files, timestamp=int(time.time()), title=title, root=material.project.root, formats=tuple(names)
    )


def render(report: CampaignReport, request: CampaignRequest) -> str:
    """The report as the request wants it on stdout."""
    match request.format:
        case "text":
            return render_text(report, color=request.color)
        case "json":
            return render_json(report)
        case "none":
            return ""
        case _:
            assert_never(request.format)


def exit_code(end: CampaignEnd) -> int:
    """0 nothing found, 1 findings, 3 not carried out, 130 interrupted without findings."""
    if any(record.falsified for record in end.tests):
        return 1
    if end.reason is StopReason.INTERRUPTED:
        return INTERRUPTED
    return INFRASTRUCTURE if end.failure is not None else 0


def _format(name: str) -> CoverageFormat:
    match name:
        case "html":
            return "html"
        case "lcov":
            return "lcov"
        case _:
            return "txt"


def _corpus(statistics: CorpusStatistics, folder: Path | None) -> CorpusSummary:
    return CorpusSummary(statistics.sequences, statistics.transactions, str(folder) if folder else None)


def _test(record: TestRecord, book: AddressBook) -> TestReport:
    unshrunk = record.unshrunk if record.unshrunk != record.sequence else ()
    return TestReport(
        name=record.info.name,
        type=record.info.kind,
        contract=record.info.contract,
        status=_status(record),
        reason=record.reason or None if _status(record) != "passed" else None,
        shrunk=record.minimal,
        reproducer=reproducer(record.sequence, book),
        value=record.value,
        trace=record.trace,
        unshrunk=reproducer(unshrunk, book),
    )


def _status(record: TestRecord) -> TestStatus:
    if record.falsified:
        return "falsified"
    return "error" if record.state == "error" else "passed"

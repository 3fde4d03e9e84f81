"""From the end of a campaign to its report, its coverage files and the program's exit code."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

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
from orchestrator.report.files import write_coverage_files
from orchestrator.report.formats import REPORT_FORMATS
from orchestrator.report.model import (
    CampaignReport,
    CorpusSummary,
    ExportReport,
    FindingReport,
    ReproducerCall,
    TestReport,
    TestStatus,
)
from simulator.coverage.file_coverage import FileCoverage
from simulator.coverage.summary import summarize
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.trace.address_book import AddressBook

INTERRUPTED = 130
INFRASTRUCTURE = 3


class CampaignMaterial(msgspec.Struct, frozen=True):
    """Everything that a report is made of. `exports` are the Foundry tests by the ids of their findings."""

    request: CampaignRequest
    settings: CampaignSettings
    project: Project
    book: AddressBook
    end: CampaignEnd
    coverage: CoverageSnapshot
    corpus: CorpusStatistics
    exports: Mapping[int, ExportReport] = {}


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
            gas=end.gas,
        ),
        tests=tuple(_test(record, material) for record in end.tests if record.parent < 0),
        coverage=summarize(files),
        corpus=_corpus(material.corpus, request.corpus_directory),
    )
    return Findings(report, files)


def write_coverage(material: CampaignMaterial, files: Sequence[FileCoverage]) -> tuple[Path, ...]:
    """The coverage reports that the request asks for; none without a folder. Raises `ReportError`."""
    folder = material.request.coverage_directory
    if folder is None or not material.request.configuration.coverage:
        return ()
    names = dict.fromkeys(material.request.configuration.coverage_formats)
    title = material.request.configuration.project_name or material.settings.contract
    return write_coverage_files(
        folder, files, timestamp=int(time.time()), title=title, root=material.project.root, formats=names
    )


def render(report: CampaignReport, request: CampaignRequest) -> str:
    """The report as the request wants it on stdout."""
    return REPORT_FORMATS[request.format].render(report, color=request.color)


def exit_code(end: CampaignEnd) -> int:
    """0 nothing found, 1 findings, 3 not carried out, 130 interrupted without findings."""
    if any(record.falsified for record in end.tests):
        return 1
    if end.reason is StopReason.INTERRUPTED:
        return INTERRUPTED
    return INFRASTRUCTURE if end.failure is not None else 0


def _corpus(statistics: CorpusStatistics, folder: Path | None) -> CorpusSummary:
    return CorpusSummary(statistics.sequences, statistics.transactions, str(folder) if folder else None)


def _test(record: TestRecord, material: CampaignMaterial) -> TestReport:
    book = material.book
    further = [other for other in material.end.tests if other.parent == record.info.id]
    findings = tuple(_finding(each, material) for each in (record, *further)) if record.falsified else ()
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
        unshrunk=_unshrunk(record, book),
        call_trace=record.calls,
        site=record.site,
        findings=findings,
        foundry_test=material.exports.get(record.info.id),
    )


def _finding(record: TestRecord, material: CampaignMaterial) -> FindingReport:
    book = material.book
    return FindingReport(
        site=record.site,
        reason=record.reason,
        shrunk=record.minimal,
        reproducer=reproducer(record.sequence, book),
        trace=record.trace,
        call_trace=record.calls,
        unshrunk=_unshrunk(record, book),
        foundry_test=material.exports.get(record.info.id),
    )


def _unshrunk(record: TestRecord, book: AddressBook) -> tuple[ReproducerCall, ...]:
    return reproducer(record.unshrunk, book) if record.unshrunk != record.sequence else ()


def _status(record: TestRecord) -> TestStatus:
    if record.falsified:
        return "falsified"
    if record.state == "error" or record.state == "skipped":
        return record.state
    return "passed"

"""From the end of a campaign to its report, its coverage files and the program's exit code."""

from __future__ import annotations

import os
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
from actors.health.campaign_health import HealthNotes, health_of
from orchestrator.assembly.compilation import unreported_sources
from orchestrator.assembly.run_details import run_details
from orchestrator.configuration.request import CampaignRequest
from orchestrator.report.build import campaign_summary, reproducer
from orchestrator.report.errors import ReportError
from orchestrator.report.files import write_coverage_files, write_report
from orchestrator.report.findings import findings as findings_of
from orchestrator.report.findings import with_known, with_places
from orchestrator.report.formats import REPORT_FORMATS
from orchestrator.report.json_report import render_json
from orchestrator.report.material import ReportMaterial
from orchestrator.report.model import (
    CampaignReport,
    CorpusSummary,
    ExportReport,
    FindingReport,
    ReproducerCall,
    TestReport,
    TestStatus,
)
from orchestrator.report.saved import REPORT_FILE
from orchestrator.report.sources.declared_places import DeclaredPlaces
from orchestrator.report.sources.source_lines import source_lines
from simulator.coverage.file_coverage import FileCoverage
from simulator.coverage.summary import summarize
from simulator.health.model import CampaignHealth
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.trace.address_book import AddressBook

INTERRUPTED = 130
INFRASTRUCTURE = 3


class CampaignMaterial(msgspec.Struct, frozen=True):
    """Everything that a report is made of. `exports` are the Foundry tests by the ids of their findings; `notes`
    are those on the campaign's health."""

    request: CampaignRequest
    settings: CampaignSettings
    project: Project
    book: AddressBook
    end: CampaignEnd
    coverage: CoverageSnapshot
    corpus: CorpusStatistics
    exports: Mapping[int, ExportReport] = {}
    notes: HealthNotes = HealthNotes()


class ReportWithSources(msgspec.Struct, frozen=True):
    """The report and the sources behind its coverage."""

    report: CampaignReport
    files: tuple[FileCoverage, ...]


def build_findings(material: CampaignMaterial) -> ReportWithSources:
    """The report's model. Takes from milliseconds to seconds: call it in a thread."""
    end, request = material.end, material.request
    builder = ReportBuilder(material.project, unreported_sources(material.project, request.configuration))
    coverage = builder.codes_files_sites(material.coverage)
    files = coverage[1]
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
            nodes=end.nodes,
        ),
        tests=tuple(_test(record, material) for record in end.tests if record.parent < 0),
        coverage=summarize(files),
        corpus=_corpus(material.corpus, request.corpus_directory),
        run=run_details(
            request,
            material.project,
            material.settings.contract,
            None if request.baseline is None else len(request.baseline),
            time.time(),
        ),
        sources=source_lines(files),
        health=health_of(end, material.settings, material.project, material.notes, coverage),
    )
    report = with_places(report, DeclaredPlaces(material.project, material.settings.contract))
    return ReportWithSources(with_known(report, request.baseline or frozenset()), files)


def write_coverage(
    material: CampaignMaterial, files: Sequence[FileCoverage], health: CampaignHealth | None = None
) -> tuple[Path, ...]:
    """The coverage reports that the request asks for; none without a folder. Raises `ReportError`."""
    folder = material.request.coverage_directory
    if folder is None or not material.request.configuration.coverage:
        return ()
    names = dict.fromkeys(material.request.configuration.coverage_formats)
    return write_coverage_files(
        folder,
        files,
        timestamp=int(time.time()),
        title=_title(material),
        root=material.project.root,
        formats=names,
        health=health,
    )


def write_saved_report(material: CampaignMaterial, report: CampaignReport) -> None:
    """The report as JSON in the campaign's folders, from which other commands read it. Raises `ReportError`."""
    request = material.request
    folders = dict.fromkeys((request.corpus_directory, request.coverage_directory))
    text = render_json(report)
    for folder in folders:
        if folder is not None:
            write_report(folder / REPORT_FILE, text)


def write_requested(material: CampaignMaterial, findings: ReportWithSources) -> None:
    """The files of `--report`, each of them whatever becomes of the others. Raises `ReportError` with all problems."""
    source = report_material(material, findings)
    problems = []
    for each in material.request.reports:
        if each.path is None or each.format.is_folder:
            continue
        try:
            write_report(each.path, each.format.render(source))
        except ReportError as error:
            problems.append(str(error))
    if problems:
        raise ReportError("\n".join(problems))


def report_material(material: CampaignMaterial, findings: ReportWithSources) -> ReportMaterial:
    """Return the material of report files."""
    root = material.project.root
    return ReportMaterial(findings.report, findings.files, _title(material), root, os.getcwd(), int(time.time()))


def _title(material: CampaignMaterial) -> str:
    return material.request.configuration.project_name or material.settings.contract


def render(report: CampaignReport, request: CampaignRequest) -> str:
    """The report as the request wants it on stdout."""
    return REPORT_FORMATS[request.format].render(report, color=request.color)


def render_output(material: CampaignMaterial, findings: ReportWithSources) -> str:
    """Render what goes to stdout: the report that was asked for there with `-`, else that of `--format`."""
    for each in material.request.reports:
        if each.path is None:
            return each.format.render(report_material(material, findings))
    return render(findings.report, material.request)


def exit_code(end: CampaignEnd, report: CampaignReport | None = None, required: str | None = None) -> int:
    """0 nothing found, 1 findings, or a health other than is `required`, 3 not carried out, 130 interrupted without
    findings. Findings that the report knows from its baseline do not count."""
    failures = sum(record.falsified for record in end.tests)
    known = sum(finding.known for _, finding in findings_of(report)) if report is not None else 0
    if failures > known:
        return 1
    if end.reason is StopReason.INTERRUPTED:
        return INTERRUPTED
    if end.failure is not None:
        return INFRASTRUCTURE
    verdict = report.health.verdict if report is not None and report.health else None
    return 1 if required is not None and verdict != required else 0


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

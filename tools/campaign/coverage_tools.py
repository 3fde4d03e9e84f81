"""Campaign tools on coverage: percentages and LCOV."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import structlog
import trio

from actors.coverage.report import CoverageReport
from simulator.files.atomic_file import SHARED, write_atomically
from tools.caller import current_caller
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.inputs import DumpLcovInput, ShowCoverageInput
from tools.errors import ErrorCode, ToolError
from tools.roots import AllowedRoots, PathRefused
from tools.tool import Answer, Scope

FRESH_SECONDS = 0.03
"""How long an answer waits for coverage of this moment, before it takes the latest."""
RENDER_SECONDS = 0.04
"""How long an answer waits for LCOV to be rendered, before it takes the last one."""
STALE_SECONDS = 1.0
STILL_RUNNING = "the campaign is running: this is the coverage of this moment"
_logger = structlog.get_logger(__name__)


class CoverageTools:
    """`roots` confine where LCOV may be written; the corpus folder of the campaign is allowed besides."""

    def __init__(self, access: CampaignAccess, roots: AllowedRoots) -> None:
        self._access = access
        self._roots = roots

    async def show(self, inputs: ShowCoverageInput) -> Answer:
        report = _mapped(await current_report(self._access.current))
        contracts = [
            {
                "name": contract.name,
                "lineCoverage": contract.line_coverage,
                "branchCoverage": contract.branch_coverage,
            }
            for contract in report.summary.contracts
            if inputs.contract in (None, contract.name)
        ]
        payload = {"contracts": contracts, "overallCoverage": report.summary.line_coverage}
        return Answer(payload, warning=_warning(self._access.current, report))

    async def dump_lcov(self, inputs: DumpLcovInput) -> Answer:
        parts = self._access.current
        if inputs.output_path is not None and Scope.CONTROL not in current_caller().scopes:
            message = "outputPath needs the scope control, which your token does not have"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="FORBIDDEN")
        # Counts of executions are to be those of now, too.
        report = _mapped(await parts.coverage.fresh(FRESH_SECONDS))
        report, text = await parts.coverage.lcov(report, RENDER_SECONDS)
        if inputs.output_path is not None:
            folder = parts.corpus_folder
            await trio.to_thread.run_sync(
                partial(self._write, inputs.output_path, text, folder), abandon_on_cancel=True
            )
        return Answer(text, warning=_warning(parts, report) or ("" if parts.is_over else STILL_RUNNING))

    def _write(self, text: str, content: str, corpus: Path | None) -> None:
        """Atomically, inside the allowed roots."""
        roots = self._roots
        if corpus is not None:
            roots = AllowedRoots((*roots.roots, corpus), roots.base)
        try:
            path = roots.resolve(text)
            if path.is_dir():
                raise PathRefused("the path is a folder")
            write_atomically(path, content.encode("utf-8", "replace"), durable=False, mode=SHARED)
        except PathRefused as error:
            raise _refused(str(error)) from error
        except OSError as error:
            raise _refused(error.strerror or str(error)) from error
        _logger.info("LCOV written", path=str(path))


async def current_report(parts: CampaignComponents) -> CoverageReport:
    """The report that every tool answers from: one that holds all that is covered by now, or the latest where that
    takes too long."""
    return await parts.coverage.current(FRESH_SECONDS)


def _mapped(report: CoverageReport) -> CoverageReport:
    if report.problem:
        message = f"Coverage cannot be mapped to the sources: {report.problem}"
        raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="NO_SOURCES")
    return report


def _warning(parts: CampaignComponents, report: CoverageReport) -> str:
    """Warning that coverage may have grown since the report; empty for a recent one."""
    if report.frames < 0:
        return "nothing is known yet: the first report of coverage is being made"
    age = parts.coverage.age(report)
    return f"this is the coverage of {age:.1f} s ago: a newer report is being made" if age > STALE_SECONDS else ""


def _refused(reason: str) -> ToolError:
    return ToolError(ErrorCode.INVALID_INPUT, f"outputPath cannot be written: {reason}", reason="OUTPUT_PATH")

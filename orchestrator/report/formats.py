"""The formats of the report and of coverage files. Flags, configuration, output and reference read these tables.

A format is a module with a renderer and one line here. Its module is imported when something is rendered, so that
help and configuration do not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from orchestrator.report.material import ReportMaterial
    from orchestrator.report.model import CampaignReport
    from simulator.coverage.file_coverage import FileCoverage
    from simulator.health.model import CampaignHealth


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A format of the report on stdout. `renderer` is a function of `module` from a `CampaignReport` to text; with
    `colors` it takes the keyword `color`. `form` is how the text is made safe to print."""

    name: str
    module: str
    renderer: str
    meaning: str
    form: Literal["text", "json"] = "text"
    colors: bool = False

    def render(self, report: CampaignReport, *, color: bool) -> str:
        """The report; `color` has no effect on a format without colours."""
        if not self.module:
            return ""
        return str(_function(self.module, self.renderer)(report, **({"color": color} if self.colors else {})))


@dataclass(frozen=True, slots=True)
class CoverageFormat:
    """A format of coverage files, which end in `.name`. `renderer` is a function of `module` from `FileCoverage`s to
    text; `takes` names its further arguments out of those of `render`."""

    name: str
    module: str
    renderer: str
    meaning: str
    takes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def render(
        self,
        files: Sequence[FileCoverage],
        *,
        title: str,
        root: str,
        generated: int,
        health: CampaignHealth | None = None,
    ) -> str:
        """The file's content. `root` is the folder that relative paths start from, `generated` in Unix seconds."""
        given = {"title": title, "root": root, "generated": generated, "health": health}
        return str(_function(self.module, self.renderer)(files, **{name: given[name] for name in self.takes}))


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of `--report`. `renderer` is a function of `module` from `ReportMaterial` to text; a format without one
    is a folder of files that others write. One that `needs_sources` cannot be made of a saved report."""

    name: str
    module: str
    renderer: str
    meaning: str
    form: Literal["text", "json"] = "text"
    needs_sources: bool = False

    @property
    def is_folder(self) -> bool:
        """Return whether a request names a folder."""
        return not self.module

    def render(self, material: ReportMaterial) -> str:
        """The file's content."""
        return str(_function(self.module, self.renderer)(material))


def _function(module: str, name: str) -> Callable[..., str]:
    function: Callable[..., str] = getattr(import_module(module), name)
    return function


REPORT_FORMATS = {
    each.name: each
    for each in (
        ReportFormat("text", "orchestrator.report.text", "render_text", "for people, with colours", colors=True),
        ReportFormat("json", "orchestrator.report.json_report", "render_json", "one JSON document", form="json"),
        ReportFormat("none", "", "", "no report"),
    )
}
COVERAGE_FORMATS = {
    each.name: each
    for each in (
        CoverageFormat(
            "txt",
            "orchestrator.report.echidna_text",
            "render_echidna_text",
            "Echidna's annotated sources",
            takes=("root",),
            aliases=("text",),
        ),
        CoverageFormat(
            "html",
            "orchestrator.report.html",
            "render_html",
            "one page with totals and annotated sources",
            takes=("title", "generated", "health"),
        ),
        CoverageFormat(
            "lcov", "simulator.coverage.lcov", "render", "an LCOV tracefile for genhtml and editors", takes=("root",)
        ),
    )
}
FILE_FORMATS = {
    each.name: each
    for each in (
        FileFormat("json", "orchestrator.report.ci.plain", "render_json_file", "the JSON document", form="json"),
        FileFormat("html", "orchestrator.report.page.campaign_page", "render_campaign_page", "one page for reviewers"),
        FileFormat(
            "markdown", "orchestrator.report.ci.markdown", "render_markdown", "a comment for a pull or merge request"
        ),
        FileFormat("junit", "orchestrator.report.ci.junit", "render_junit", "JUnit XML, for test views"),
        FileFormat(
            "sarif", "orchestrator.report.ci.sarif", "render_sarif", "SARIF 2.1.0, for code scanning", form="json"
        ),
        FileFormat("lcov", "orchestrator.report.ci.plain", "render_lcov_file", "an LCOV tracefile", needs_sources=True),
        FileFormat(
            "cobertura", "orchestrator.report.ci.cobertura", "render_cobertura", "Cobertura XML", needs_sources=True
        ),
        FileFormat("foundry", "", "", "a folder of Foundry tests, one for each finding", needs_sources=True),
        FileFormat("github", "orchestrator.report.ci.github", "render_github", "workflow commands of GitHub Actions"),
        FileFormat("text", "orchestrator.report.ci.plain", "render_text_file", "the report for people"),
    )
}


def listed_file_formats() -> str:
    """All names, for people."""
    return ", ".join(FILE_FORMATS)


def coverage_format(name: str) -> CoverageFormat | None:
    """The format of that name or alias."""
    return next((each for each in COVERAGE_FORMATS.values() if name in (each.name, *each.aliases)), None)


def format_tables() -> str:
    """The tables for the reference."""
    reports = [f"| `{each.name}` | {each.meaning} |" for each in REPORT_FORMATS.values()]
    files = [
        f"| {', '.join(f'`{name}`' for name in (each.name, *each.aliases))} | {each.meaning} |"
        for each in COVERAGE_FORMATS.values()
    ]
    written = [f"| `{each.name}` | {each.meaning} |" for each in FILE_FORMATS.values()]
    tables = (("--format", "report", reports), ("--report", "file", written), ("coverageFormats", "file", files))
    return "\n".join(line for name, what, rows in tables for line in (f"| `{name}` | {what} |", "|---|---|", *rows, ""))

"""The coverage report as one HTML page that needs nothing but itself.

Style and script are inline and are allowed by their hashes in a Content-Security-Policy that forbids everything
else, so a page made from a hostile source cannot run or load anything. Without scripts all of it can still be read.
The template escapes everything that it is given; only style and script are marked as safe. A line of source is a single
element: pages with tens of thousands of lines stay quick.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

from orchestrator.report.quantities import count_text
from simulator.coverage.annotation import markers
from simulator.coverage.branch_kinds import BranchKind
from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount
from simulator.coverage.summary import percent
from simulator.health.model import CampaignHealth
from simulator.printable import printable

_TEMPLATE = "coverage_page.html"
_GAPS: dict[BranchKind, tuple[str, str]] = {
    "if": ("if: never true", "if: never false"),
    "require": ("require: never passed", "require: never failed"),
    "loop": ("loop: never entered", "loop: never left"),
    "ternary": ("?: never true", "?: never false"),
    "and": ("&&: left side never true", "&&: left side never false"),
    "or": ("||: left side never true", "||: left side never false"),
}


@dataclass(frozen=True, slots=True)
class _Total:
    hit: int
    found: int
    what: str

    @property
    def percent(self) -> float:
        return percent(self.hit, self.found)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of source. `kind` is the class of the style sheet, empty for a line without code."""

    number: int
    text: str
    kind: str = ""
    count: int = 0
    figure: str = ""
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Page:
    """A file as the template shows it."""

    path: str
    lines: _Total
    branches: _Total
    share: str
    functions: Sequence[FunctionCount]
    functions_hit: int
    rows: Iterator[_Row]


def render_html(
    files: Sequence[FileCoverage], *, title: str, generated: int, health: CampaignHealth | None = None
) -> str:
    """The page, with the campaign's health on top where it is given. `generated` is in Unix seconds. All text from
    outside is escaped, invisible and direction-changing characters of sources are made visible."""
    style, script = page_asset("coverage_page.css"), page_asset("coverage_page.js")
    return page_template(_TEMPLATE).render(
        policy=content_policy(style, script),
        title=title,
        when=datetime.fromtimestamp(generated, UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        style=style,
        script=script,
        totals=_totals(files),
        files=file_pages(files),
        health=health,
        indexes={file.path: index for index, file in enumerate(files)},
    )


def file_pages(files: Sequence[FileCoverage]) -> list[_Page]:
    """The files as `coverage_sources.html` shows them."""
    return [_page(file) for file in files]


@cache
def page_template(name: str) -> Template:
    """A template of this package, which escapes everything that it is given."""
    # The template is the program's own; a loader of texts never looks for others.
    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(page_asset),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(printable=printable, count_text=count_text)
    return environment.get_template(name)


def _totals(files: Sequence[FileCoverage]) -> tuple[_Total, ...]:
    functions = [function for file in files for function in file.functions]
    return (
        _Total(sum(file.lines_hit for file in files), sum(file.lines_found for file in files), "lines"),
        _Total(sum(file.branches_hit for file in files), sum(file.branches_found for file in files), "branches"),
        _Total(sum(function.count > 0 for function in functions), len(functions), "functions"),
    )


def _page(file: FileCoverage) -> _Page:
    lines = _Total(file.lines_hit, file.lines_found, "lines")
    branches = _Total(file.branches_hit, file.branches_found, "branches")
    share = f"{lines.percent:.1f}% lines" + (f" · {branches.percent:.1f}% branches" if branches.found else "")
    hit = sum(function.count > 0 for function in file.functions)
    return _Page(file.path, lines, branches, share, file.functions, hit, _rows(file))


def _rows(file: FileCoverage) -> Iterator[_Row]:
    counts = {line.line: line for line in file.lines}
    branches: dict[int, list[BranchCount]] = {}
    for branch in file.branches:
        branches.setdefault(branch.line, []).append(branch)
    for number, source in enumerate(file.content.split("\n"), 1):
        yield _row(number, source.removesuffix("\r"), counts.get(number), branches.get(number, []))


def _row(number: int, text: str, count: LineCount | None, branches: Sequence[BranchCount]) -> _Row:
    if count is None:
        return _Row(number, text)
    gaps = tuple(_gap(branch) for branch in branches if branch.reached and branch.hit < 2)
    kind = "m" if not count.count else "p" if gaps else "h"
    marks = markers(count)[1:]
    figure = f"{marks} {count_text(count.count)}" if marks else count_text(count.count)
    return _Row(number, text, kind, count.count, figure, gaps)


def _gap(branch: BranchCount) -> str:
    """Describe the missing side of a reached branch."""
    side = 0 if branch.counts[0] == 0 else 1
    return _GAPS[branch.kind][side]


def content_policy(style: str, script: str) -> str:
    """The Content-Security-Policy that allows these two and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def page_asset(name: str) -> str:
    """The text of a file of this package."""
    return resources.files("orchestrator.report").joinpath(name).read_text(encoding="utf-8")

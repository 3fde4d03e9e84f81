"""The coverage report as one HTML page that needs nothing but itself.

Style and script are inline and are allowed by their hashes in a Content-Security-Policy that forbids everything
else, so a page made from a hostile source cannot run or load anything. Without scripts all of it can still be read.
A line of source is a single element: pages with tens of thousands of lines stay quick.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib import resources

from orchestrator.report.quantities import count_text
from simulator.coverage.annotation import markers
from simulator.coverage.branch_kinds import BranchKind
from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount
from simulator.coverage.summary import percent
from simulator.printable import printable

_GAPS: dict[BranchKind, tuple[str, str]] = {
    "if": ("if: never true", "if: never false"),
    "require": ("require: never passed", "require: never failed"),
    "loop": ("loop: never entered", "loop: never left"),
    "ternary": ("?: never true", "?: never false"),
    "and": ("&&: left side never true", "&&: left side never false"),
    "or": ("||: left side never true", "||: left side never false"),
}


def render_html(files: Sequence[FileCoverage], *, title: str, generated: int) -> str:
    """The page. `generated` is in Unix seconds. All text from outside is escaped, invisible and direction-changing
    characters of sources are made visible."""
    style, script = _asset("coverage_page.css"), _asset("coverage_page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        f"<title>{_text(title)}: coverage</title>\n<style>{style}</style>\n</head>\n<body>\n",
        *_head(files, title, generated),
        *_table(files),
        '<h2 id="sources">Sources</h2>\n',
        _LEGEND,
        *(piece for index, file in enumerate(files) for piece in _file(index, file)),
        f"<script>{script}</script>\n</body>\n</html>\n",
    ]
    return "".join(parts)


_LEGEND = (
    '<p class="legend"><span class="h">executed</span><span class="p">executed, a branch side never taken</span>'
    '<span class="m">never executed</span><span class="k">number: how often · r reverted here · o ran out of gas · '
    "e another error</span></p>\n"
)
_KEYS = (
    '<p class="keys"><kbd>n</kbd> <kbd>p</kbd> next, previous gap &ensp; <kbd>j</kbd> <kbd>k</kbd> next, previous file '
    "&ensp; <kbd>/</kbd> filter &ensp; <kbd>e</kbd> open or close all &ensp; <kbd>t</kbd> light or dark</p>\n"
)
_TOOLS = (
    '<div class="tools"><input id="filter" type="search" placeholder="Filter files" aria-label="Filter files">'
    '<button id="misses" type="button">Next gap</button><button id="expand" type="button">Open all</button></div>\n'
)


def _head(files: Sequence[FileCoverage], title: str, generated: int) -> Iterator[str]:
    when = datetime.fromtimestamp(generated, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    yield f'<header><h1>{_text(title)}</h1><span class="when">coverage, {when}</span>'
    yield '<button id="theme" type="button" aria-label="Light or dark">◐</button></header>\n<div class="totals">'
    yield _total("lines", sum(file.lines_hit for file in files), sum(file.lines_found for file in files))
    yield _total("branches", sum(file.branches_hit for file in files), sum(file.branches_found for file in files))
    functions = [function for file in files for function in file.functions]
    yield _total("functions", sum(function.count > 0 for function in functions), len(functions))
    yield f"</div>\n{_TOOLS}"


def _total(what: str, hit: int, found: int) -> str:
    return f'<div class="total"><b>{percent(hit, found):.1f}%</b><span>{hit:,} of {found:,} {what}</span></div>'


def _table(files: Sequence[FileCoverage]) -> Iterator[str]:
    yield '<table><thead><tr><th>File</th><th></th><th class="n">Lines</th><th class="n"></th>'
    yield '<th class="n">Branches</th><th class="n"></th></tr></thead><tbody>\n'
    for index, file in enumerate(files):
        lines, branches = percent(file.lines_hit, file.lines_found), percent(file.branches_hit, file.branches_found)
        yield f'<tr data-file="{index}"><td class="path"><a href="#f{index}">{_text(file.path)}</a></td>'
        yield f'<td><meter min="0" max="100" low="50" high="90" optimum="100" value="{lines}"></meter></td>'
        yield f'<td class="n">{lines:.1f}%</td><td class="n">{file.lines_hit:,}/{file.lines_found:,}</td>'
        if file.branches_found:
            share = f"{file.branches_hit:,}/{file.branches_found:,}"
            yield f'<td class="n">{branches:.1f}%</td><td class="n">{share}</td></tr>\n'
        else:
            yield '<td class="n">–</td><td class="n"></td></tr>\n'
    yield f"</tbody></table>\n{_KEYS}"


def _file(index: int, file: FileCoverage) -> Iterator[str]:
    lines, branches = percent(file.lines_hit, file.lines_found), percent(file.branches_hit, file.branches_found)
    share = f"{lines:.1f}% lines" + (f" · {branches:.1f}% branches" if file.branches_found else "")
    opened = " open" if index == 0 else ""
    yield f'<details class="file" id="f{index}" data-path="{_text(file.path)}"{opened}>'
    yield f'<summary><span class="path">{_text(file.path)}</span><span class="share">{share}</span></summary>\n'
    yield from _functions(index, file.functions)
    yield '<pre class="code">'
    counts = {line.line: line for line in file.lines}
    branches_by_line: dict[int, list[BranchCount]] = {}
    for branch in file.branches:
        branches_by_line.setdefault(branch.line, []).append(branch)
    for number, source in enumerate(file.content.split("\n"), 1):
        yield _line(index, number, source, counts.get(number), branches_by_line.get(number, []))
    yield "</pre></details>\n"


def _functions(index: int, functions: Sequence[FunctionCount]) -> Iterator[str]:
    if not functions:
        return
    hit = sum(function.count > 0 for function in functions)
    yield f'<details class="functions"><summary>Functions: {hit} of {len(functions)} entered</summary><ul>\n'
    for function in functions:
        missed = "" if function.count else ' class="miss"'
        link = f'<a href="#f{index}L{function.line}">{_text(function.name)}</a>'
        yield f"<li{missed}>{link}<span>{count_text(function.count)}</span></li>\n"
    yield "</ul></details>\n"


def _line(index: int, number: int, source: str, count: LineCount | None, branches: Sequence[BranchCount]) -> str:
    """One element; the number itself is drawn by the style sheet, so that copied source stays source."""
    text = _text(source.removesuffix("\r"))
    identity = f' id="f{index}L{number}"'
    if count is None:
        return f"<i{identity}><b></b>{text}</i>"
    gaps = [_gap(branch) for branch in branches if branch.reached and branch.hit < 2]
    kind = "m" if not count.count else "p" if gaps else "h"
    marks = markers(count)[1:]
    figure = f"{marks} {count_text(count.count)}" if marks else count_text(count.count)
    notes = f"<em>{' · '.join(gaps)}</em>" if gaps else ""
    return f'<i{identity} class="{kind}"><b title="{count.count:,} times">{figure}</b>{text}{notes}</i>'


def _gap(branch: BranchCount) -> str:
    """Describe the missing side of a reached branch."""
    side = 0 if branch.counts[0] == 0 else 1
    return escape(_GAPS[branch.kind][side])


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return resources.files("orchestrator.report").joinpath(name).read_text(encoding="utf-8")

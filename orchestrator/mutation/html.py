"""The report on mutants as one HTML file: the sources with their mutants at the lines that they change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

from orchestrator.mutation.report import MutantReport, MutationReport
from simulator.printable import one_line
from simulator.project import Project

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class _Line:
    number: int
    text: str
    kind: str
    mutants: tuple[MutantReport, ...]

    @property
    def others(self) -> tuple[MutantReport, ...]:
        """Render the mutants that did not survive, folded."""
        return tuple(mutant for mutant in self.mutants if mutant.status != "survived")

    @property
    def others_text(self) -> str:
        counts = Counter(mutant.status for mutant in self.others)
        return ", ".join(f"{count} {status}" for status, count in counts.items())


@dataclass(frozen=True)
class _File:
    path: str
    killed: int
    survived: int
    stillborn: int
    lines: tuple[_Line, ...]


def render_mutation_html(report: MutationReport, project: Project) -> str:
    """The page. It runs no script and loads nothing."""
    by_id = {mutant.id: mutant for mutant in report.mutants}
    telling = [by_id[each] for each in report.telling]
    page = _template().render(
        policy=_POLICY, report=report, telling=telling, files=_files(report, project), style=_asset("mutation_page.css")
    )
    return page.rstrip("\n") + "\n"


def _files(report: MutationReport, project: Project) -> list[_File]:
    contents = {source.path: source.content for unit in project.units for source in unit.sources}
    paths = dict.fromkeys(mutant.file for mutant in report.mutants)
    files = [_file(path, contents.get(path, ""), [m for m in report.mutants if m.file == path]) for path in paths]
    return sorted(files, key=lambda file: (-file.survived, file.path))


def _file(path: str, content: str, mutants: Sequence[MutantReport]) -> _File:
    at: dict[int, list[MutantReport]] = {}
    for mutant in mutants:
        at.setdefault(mutant.line, []).append(mutant)
    lines = [
        _Line(number, text.removesuffix("\r"), _kind(at.get(number, [])), tuple(at.get(number, [])))
        for number, text in enumerate(content.split("\n"), 1)
    ]
    states = [mutant.status for mutant in mutants]
    return _File(path, states.count("killed"), states.count("survived"), states.count("stillborn"), tuple(lines))


def _kind(mutants: Sequence[MutantReport]) -> str:
    """`none`, `all` killed, `some`, or `weak` where every one survives."""
    states = {mutant.status for mutant in mutants if mutant.status != "stillborn"}
    if not states:
        return "none"
    return "weak" if states == {"survived"} else "all" if states == {"killed"} else "some"


@cache
def _template() -> Template:
    # The template is the program's own; a loader of texts never looks for others.
    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(_asset),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = one_line
    return environment.get_template("mutation_page.html")


def _asset(name: str) -> str:
    return resources.files("orchestrator.mutation").joinpath(name).read_text(encoding="utf-8")

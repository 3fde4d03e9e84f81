"""The report on mutants as text: survivors that say most first, the score last."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.figures import count, duration
from orchestrator.mutation.report import MutantReport, MutationReport
from orchestrator.report.paint import Paint, Style
from simulator.printable import one_line, shortened

_MAX_LINES = 20
_MAX_TESTS = 40


def render_mutation_text(report: MutationReport, *, color: bool = False) -> str:
    """The whole report, ending with a line feed. Colour codes only when asked for."""
    paint = Paint(color=color)
    blocks = [
        list(block)
        for block in (_survivors(report, paint), _weak(report), _tests(report, paint), _figures(report, paint))
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _survivors(report: MutationReport, paint: Paint) -> Iterator[str]:
    by_id = {mutant.id: mutant for mutant in report.mutants}
    told = [by_id[each] for each in report.telling]
    if not told:
        return
    rest = report.survived - len(told)
    yield paint("No property notices:", "bold") + (
        f" (the {len(told)} most telling of {report.survived})" if rest else ""
    )
    for mutant in told:
        yield from _survivor(mutant, paint)


def _survivor(mutant: MutantReport, paint: Paint) -> Iterator[str]:
    before, _, after = mutant.description.partition(" -> ")
    place = paint(one_line(f"{mutant.file}:{mutant.line}"), "cyan")
    function = one_line(f"{mutant.contract}.{mutant.function}" if mutant.contract else mutant.function)
    yield f"  {place}  {one_line(before)} {paint('->', 'dim')} {paint(one_line(after), 'red')}"
    remarks = [f"in {function}", f"{count(mutant.calls)} calls", mutant.id]
    if not mutant.reached:
        remarks.insert(1, "no sequence of the corpus comes here")
    if mutant.note:
        remarks.append(one_line(mutant.note))
    yield paint(f"      {', '.join(remarks)}", "dim")


def _weak(report: MutationReport) -> Iterator[str]:
    if not report.weak_lines:
        return
    yield "Lines that may be anything (every mutant survives):"
    # Those first of which most is known.
    for weak in sorted(report.weak_lines, key=lambda line: -line.mutants)[:_MAX_LINES]:
        mutants = "1 mutant" if weak.mutants == 1 else f"{weak.mutants} mutants"
        yield one_line(f"  {weak.file}:{weak.line}  {shortened(weak.text, 90)}  ({mutants})")
    if len(report.weak_lines) > _MAX_LINES:
        yield f"  and {len(report.weak_lines) - _MAX_LINES} more"


def _tests(report: MutationReport, paint: Paint) -> Iterator[str]:
    if not report.tests:
        return
    yield "Tests, and the mutants that each notices:"
    width = min(max(len(test.name) for test in report.tests), 60)
    for test in report.tests[:_MAX_TESTS]:
        alone = f", {test.kills_alone} alone" if test.kills else ""
        remark = (
            ""
            if test.kills_alone
            else paint("  notices nothing alone" if test.kills else "  notices nothing", "yellow")
        )
        yield f"  {one_line(test.name).ljust(width)}  {test.kills:>4}{alone}{remark}"
    if len(report.tests) > _MAX_TESTS:
        yield f"  and {len(report.tests) - _MAX_TESTS} more"


def _figures(report: MutationReport, paint: Paint) -> Iterator[str]:
    for contract in report.contracts:
        judged = contract.killed + contract.survived
        share = "-" if contract.score is None else f"{contract.score * 100:.1f} %"
        yield one_line(f"  {contract.name}  {share}  ({contract.killed} of {judged} killed)")
    judged = report.killed + report.survived
    score = (
        "no mutant could be deployed" if report.score is None else f"{report.score * 100:.1f} % of mutants are noticed"
    )
    style: Style = "green" if report.survived == 0 and judged else "yellow"
    stillborn = f", {report.stillborn} stillborn (the deployment fails)" if report.stillborn else ""
    untried = f", {report.untried} not tried" if report.untried else ""
    yield (
        f"{paint(score, 'bold', style)}: {report.killed} killed, {report.survived} survived{stillborn}{untried},"
        f" in {duration(report.duration)}"
    )
    yield one_line(f"Target: {report.target}; seed: {report.seed}")
    if report.failing:
        yield one_line(f"Left out, since they fail without any mutant: {', '.join(report.failing)}")
    for note in report.notes:
        yield one_line(f"Note: {note}")

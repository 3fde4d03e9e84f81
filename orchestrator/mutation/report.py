"""The result of a run of mutants, in the form of its JSON document (schema 1). All formats are made from it."""

from __future__ import annotations

from typing import Literal

import msgspec

from actors.mutation.campaign import MutationCampaign
from actors.mutation.results import (
    MutantFacts,
    MutantResult,
    Score,
    contract_scores,
    facts_of,
    scores_of_tests,
    telling_survivors,
    total_score,
    weak_lines,
)
from orchestrator.report.build import reproducer
from orchestrator.report.model import ReportPart, ReproducerCall
from simulator.encoding import encode_json
from simulator.printable import printable_json
from simulator.project import Project
from simulator.trace.address_book import AddressBook

MAX_TELLING = 10


class MutantReport(MutantFacts, frozen=True, kw_only=True):
    """One mutant. `reproducer` is the sequence after which the first of `killed_by` failed."""

    reproducer: tuple[ReproducerCall, ...]


class TestStrength(ReportPart, frozen=True):
    """Strength of a test: mutants, and those that it alone noticed."""

    __test__ = False

    name: str
    contract: str
    kills: int
    kills_alone: int


class ContractStrength(ReportPart, frozen=True):
    """Mutants of one contract. `score` is the share of killed ones, 0..1; None where none could be deployed."""

    name: str
    score: float | None
    killed: int
    survived: int
    stillborn: int


class WeakLineReport(ReportPart, frozen=True):
    """A line of which every mutant survived; `text` is the line."""

    file: str
    line: int
    text: str
    mutants: int


class MutationReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The whole document. `score` is the share of killed mutants among those that could be deployed, 0..1. `telling`
    are the ids of the survivors that say most, `untried` counts mutants that the run did not come to, `failing` are the
    tests that fail without any mutant and so notice none, `notes` what was decided or left out."""

    schema: Literal[1] = 1
    target: str
    seed: int
    duration: float
    score: float | None
    killed: int
    survived: int
    stillborn: int
    untried: int
    telling: tuple[str, ...]
    mutants: tuple[MutantReport, ...]
    tests: tuple[TestStrength, ...]
    contracts: tuple[ContractStrength, ...]
    weak_lines: tuple[WeakLineReport, ...]
    failing: tuple[str, ...]
    notes: tuple[str, ...]


def mutant_report(result: MutantResult, book: AddressBook) -> MutantReport:
    """One result in readable form."""
    calls = reproducer(result.kills[0].sequence, book) if result.kills else ()
    return MutantReport(**facts_of(result), reproducer=calls)


def build_report(
    campaign: MutationCampaign, project: Project, target: str, seed: int, notes: tuple[str, ...]
) -> MutationReport:
    """Build the report of a run so far."""
    results, status = campaign.results(), campaign.status()
    begun = campaign.begun
    book = AddressBook.from_project(project, begun.addresses if begun else ())
    total = total_score(results)
    tests = scores_of_tests(begun.tests if begun else (), results)
    failing = begun.failing if begun else ()
    sources = {source.path: source.content.split("\n") for unit in project.units for source in unit.sources}
    return MutationReport(
        target=target,
        seed=seed,
        duration=round(status.seconds, 3),
        score=_rounded(total.share),
        killed=total.killed,
        survived=total.survived,
        stillborn=total.stillborn,
        untried=status.total - status.tried,
        telling=tuple(each.mutant.id for each in telling_survivors(results)[:MAX_TELLING]),
        mutants=tuple(mutant_report(each, book) for each in results),
        tests=tuple(
            TestStrength(each.name, each.contract, each.kills, each.kills_alone)
            for each in tests
            if each.name not in failing
        ),
        contracts=tuple(_strength(each) for each in contract_scores(results)),
        weak_lines=tuple(
            WeakLineReport(each.file, each.line, _line(sources, each.file, each.line), each.mutants)
            for each in weak_lines(results)
        ),
        failing=failing,
        notes=notes,
    )


def _strength(score: Score) -> ContractStrength:
    return ContractStrength(score.name, _rounded(score.share), score.killed, score.survived, score.stillborn)


def _rounded(share: float | None) -> float | None:
    """Cut to three digits, so that 1 means all."""
    return None if share is None else int(share * 1000) / 1000


def _line(sources: dict[str, list[str]], file: str, line: int) -> str:
    lines = sources.get(file, [])
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def render_mutation_json(report: MutationReport) -> str:
    """The document, indented, ending with a line feed."""
    return printable_json(msgspec.json.format(encode_json(report), indent=2).decode()) + "\n"

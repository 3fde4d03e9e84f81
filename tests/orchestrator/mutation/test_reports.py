"""Reports on mutants: what they say first, and that nothing of a project acts in them."""

from __future__ import annotations

import json

import msgspec

from actors.mutation.results import (
    MutantResult,
    contract_scores,
    scores_of_tests,
    telling_survivors,
    total_score,
    weak_lines,
)
from orchestrator.mutation.html import render_mutation_html
from orchestrator.mutation.report import (
    ContractStrength,
    MutantReport,
    MutationReport,
    TestStrength,
    WeakLineReport,
    render_mutation_json,
)
from orchestrator.mutation.text import render_mutation_text
from simulator.mutation.frames import Kill, TestName
from simulator.mutation.mutant import Mutant, MutantStatus
from simulator.project import Project, SourceFile, Unit

HOSTILE = "x <script>alert(1)</script> \x1b[31m"


def mutant(identity: str, line: int, operator: str = "arithmetic") -> Mutant:
    return Mutant(identity, "Vault.sol", line, 1, "f", "Vault", operator, "a + b", "a - b", 0, 5, ())


def result(identity: str, line: int, status: MutantStatus, *tests: str, reached: bool = True) -> MutantResult:
    return MutantResult(mutant(identity, line), status, tuple(Kill(test, (), "") for test in tests), 5, reached)


RESULTS = (
    result("m1", 1, "killed", "a", "b"),
    result("m2", 1, "survived"),
    result("m3", 2, "survived", reached=False),
    result("m4", 2, "survived"),
    result("m5", 3, "killed", "a"),
    result("m6", 4, "stillborn"),
)


def test_scores_count_what_could_be_deployed() -> None:
    """Stillborn mutants say nothing of a test."""
    assert total_score(RESULTS).share == 0.4
    assert total_score(RESULTS[5:]).share is None
    assert [(score.name, score.killed) for score in contract_scores(RESULTS)] == [("Vault", 2)]


def test_a_test_that_kills_nothing_alone_is_told() -> None:
    """A mutant that two tests notice is neither's alone."""
    scores = scores_of_tests((TestName("a", "T"), TestName("b", "T"), TestName("c", "T")), RESULTS)
    assert [(score.name, score.kills, score.kills_alone) for score in scores] == [("a", 2, 1), ("b", 1, 0), ("c", 0, 0)]


def test_survivors_that_the_corpus_executes_come_first() -> None:
    """And one of each line before the second of any."""
    assert [each.mutant.id for each in telling_survivors(RESULTS)] == ["m2", "m4", "m3"]


def test_a_line_is_weak_when_all_its_mutants_survive() -> None:
    """Not when one is killed, nor when none could be deployed."""
    assert [(weak.line, weak.mutants) for weak in weak_lines(RESULTS)] == [(2, 2)]


def report() -> MutationReport:
    told = MutantReport(
        id="m1",
        file="Vault.sol",
        line=1,
        column=1,
        function=HOSTILE,
        contract="Vault",
        operator="arithmetic",
        description=f"{HOSTILE} -> b",
        status="survived",
        killed_by=(),
        reason="",
        reproducer=(),
        calls=7,
        reached=True,
        note="",
    )
    return MutationReport(
        target=f"Vault.sol:{HOSTILE}",
        seed=1,
        duration=1.0,
        score=0.0,
        killed=0,
        survived=1,
        stillborn=0,
        untried=0,
        telling=("m1",),
        mutants=(told,),
        tests=(TestStrength(HOSTILE, "T", 0, 0),),
        contracts=(ContractStrength("Vault", 0.0, 0, 1, 0),),
        weak_lines=(WeakLineReport("Vault.sol", 1, HOSTILE, 1),),
        failing=(HOSTILE,),
        notes=(HOSTILE,),
    )


def test_nothing_of_a_project_acts_in_a_report() -> None:
    """No escape on a terminal, no element in the page."""
    project = Project("/", (Unit("0.8.30", "cancun", (SourceFile(0, "Vault.sol", HOSTILE),), ()),))
    page = render_mutation_html(report(), project)
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\x1b" not in render_mutation_text(report())
    document = render_mutation_json(report())
    assert "\x1b" not in document
    assert json.loads(document)["mutants"][0]["killedBy"] == []


def test_the_document_has_the_members_of_its_schema() -> None:
    """Schema 1."""
    document = msgspec.json.decode(render_mutation_json(report()))
    assert document["schema"] == 1
    assert {"target", "seed", "duration", "score", "mutants", "tests"} <= document.keys()
    assert {"id", "file", "line", "column", "function", "description", "status", "killedBy", "reproducer", "calls"} <= (
        document["mutants"][0].keys()
    )
    assert document["tests"][0].keys() == {"name", "contract", "kills", "killsAlone"}

"""Results of mutants, and their meaning for tests, contracts and lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from simulator.mutation.frames import Kill, TestName
from simulator.mutation.mutant import Mutant, MutantStatus


class MutantResult(msgspec.Struct, frozen=True):
    """One tried mutant. `reached`: the corpus executes its place. `note` says what cut its trial short, or why the
    deployment failed."""

    mutant: Mutant
    status: MutantStatus
    kills: tuple[Kill, ...]
    calls: int
    reached: bool
    note: str = ""
    seconds: float = 0.0

    @property
    def killed_by(self) -> tuple[str, ...]:
        """Names of the tests that noticed it."""
        return tuple(dict.fromkeys(kill.test for kill in self.kills))


class MutantFacts(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A tried mutant as all documents tell it, but for the sequence. `line` and `column` begin with 1. The first of
    `killed_by` failed for `reason`. `reached` says whether the corpus executes its place, `note` what cut its trial
    short or why the deployment failed."""

    id: str
    file: str
    line: int
    column: int
    function: str
    contract: str
    operator: str
    description: str
    status: MutantStatus
    killed_by: tuple[str, ...]
    reason: str
    calls: int
    reached: bool
    note: str


def facts_of(result: MutantResult) -> dict[str, Any]:
    """The members of `MutantFacts`, by name."""
    mutant = result.mutant
    own = {name: getattr(mutant, name) for name in ("id", "file", "line", "column", "function", "contract", "operator")}
    return {
        **own,
        "description": mutant.description,
        "status": result.status,
        "killed_by": result.killed_by,
        "reason": result.kills[0].reason if result.kills else "",
        "calls": result.calls,
        "reached": result.reached,
        "note": result.note,
    }


class TestScore(msgspec.Struct, frozen=True):
    """Mutants that a test noticed, and those that no other did."""

    __test__ = False

    name: str
    contract: str
    kills: int
    kills_alone: int


class Score(msgspec.Struct, frozen=True):
    """Mutants by what became of them, of one contract or of all."""

    name: str
    killed: int
    survived: int
    stillborn: int

    @property
    def share(self) -> float | None:
        """Killed ones among those that could be deployed, 0..1; None where none could."""
        judged = self.killed + self.survived
        return self.killed / judged if judged else None


def total_score(results: Iterable[MutantResult], name: str = "") -> Score:
    """The score of these mutants together."""
    counts = Counter(result.status for result in results)
    return Score(name, counts["killed"], counts["survived"], counts["stillborn"])


def contract_scores(results: Sequence[MutantResult]) -> tuple[Score, ...]:
    """A score for each contract, the weakest first."""
    names = dict.fromkeys(_contract(result) for result in results)
    scores = [total_score([result for result in results if _contract(result) == name], name) for name in names]
    return tuple(sorted(scores, key=lambda score: (score.share is None, score.share or 0.0, score.name)))


def _contract(result: MutantResult) -> str:
    return result.mutant.contract or result.mutant.file


def scores_of_tests(tests: Sequence[TestName], results: Sequence[MutantResult]) -> tuple[TestScore, ...]:
    """Return the score of each test, the strongest first."""
    kills: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for result in results:
        names = result.killed_by
        kills.update(names)
        if len(names) == 1:
            alone.update(names)
    scores = [TestScore(test.name, test.contract, kills[test.name], alone[test.name]) for test in tests]
    return tuple(sorted(scores, key=lambda score: (-score.kills, -score.kills_alone, score.name)))


def telling_survivors(results: Sequence[MutantResult]) -> tuple[MutantResult, ...]:
    """The survivors, those first that say most: executed by the corpus, of kinds that matter, in functions of which few
    mutants are killed; at first one of each line."""
    survivors = [result for result in results if result.status == "survived"]
    lines: Counter[tuple[str, int]] = Counter()
    functions: Counter[tuple[str, str, str]] = Counter(_function(result) for result in survivors)
    ranked = []
    for result in sorted(survivors, key=_weight):
        place = (result.mutant.file, result.mutant.line)
        ranked.append((not result.reached, lines[place], _weight(result), -functions[_function(result)], result))
        lines[place] += 1
    ranked.sort(key=lambda each: each[:4])
    return tuple(each[-1] for each in ranked)


_WEIGHTS = (
    "store", "check", "caller", "arithmetic", "stale", "comparison", "condition", "negation", "constant", "call",
)  # fmt: skip


def _weight(result: MutantResult) -> int:
    kind = result.mutant.operator
    return _WEIGHTS.index(kind) if kind in _WEIGHTS else len(_WEIGHTS)


def _function(result: MutantResult) -> tuple[str, str, str]:
    return result.mutant.file, result.mutant.contract, result.mutant.function


class WeakLine(msgspec.Struct, frozen=True):
    """A line of which no mutant is noticed; `mutants` is how many there are."""

    file: str
    line: int
    mutants: int


def weak_lines(results: Sequence[MutantResult]) -> tuple[WeakLine, ...]:
    """The lines whose mutants all survive, in the order of the sources."""
    lines: dict[tuple[str, int], list[MutantResult]] = {}
    for result in results:
        if result.status != "stillborn":
            lines.setdefault((result.mutant.file, result.mutant.line), []).append(result)
    weak = [place for place, found in lines.items() if all(each.status == "survived" for each in found)]
    return tuple(WeakLine(file, line, len(lines[file, line])) for file, line in sorted(weak))

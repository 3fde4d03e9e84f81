"""`explain_uncovered`: the branches that block a campaign."""

from __future__ import annotations

from typing import Any

import trio
from pydantic import Field

from actors.coverage.report import CoverageReport
from simulator.coverage.file_coverage import FunctionCount
from simulator.coverage.frontier import FrontierSite
from simulator.health.branch_operands import BranchOperands
from simulator.health.observations import Observations
from simulator.project import Project
from simulator.transaction import Transaction
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.coverage_tools import current_report
from tools.campaign.fields import Integer
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.sources.called import CalledFunctions
from tools.tool import Answer, Tool, ToolInput

MAX_SHOWN_LENGTH = 10
MAX_CONTRACTS = 100


class ExplainUncoveredInput(ToolInput):
    contract: str | None = Field(default=None, max_length=1_000, description="Only branches of this contract.")
    limit: Integer = Field(
        default=10, ge=1, le=100, description="Most branches to explain, those that block code first."
    )


class UncoveredBranch(ToolResult, frozen=True):
    """A condition of which one outcome, `missing`, was never seen, although it was evaluated `times` times. `seen` are
    the operands that it compared, `needs` what the other outcome takes; both are empty where that is not known.
    `nearest_sequence` are the last calls of the shortest corpus entry that reaches it (id `nearest_entry`), each with
    its sender, and with value and delay where it has them: a place to begin an injection from."""

    file: str
    line: int
    source: str
    kind: str
    contract: str
    function: str
    missing: str
    times: int
    seen: str
    needs: str
    nearest_entry: str | None
    nearest_sequence: tuple[str, ...]


class UnreachedFunction(ToolResult, frozen=True):
    """A function that was never entered. `calls` of it were made, and `reverts` of them failed before its first line;
    0 of both for one that the fuzzer does not call itself."""

    file: str
    line: int
    function: str
    calls: int
    reverts: int


class UncoveredResult(ToolResult, frozen=True):
    """`unreached_contracts` have no function that was ever entered; `unreached` functions are those of other contracts,
    `unreached_total` of them. `total` branches are half covered; files and lines are those of the sources."""

    unreached_contracts: tuple[str, ...]
    unreached: tuple[UnreachedFunction, ...]
    unreached_total: int
    branches: tuple[UncoveredBranch, ...]
    total: int


class FrontierTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "explain_uncovered",
                "What was never reached: contracts, functions, then half-covered branches with source line, outcome"
                " never seen, operands seen and needed, and nearest corpus entry. Use it to find out what to inject or"
                " to prioritize.",
                (ExplainUncoveredInput, UncoveredResult),
                self.explain,
            ),
        )

    async def explain(self, inputs: ExplainUncoveredInput) -> Answer:
        parts = self._access.current
        report = await current_report(parts)
        parts.check_contract(inputs.contract)
        sites = [site for site in report.frontier if inputs.contract in (None, site.branch.contract)]
        shown = sites[: inputs.limit]
        observations = parts.coverage.tracker.observations()
        compared = await trio.to_thread.run_sync(_operands, shown, observations, parts.project, abandon_on_cancel=True)
        nearest = parts.coverage.frontier(report, inputs.limit, inputs.contract)
        branches = tuple(
            UncoveredBranch(
                file=each.branch.path,
                line=each.branch.line,
                source=each.branch.source.strip(),
                kind=each.branch.kind,
                contract=each.branch.contract,
                function=each.branch.function,
                missing=each.branch.missing,
                times=each.branch.times,
                seen=seen,
                needs=needs,
                nearest_entry=each.nearest_entry,
                nearest_sequence=_calls(parts, each.nearest_entry),
            )
            for each, (seen, needs) in zip(nearest, compared, strict=True)
        )
        contracts, functions = _unreached(parts, report, inputs.contract)
        listed = functions[: inputs.limit]
        return answer_of(UncoveredResult(contracts[:MAX_CONTRACTS], listed, len(functions), branches, len(sites)))


def _operands(sites: list[FrontierSite], observations: Observations, project: Project) -> list[tuple[str, str]]:
    """What each condition compared and what its other outcome takes, in words."""
    return list(map(BranchOperands(observations, project).words, sites))


def _unreached(
    parts: CampaignComponents, report: CoverageReport, contract: str | None
) -> tuple[tuple[str, ...], tuple[UnreachedFunction, ...]]:
    """Contracts of which nothing was entered, and functions of the others that were not."""
    counts: dict[str, list[tuple[str, FunctionCount]]] = {}
    for file in report.files:
        for each in file.functions:
            owner = each.name.partition("(")[0].rpartition(".")[0]
            if contract in (None, owner):
                counts.setdefault(owner, []).append((file.path, each))
    untouched = {owner for owner, ones in counts.items() if not any(each.count for _, each in ones)}
    called = CalledFunctions(parts.campaign.priorities.statistics().functions, parts.project)
    functions = [
        UnreachedFunction(path, each.line, each.name, sum(one.calls for one in made), sum(one.reverts for one in made))
        for owner, ones in counts.items()
        if owner not in untouched
        for path, each in ones
        if not each.count
        for made in (called.of_source(each.name),)
    ]
    return tuple(sorted(untouched - {""})), tuple(sorted(functions, key=lambda each: -each.calls))


def _calls(parts: CampaignComponents, entry: str | None) -> tuple[str, ...]:
    sequence = parts.corpus.sequence(entry) if entry is not None else None
    if not sequence:
        return ()
    last = sequence[-MAX_SHOWN_LENGTH:]
    return tuple(f"{text}{_how(call)}" for text, call in zip(parts.call_texts(last), last, strict=True))


def _how(call: Transaction) -> str:
    value = f" value {call.wei}" if call.wei else ""
    delay = f" after {call.seconds} s and {call.blocks} blocks" if call.seconds or call.blocks else ""
    return f" from {hex(int.from_bytes(call.sender, 'big'))}{value}{delay}"

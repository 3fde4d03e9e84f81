"""`page_frontier`: open branches in the order of how near a campaign came to their other side."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import msgspec
import trio
from pydantic import Field

from actors.coverage.report import CoverageReport
from actors.priorities.manager import FunctionStatistics
from orchestrator.dashboard.page_tools.source_lines import recent_report, unknown_coverage
from simulator.coverage.frontier import FrontierSite, HalfCoveredBranch
from simulator.health.branch_operands import BranchOperands
from simulator.health.observations import Observations
from simulator.health.operands import bounds_of, distance, needed, range_text
from simulator.project import Project
from simulator.worker.reports import FunctionInfo
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.extensions.findings import FindingCall, readable_calls
from tools.campaign.fields import Integer
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_SHOWN_CALLS = 20
MAX_SITES = 2_000
"""Branches that are ranked: those first that block code."""
_WORD = 1 << 256


class PageFrontierInput(ToolInput):
    contract: str | None = Field(default=None, max_length=1_000)
    order: Literal["near", "blocking"] = Field(
        default="near", description="near: least distance of operands first; blocking: those that block code first."
    )
    limit: Integer = Field(default=25, ge=1, le=200)


class OpenBranch(ToolResult, frozen=True):
    """A condition of which one outcome, `missing`, was never seen. `seen` and `needs` tell of its operands in words,
    `distance_bits` how long the least distance is as a number, null where it is not known. `callees` are functions
    that lead there and that the fuzzer calls, the nearest first. `solving` are the nearest calls with the last one's
    arguments open, none where it takes none; `values` what the operands were, and their neighbours."""

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
    distance_bits: int | None
    callees: tuple[str, ...]
    nearest_entry: str | None
    nearest: tuple[FindingCall, ...]
    solving: tuple[str, ...]
    values: tuple[str, ...]


class PageFrontierResult(ToolResult, frozen=True):
    """`total` branches are open, `ranked` of them were compared. `unknown` says why nothing is known of them: before
    the first report of coverage, or where sources cannot be mapped."""

    branches: tuple[OpenBranch, ...]
    total: int
    ranked: int
    contracts: tuple[str, ...]
    unknown: str


class RankedSite(msgspec.Struct, frozen=True):
    """A site with what is known of its operands."""

    site: FrontierSite
    seen: str = ""
    needs: str = ""
    distance: int | None = None
    values: tuple[int, ...] = ()


class OpenBranches:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "page_frontier",
                "Open branches with the operands that were seen, what leads there, and calls to begin from.",
                (PageFrontierInput, PageFrontierResult),
                self.frontier,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def frontier(self, inputs: PageFrontierInput) -> Answer:
        parts = self._access.current
        report = await recent_report(parts)
        parts.check_contract(inputs.contract)
        contracts = tuple(sorted({site.branch.contract for site in report.frontier}))
        chosen = [site for site in report.frontier if inputs.contract in (None, site.branch.contract)]
        observations = parts.coverage.tracker.observations()
        rank = partial(_ranked, chosen[:MAX_SITES], observations, parts.project, inputs.order)
        ranked = (await trio.to_thread.run_sync(rank, abandon_on_cancel=True))[: inputs.limit]
        functions = parts.campaign.priorities.statistics().functions
        branches = tuple(_branch(parts, report, each, functions) for each in ranked)
        return answer_of(
            PageFrontierResult(branches, len(chosen), min(len(chosen), MAX_SITES), contracts, unknown_coverage(report))
        )


def _ranked(
    sites: list[FrontierSite], observations: Observations, project: Project, order: Literal["near", "blocking"]
) -> list[RankedSite]:
    operands = BranchOperands(observations, project)
    found = [_ranked_site(operands, site) for site in sites]
    if order == "near":
        # A check that never failed blocks nothing, however near it is.
        found.sort(key=lambda each: (_is_check(each.site.branch), each.distance is None, each.distance or 0))
    return found


def _is_check(branch: HalfCoveredBranch) -> bool:
    return branch.kind == "require" and branch.missing == "false"


def _ranked_site(operands: BranchOperands, site: FrontierSite) -> RankedSite:
    known = operands.of(site)
    if known is None:
        return RankedSite(site)
    opcode, seen = known
    near = (value + step for value in bounds_of(opcode, seen) for step in (0, 1, -1))
    values = tuple(dict.fromkeys(value % _WORD for value in near))
    return RankedSite(site, range_text(opcode, seen), needed(opcode, seen), distance(opcode, seen), values)


def _branch(
    parts: CampaignComponents, report: CoverageReport, ranked: RankedSite, functions: tuple[FunctionStatistics, ...]
) -> OpenBranch:
    branch = ranked.site.branch
    (near,) = parts.coverage.frontier(msgspec.structs.replace(report, frontier=(ranked.site,)), 1)
    sequence = (parts.corpus.sequence(near.nearest_entry) if near.nearest_entry else None) or ()
    called = [_name(parts.coverage.tracker.function_of(each)) for each in sequence]
    own = [
        f"{each.contract}.{each.signature}"
        for each in functions
        if each.contract == branch.contract and each.signature.partition("(")[0] == branch.function
    ]
    # What comes behind the last call that leads there has nothing to do with it. Where no call is of the function
    # itself, it is the last one that takes arguments.
    leading = [place for place, name in enumerate(called) if name in own]
    leading = leading or [place for place, name in enumerate(called) if name and not name.endswith("()")]
    end = leading[-1] + 1 if leading else len(sequence)
    begin = max(0, end - MAX_SHOWN_CALLS)
    last = called[end - 1] if sequence else ""
    nearest = readable_calls(parts, sequence[begin:end])
    return OpenBranch(
        file=branch.path,
        line=branch.line,
        source=branch.source.strip(),
        kind=branch.kind,
        contract=branch.contract,
        function=branch.function,
        missing=branch.missing,
        times=branch.times,
        seen=ranked.seen,
        needs=ranked.needs,
        distance_bits=None if ranked.distance is None else ranked.distance.bit_length(),
        callees=tuple(dict.fromkeys(filter(None, (*own, last)))),
        nearest_entry=near.nearest_entry,
        nearest=nearest,
        solving=_solving(nearest, last),
        values=tuple(map(str, ranked.values)),
    )


def _name(function: FunctionInfo | None) -> str:
    return f"{function.contract}.{function.signature}" if function is not None else ""


def _solving(nearest: tuple[FindingCall, ...], last: str) -> tuple[str, ...]:
    """The nearest calls with every argument of the last one open; none where that call is of no known function."""
    if not last or last.endswith("()") or any(each.call.startswith("*") for each in nearest):
        return ()
    name, _, types = last.partition("(")
    before = tuple(f"{each.contract}.{each.call}" for each in nearest[:-1])
    return (*before, f"{name}({', '.join('?' * _arity(types))})")


def _arity(types: str) -> int:
    """Parameters of a signature's part behind its opening parenthesis: commas outside of tuples, and one."""
    depth, commas = 0, 0
    for letter in types.removesuffix(")"):
        depth += (letter == "(") - (letter == ")")
        commas += letter == "," and not depth
    return commas + 1 if types not in (")", "") else 0

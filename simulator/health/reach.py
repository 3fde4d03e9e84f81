"""Code and branches out of reach: contracts never entered, and branches of which one side was never taken."""

from __future__ import annotations

import re
from collections.abc import Iterator

from simulator.abi.contract import ContractAbi
from simulator.coverage.frontier import FrontierSite
from simulator.errors import AbiError
from simulator.health.branch_operands import BranchOperands
from simulator.health.evidence import Evidence
from simulator.health.model import HealthPoint
from simulator.health.sources import is_assertion
from simulator.project import Contract

MAX_BRANCHES = 50

_CONSTANT = re.compile(r"\b(?:if|while|require|switch)\s*\(?\s*(?:true|false|\d+)\s*[,)]|\bfor\s*\{[^{}]*\}\s*\d+\s*\{")


def is_constant(source: str) -> bool:
    """Return whether the condition on a line is a literal, so that its other side is out of anybody's reach."""
    return _CONSTANT.search(source) is not None


def entry_points(evidence: Evidence) -> Iterator[HealthPoint]:
    """Contracts that stood at the start and that no call ever entered."""
    if not evidence.calls:
        return
    entered = {each.code.contract for each in evidence.codes if each.code.kind == "runtime" and any(each.counts)}
    known = {each.code.contract for each in evidence.codes if each.code.kind == "runtime"}
    contracts = {contract.full_name: contract for contract in evidence.project.contracts}
    for name in dict.fromkeys(evidence.deployed):
        contract = contracts.get(name)
        if contract is None or name in entered or name not in known or not _has_something_to_call(contract):
            continue
        yield HealthPoint(
            "never-entered", f"{contract.name} is deployed, and no call ever entered it",
            "write a handler that calls it, or give --all-contracts", file=contract.path,
        )  # fmt: skip


def branch_points(evidence: Evidence) -> Iterator[HealthPoint]:
    """Branches of which one side was always taken, those first that keep code from running. Branches of properties and
    of assertions are left out, and checks that never failed."""
    tests = {(test.contract, test.name.partition("(")[0]) for test in evidence.tests if test.kind == "property"}
    operands = BranchOperands(evidence.observations, evidence.project)
    shown = 0
    for site in evidence.frontier:
        branch = site.branch
        is_check = branch.kind == "require" and branch.missing == "false"
        if is_check or is_constant(branch.source) or is_assertion(branch.function, branch.source):
            continue
        if shown == MAX_BRANCHES:
            continue
        if (branch.contract, branch.function) in tests:
            continue
        shown += 1
        yield _branch(operands, site)


def _branch(known: BranchOperands, site: FrontierSite) -> HealthPoint:
    branch = site.branch
    text = f"`{branch.source.strip()[:120]}` was never {branch.missing} ({branch.times:,} times the other)"
    step = f"reach a state in which it is {branch.missing}: explain_uncovered names the sequence that comes nearest"
    seen, want = known.words(site)
    if seen:
        text += f": {seen}"
    if want:
        step = f"{want}; explain_uncovered names the sequence that comes nearest"
    return HealthPoint(
        "one-sided-branch", text, step,
        function=".".join(filter(None, (branch.contract, branch.function))), file=branch.path, line=branch.line,
    )  # fmt: skip


def _has_something_to_call(contract: Contract) -> bool:
    if contract.kind != "contract":
        return False
    try:
        abi = ContractAbi.from_json(contract.abi)
    except AbiError:
        return False
    return any(not function.is_view for function in abi.functions)

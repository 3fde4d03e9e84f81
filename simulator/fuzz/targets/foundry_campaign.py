"""A Foundry test as a campaign: its tests by themselves, and its invariants between calls of what it targets."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from simulator.abi.contract import Function
from simulator.abi.hashing import keccak256
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.targets.call_plan import CallPlan
from simulator.fuzz.targets.deployment import Deployment
from simulator.fuzz.targets.foundry_fixtures import read_fixtures
from simulator.fuzz.targets.foundry_targets import Call, TargetReader
from simulator.fuzz.targets.target import DeployedContract, TargetFunction
from simulator.modes.checks import Check, TestDescription
from simulator.modes.foundry import AFTER_INVARIANT, FOUNDRY, NO_CONTRACTS, TABLE, is_invariant, is_test
from simulator.modes.mode import Harness
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence, Transaction, address_bytes

OTHER_SENDERS = tuple(keccak256(b"sender %d" % number)[12:] for number in range(5))
"""Forge draws the senders of handlers at random; these stand for any."""


def plan_foundry(settings: CampaignSettings, deployment: Deployment, project: Project, call: Call) -> CallPlan:
    """All tests of the target, and what its invariants let sequences call. Raises `TargetError` when it has no test."""
    if deployment.failure is not None:
        name, reason = deployment.failure
        failed = TestDescription(name, "assertion", Check.DECIDED if reason else Check.NOTHING, reason=reason)
        return CallPlan(settings, [], [Oracle.of(0, deployment.target.contract.name, failed)])
    return _Planner(settings, deployment, project, call).plan()


class _Planner:
    def __init__(self, settings: CampaignSettings, deployment: Deployment, project: Project, call: Call) -> None:
        self._settings = settings
        self._target = deployment.target
        self._functions = deployment.target.abi.functions
        self._reader = TargetReader(deployment.target, deployment.contracts[1:], project, call)
        self._fixtures = read_fixtures(deployment.target.abi, call)
        self._decided: dict[str, str] = {}

    def plan(self) -> CallPlan:
        fixed = tuple(self._fixed())
        handlers = self._handlers() if any(map(is_invariant, self._functions)) else []
        functions = [*self._tests(len(handlers)), *handlers]
        numbered = [replace(each, index=index) for index, each in enumerate(functions)]
        oracles = self._oracles()
        return CallPlan(
            msgspec.structs.replace(self._settings, senders=self._senders()),
            numbered,
            oracles,
            tuple(self._hidden(len(oracles))) if handlers else (),
            fixed,
            tuple(self._fixtures.values.values()),
        )

    # --- functions ---------------------------------------------------------------------------------------------------

    def _tests(self, handlers: int) -> list[TargetFunction]:
        """The tests that run by themselves; those with inputs get half of all sequences."""
        tests = [each for each in self._functions if is_test(each) and each.signature not in self._decided]
        fuzzed = [each for each in tests if _is_fuzzed(each)]
        weight = max(1.0, handlers / max(len(fuzzed), 1))
        return [_function(self._target, each, weight if each in fuzzed else 0.0, alone=True) for each in tests]

    def _handlers(self) -> list[TargetFunction]:
        found = [
            _function(each.deployed, function, 1.0)
            for each in self._reader.contracts()
            for function in each.functions()
            if not self._is_filtered(each.deployed, function)
        ]
        if not found:
            self._decided |= {each.signature: NO_CONTRACTS for each in self._functions if is_invariant(each)}
        return found

    def _is_filtered(self, deployed: DeployedContract, function: Function) -> bool:
        listed = f"{deployed.contract.name}.{function.signature}" in self._settings.filter_functions
        return bool(self._settings.filter_functions) and listed == self._settings.filter_is_blacklist

    def _senders(self) -> tuple[bytes, ...]:
        return self._reader.senders((*self._settings.senders, *OTHER_SENDERS))

    # --- tests -------------------------------------------------------------------------------------------------------

    def _oracles(self) -> list[Oracle]:
        foundry = self._settings.foundry
        name, full_name = self._target.contract.name, self._target.contract.full_name
        strict = {each.signature for each in self._functions if foundry.is_strict(full_name, each.name)}
        harness = Harness(name, self._target.abi, self._settings.prefix, decided=self._decided, strict=strict)
        return [Oracle.of(id_, name, test) for id_, test in enumerate(FOUNDRY.tests(harness))]

    def _hidden(self, first: int) -> list[Oracle]:
        after = self._target.abi.by_signature.get(AFTER_INVARIANT)
        if after is None:
            return []
        return [Oracle(first, AFTER_INVARIANT, "property", Check.FOUNDRY_AFTER, self._target.contract.name, after)]

    # --- what is executed once ---------------------------------------------------------------------------------------

    def _fixed(self) -> list[Sequence]:
        found = [self._once(each.selector) for each in self._functions if is_test(each) and not each.inputs.members]
        for function in self._functions:
            if is_test(function) and function.name.startswith(TABLE):
                rows = self._fixtures.rows(function)
                if isinstance(rows, str):
                    self._decided[function.signature] = rows
                else:
                    found += [self._once(row) for row in rows]
        return found

    def _once(self, data: bytes) -> Sequence:
        settings = self._settings
        to = address_bytes(self._target.address)
        return (Transaction(settings.property_sender, to, data, gas=settings.transaction_gas),)


def _is_fuzzed(function: Function) -> bool:
    return bool(function.inputs.members) and not function.name.startswith(TABLE)


def _function(deployed: DeployedContract, function: Function, weight: float, *, alone: bool = False) -> TargetFunction:
    return TargetFunction(0, deployed, function, weight, function.selector, alone)

"""A Foundry test as a campaign: its tests by themselves, and its invariants between calls of what it targets."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import msgspec

from simulator.abi.codec import decode
from simulator.abi.contract import Function
from simulator.abi.hashing import keccak256
from simulator.abi.types import Array, Bytes, Tuple
from simulator.errors import AbiError
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.targets.call_plan import CallPlan
from simulator.fuzz.targets.deployment import Deployment
from simulator.fuzz.targets.foundry_fixtures import read_fixtures
from simulator.fuzz.targets.foundry_targets import Call, TargetReader
from simulator.fuzz.targets.target import MAX_BEFORE, DeployedContract, TargetFunction
from simulator.modes.checks import DEPLOYED, Check, TestDescription
from simulator.modes.foundry import (
    AFTER_INVARIANT,
    AFTER_NAME,
    BEFORE_TEST_SETUP,
    FOUNDRY,
    NO_CONTRACTS,
    TABLE,
    WRONG_TARGETS,
    is_invariant,
    is_test,
    once_named,
)
from simulator.modes.mode import Harness
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence, Transaction, address_bytes

OTHER_SENDERS = tuple(keccak256(b"sender %d" % number)[12:] for number in range(5))
"""Forge draws the senders of handlers at random; these stand for any. It draws the test itself too."""
MAX_DEPTH = 100_000
WORD_BYTES = 32


def plan_foundry(settings: CampaignSettings, deployment: Deployment, project: Project, call: Call) -> CallPlan:
    """All tests of the target, and what its invariants let sequences call. Raises `TargetError` when it has no test."""
    if deployment.failure is not None:
        is_skipped = deployment.failure.is_skipped
        check = Check.SKIPPED if is_skipped else Check.DECIDED
        failed = TestDescription(deployment.failure.test, "assertion", check, reason=deployment.failure.reason)
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
        self._call = call
        self._invariants = [each for each in self._functions if is_invariant(each)]
        self._depths = {each.signature: self._depth_of(each) for each in self._invariants}
        self._depth = max(self._depths.values(), default=settings.sequence_length)

    def plan(self) -> CallPlan:
        fixed = tuple(self._fixed())
        handlers = self._handlers() if self._invariants else []
        functions = [*self._tests(len(handlers)), *handlers]
        numbered = [replace(each, index=index) for index, each in enumerate(functions)]
        oracles = self._oracles()
        return CallPlan(
            msgspec.structs.replace(self._settings, senders=self._senders(), sequence_length=self._depth),
            numbered,
            oracles,
            tuple(self._hidden(len(oracles))) if handlers else (),
            fixed,
            tuple(self._fixtures.values.values()),
            self._join if handlers and self._reader.takes_created() else CallPlan.join,
        )

    # --- functions ---------------------------------------------------------------------------------------------------

    def _tests(self, handlers: int) -> list[TargetFunction]:
        """The tests that run by themselves; those with inputs get half of all sequences."""
        tests = [each for each in self._functions if is_test(each) and each.signature not in self._decided]
        fuzzed = [each for each in tests if _is_fuzzed(each) and self._is_run(each)]
        weight = max(1.0, handlers / max(len(fuzzed), 1))
        return [self._test(each, weight if each in fuzzed else 0.0) for each in tests]

    def _is_run(self, function: Function) -> bool:
        return self._settings.foundry.is_fuzzed(self._target.contract.full_name, function.name)

    def _test(self, function: Function, weight: float) -> TargetFunction:
        found = _function(self._target, function, weight, alone=True)
        return replace(found, before=self._before(function))

    def _before(self, function: Function) -> Sequence:
        """Make the calls that `beforeTestSetup` wants before the test. As in forge, one that fails wants nothing."""
        before = self._target.abi.by_signature.get(BEFORE_TEST_SETUP)
        output = None if before is None else self._call(before.selector + function.selector.ljust(WORD_BYTES, b"\0"))
        if before is None or output is None:
            return ()
        try:
            wanted = decode((Array(Bytes()),), output, strict=False)[0]
        except AbiError:
            return ()
        calls = cast("list[bytes]", wanted)
        if len(calls) > MAX_BEFORE:
            self._decided[function.signature] = (
                f"beforeTestSetup wants {len(calls)} calls; at most {MAX_BEFORE} are made"
            )
            return ()
        return tuple(map(self._call_of, calls))

    def _handlers(self) -> list[TargetFunction]:
        found = [
            _function(each.deployed, function, 1.0)
            for each in self._reader.contracts()
            for function in each.functions()
            if not self._is_filtered(each.deployed, function)
        ]
        problem = self._reader.problem()
        if problem or not found:
            reason = WRONG_TARGETS + problem if problem else NO_CONTRACTS
            self._decided |= {each.signature: reason for each in self._invariants}
            return []
        return found

    def _join(self, created: DeployedContract, first: int) -> list[TargetFunction]:
        """Return the calls of a contract that a handler has created."""
        wanted = [each for each in self._reader.created(created) if not self._is_filtered(created, each)]
        return [replace(_function(created, each, 1.0), index=first + index) for index, each in enumerate(wanted)]

    def _depth_of(self, invariant: Function) -> int:
        default, name = self._settings.sequence_length, self._target.contract.full_name
        depth = self._settings.foundry.number("invariant.depth", name, invariant.name, default)
        return max(1, min(depth, max(default, MAX_DEPTH)))

    def _is_filtered(self, deployed: DeployedContract, function: Function) -> bool:
        listed = f"{deployed.contract.name}.{function.signature}" in self._settings.filter_functions
        return bool(self._settings.filter_functions) and listed == self._settings.filter_is_blacklist

    def _senders(self) -> tuple[bytes, ...]:
        return self._reader.senders((*self._settings.senders, *OTHER_SENDERS, address_bytes(self._target.address)))

    # --- tests -------------------------------------------------------------------------------------------------------

    def _oracles(self) -> list[Oracle]:
        foundry = self._settings.foundry
        name, full_name = self._target.contract.name, self._target.contract.full_name
        strict = {each.signature for each in self._functions if foundry.is_strict(full_name, each.name)}
        depths = {name: depth for name, depth in self._depths.items() if depth < self._depth}
        depths |= {
            each.signature: DEPLOYED for each in self._invariants if not foundry.is_followed(full_name, each.name)
        }
        harness = Harness(
            name, self._target.abi, self._settings.prefix, decided=self._decided, strict=strict, depths=depths
        )
        return [Oracle.of(id_, name, test) for id_, test in enumerate(FOUNDRY.tests(harness))]

    def _hidden(self, first: int) -> list[Oracle]:
        if not once_named(self._target.abi, AFTER_NAME):
            return []
        after = self._target.abi.by_signature.get(AFTER_INVARIANT, Function(AFTER_NAME, Tuple(())))
        return [Oracle(first, AFTER_INVARIANT, "property", Check.FOUNDRY_AFTER, self._target.contract.name, after)]

    # --- what is executed once ---------------------------------------------------------------------------------------

    def _fixed(self) -> list[Sequence]:
        plain = [each for each in self._functions if is_test(each) and not _has_inputs(each)]
        found = [self._once(each, each.selector) for each in plain]
        for function in self._functions:
            if is_test(function) and function.name.startswith(TABLE):
                rows = self._fixtures.rows(function)
                if isinstance(rows, str):
                    self._decided[function.signature] = rows
                else:
                    found += [self._once(function, row) for row in rows]
        return found

    def _once(self, function: Function, data: bytes) -> Sequence:
        return (*self._before(function), self._call_of(data))

    def _call_of(self, data: bytes) -> Transaction:
        settings = self._settings
        to = address_bytes(self._target.address)
        return Transaction(settings.deployer, to, data, gas=settings.transaction_gas)


def _has_inputs(function: Function) -> bool:
    """Return whether the test is run for one input after the other, drawn or from a table."""
    return bool(function.inputs.members) or function.name.startswith(TABLE)


def _is_fuzzed(function: Function) -> bool:
    return bool(function.inputs.members) and not function.name.startswith(TABLE)


def _function(deployed: DeployedContract, function: Function, weight: float, *, alone: bool = False) -> TargetFunction:
    return TargetFunction(0, deployed, function, weight, function.selector, alone)

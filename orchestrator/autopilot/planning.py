"""Searches for a plan: the imitation says which condition fails, and edits of the plan are tried, the nearest first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, Literal

from orchestrator.autopilot.arithmetic import truth
from orchestrator.autopilot.built_in import signature_of
from orchestrator.autopilot.linked import root_of
from orchestrator.autopilot.machine import Decision, Machine, Stop, Trail
from orchestrator.autopilot.solving import Changes, Solver
from orchestrator.autopilot.syntax import Assign, FunctionText, Number, expressions
from orchestrator.autopilot.values import Operation, Read, Value, key_of, terms_of
from orchestrator.autopilot.world import PlannedCall, Surroundings, simplest

MAX_CALLS = 100
MAX_COPIES = 90
MAX_WRITERS = 12
MAX_CONDITIONS = 8
MAX_GAP = 20
MAX_NEAR = 4
MAX_MENDED = 4
LEFT_WEIGHT = 2.0
"""Cost of each call that is not reached yet, of each edit, and of each step that the goal's condition is away."""
EDIT_WEIGHT = 0.4
GAP_WEIGHT = 5.0
Plan = tuple[PlannedCall, ...]


@dataclass(frozen=True)
class Goal:
    """Goal of the last call of a plan: `false` lets a property return false or fail, `assert` fails an assert,
    `side` takes the condition in `line` the way that `wanted` says, `end` comes to its end."""

    contract: str
    function: FunctionText
    kind: Literal["false", "assert", "side", "end"]
    line: int = 0
    wanted: bool = True


@dataclass(order=True)
class _Node:
    cost: float
    number: int
    plan: Plan = field(compare=False)
    trouble: Trouble = field(compare=False)
    edits: int = field(compare=False)
    gap: float = field(compare=False)


@dataclass(frozen=True)
class Trouble:
    """The condition that keeps a plan from its goal; `call` is where it stands, `reached` whether the goal is."""

    call: int
    condition: Value | None
    wanted: bool
    guards: int
    reached: bool = False


class Planner:
    """One search. `step` does a little of it, so that others have their turn; plans that it returns reach the goal as
    far as the text tells, and it continues with the next one where the campaign says otherwise."""

    def __init__(self, surroundings: Surroundings, goal: Goal, signers: dict[int, int]) -> None:
        self._surroundings = surroundings
        self._goal = goal
        self._signers = signers
        self._numbers = count()
        self._seen: set[Any] = set()
        self._waiting: list[_Node] = []
        self._trail = Trail()
        self.tried = 0
        self._add((self._last(),), 0, MAX_GAP)

    @property
    def is_exhausted(self) -> bool:
        return not self._waiting

    def _last(self) -> PlannedCall:
        return self._call(self._goal.contract, self._goal.function, self._surroundings.senders[0])

    def _call(self, contract: str, function: FunctionText, sender: int) -> PlannedCall:
        scope = self._surroundings.contracts[contract]
        arguments = tuple(simplest(each.type, scope, sender) for each in function.parameters)
        return PlannedCall(contract, function, arguments, sender)

    def step(self, nodes: int) -> Plan | None:
        """Look at so many plans; one that reaches the goal, or None."""
        for _ in range(nodes):
            if not self._waiting:
                return None
            node = heapq.heappop(self._waiting)
            if node.trouble.reached:
                return node.plan
            self.tried += 1
            trail = self._imitate(node.plan)
            for edited, edits in self._edited(node, trail):
                self._add(edited, node.edits + edits, node.gap)
        return None

    def _imitate(self, plan: Plan) -> Trail:
        self._machine = Machine(self._surroundings)
        return self._machine.run(plan)

    def _add(self, plan: Plan, edits: int, gap: float) -> None:
        """`gap` is that of the goal's condition in the plan that this one was made of."""
        key = tuple(call.key for call in plan)
        if key in self._seen or len(plan) > MAX_CALLS:
            return
        self._seen.add(key)
        trouble = self._trouble(plan, self._imitate(plan))
        if trouble is None:
            return
        left = len(plan) - trouble.call if not trouble.reached else 0
        near = _gap(trouble.condition)
        if left == 1:
            gap = near
        cost = LEFT_WEIGHT * left + 0.5 * len(plan) + EDIT_WEIGHT * edits - 0.3 * min(trouble.guards, 5)
        cost = cost + GAP_WEIGHT * gap + min(near, MAX_NEAR) if not trouble.reached else 0.0
        heapq.heappush(self._waiting, _Node(cost, next(self._numbers), plan, trouble, edits, gap))

    def _trouble(self, plan: Plan, trail: Trail) -> Trouble | None:
        """Return what keeps the plan from its goal; None where nothing is known of it."""
        last = len(plan) - 1
        stop, goal = trail.stop, self._goal
        if stop is not None and stop.call < last:
            return _of_stop(stop)
        match goal.kind:
            case "false":
                return self._property(trail, last)
            case "assert":
                if trail.failed_assert and stop is not None:
                    return Trouble(last, None, True, 0, reached=True)
                if stop is not None:
                    return _of_stop(stop)
                asserts = [each for each in trail.asserts if each.call == last]
                return Trouble(last, asserts[-1].condition, False, 3) if asserts else None
            case "side":
                there = [each for each in trail.decisions if each.call == last and each.line == goal.line]
                if any(each.taken is goal.wanted for each in there):
                    return Trouble(last, None, True, 0, reached=True)
                if there:
                    return Trouble(last, there[-1].condition, goal.wanted, 3)
                return _of_stop(stop) if stop is not None else None
            case "end":
                return _of_stop(stop) if stop is not None else Trouble(last, None, True, 0, reached=True)

    def _property(self, trail: Trail, last: int) -> Trouble:
        stop, result = trail.stop, trail.result
        if stop is not None:
            return Trouble(last, None, True, 0, reached=True)
        if result is not None and truth(result) is False:
            return Trouble(last, None, True, 0, reached=True)
        return Trouble(last, result, False, 3)

    def _edited(self, node: _Node, trail: Trail) -> Iterator[tuple[Plan, int]]:
        solver = Solver(self._surroundings.senders, self._machine.hashes, self._signers, self._sign)
        for call, condition, wanted in islice(self._conditions(node.trouble, trail), MAX_CONDITIONS):
            for changes in solver.ways(condition, wanted):
                yield self._applied(node.plan, changes), 1
            for changes in solver.extremes(condition):
                yield self._applied(node.plan, changes), 3
            yield from self._other_keys(node.plan, condition, solver)
            yield from self._inserted(node.plan, call, condition)

    def _conditions(self, trouble: Trouble, trail: Trail) -> Iterator[tuple[int, Value, bool]]:
        """The condition itself; those that kept the plan from writing what it reads; those on the way to the goal."""
        read: frozenset[str] = frozenset()
        if trouble.condition is not None:
            yield trouble.call, trouble.condition, trouble.wanted
            read = _variables(trouble.condition)
        for each in reversed(trail.decisions):
            is_last = each.call == trouble.call
            if each.skipped is not None and (is_last or _writes(each, read)):
                yield each.call, each.condition, not each.taken
        if self._goal.kind in ("assert", "false"):
            for each in trail.asserts:
                if each.call == trouble.call and each.condition is not trouble.condition:
                    yield each.call, each.condition, False

    def _sign(self, key: int, digest: int) -> tuple[int, int, int]:
        signed = signature_of(key, digest)
        self._surroundings.signatures[(digest, *signed)] = next(a for a, k in self._signers.items() if k == key)
        return signed

    def _applied(self, plan: Plan, changes: Changes) -> Plan:
        calls = list(plan)
        for place, data in changes.items():
            calls[place.call] = calls[place.call].changed(place.path, data)
        return tuple(calls)

    def _inserted(self, plan: Plan, place: int, condition: Value) -> Iterator[tuple[Plan, int]]:
        """Calls of functions that write what the condition reads, before the call that asks for it."""
        read = _variables(condition)
        made = 0
        for contract, code in self._surroundings.contracts.items():
            if contract not in self._surroundings.addresses:
                continue
            for function in code.callable_functions():
                written = code.writes.get(function.name, frozenset())
                if function.is_view or not written & read or made >= MAX_WRITERS:
                    continue
                made += 1
                call = self._call(contract, function, plan[place].sender)
                for copies in sorted({1, *_copies(condition, function, written & read)}):
                    longer = (*plan[:place], *[call] * copies, *plan[place:])
                    yield longer, 1
                    if copies == 1:
                        yield from self._mended(longer, place, read)

    def _mended(self, plan: Plan, place: int, read: frozenset[str]) -> Iterator[tuple[Plan, int]]:
        """The new call with what it needs itself to have its effect."""
        trail = self._imitate(plan)
        if trail.stop is not None and trail.stop.call == place and trail.stop.condition is not None:
            conditions = [(trail.stop.condition, trail.stop.wanted)]
        else:
            conditions = [
                (each.condition, not each.taken)
                for each in trail.decisions
                if each.call == place and each.skipped is not None and _writes(each, read)
            ]
        solver = Solver(self._surroundings.senders, self._machine.hashes, self._signers, self._sign)
        for condition, wanted in conditions[:2]:
            for changes in solver.ways(condition, wanted)[:MAX_MENDED]:
                yield self._applied(plan, changes), 2

    def _other_keys(self, plan: Plan, condition: Value, solver: Solver) -> Iterator[tuple[Plan, int]]:
        """The condition might hold for a key that something else is kept by."""
        for term in terms_of(condition):
            if not isinstance(term, Read) or term.table is None or not term.keys:
                continue
            own = term.keys[-1]
            for name, key in list(term.table.keys.items()):
                kept = term.table.slots[name].value
                if name != key_of(own) and key.is_known and kept.data != term.inner.data:
                    equal = Value(False, "bool", Operation("==", (own, key)))
                    for changes in solver.ways(equal, True):
                        yield self._applied(plan, changes), 1


def _of_stop(stop: Stop) -> Trouble:
    return Trouble(stop.call, stop.condition, stop.wanted, stop.guards)


def _variables(value: Value) -> frozenset[str]:
    return frozenset(term.variable for term in terms_of(value) if isinstance(term, Read))


def _comparisons(value: Value | None) -> Iterator[Operation]:
    if value is None:
        return
    for term in terms_of(value):
        if isinstance(term, Operation) and term.operator in ("==", "!=", "<", "<=", ">", ">="):
            yield term


def _writes(decision: Decision, variables: frozenset[str]) -> bool:
    return any(isinstance(each, Assign) and root_of(each.target) in variables for each in expressions(decision.skipped))


def _copies(condition: Value, function: FunctionText, read: frozenset[str]) -> Iterator[int]:
    """Return how often a counter has to be counted."""
    steps = [
        each.value.value
        for each in expressions(function.body)
        if isinstance(each, Assign) and each.operator in ("+", "-") and isinstance(each.value, Number)
        if root_of(each.target) in read and each.value.value
    ]
    for term in _comparisons(condition):
        left, right = (each.data for each in term.operands)
        if isinstance(left, int) and isinstance(right, int):
            for step in set(steps):
                for more in (0, 1):
                    if 1 < (copies := abs(left - right) // step + more) <= MAX_COPIES:
                        yield copies


def _gap(condition: Value | None) -> float:
    """Return the distance of the nearest comparison from its turn, where it counts in small steps."""
    gaps = [
        abs(left - right)
        for term in _comparisons(condition)
        for left, right in [tuple(each.data for each in term.operands)]
        if isinstance(left, int) and isinstance(right, int)
    ]
    return min(min(gaps, default=MAX_GAP), MAX_GAP)

"""The policy of the scripted agent. It is deterministic and knows nothing of any contract:

1. It reads the target, the sources and the values of public variables.
2. Each open test is a goal, and so is each side of a condition that `explain_uncovered` says was never taken.
3. A planner searches, for one goal after the other and a little at a time, for calls that reach it as far as the
   sources tell.
4. What it finds is tried with `execute_sequence`, and kept with `import_sequence` where it does what was planned, or
   where at least every call succeeds.
5. When all plans are made or given up, it waits and asks again what was never reached.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import trio

from orchestrator.autopilot.built_in import address_of
from orchestrator.autopilot.calls import call_object, sequence_text
from orchestrator.autopilot.encoding import Unencodable
from orchestrator.autopilot.planning import Goal, Planner
from orchestrator.autopilot.target_reading import Ask, Target, Test, read_target
from orchestrator.autopilot.world import PlannedCall

NODES = 8
MAX_NODES = 1_500
MAX_TRIALS = 10
MAX_GUESSES = 2
MAX_FRONTIER = 40
PAUSE = 5.0
_KINDS = {"property": "false", "assertion": "assert"}
KEYS = range(1, 21)
"""Private keys that test accounts usually have."""


@dataclass
class _Pursuit:
    """A goal with its planner. `trials` were executed, `guesses` injected without doing what was planned."""

    goal: Goal
    planner: Planner
    test: str = ""
    trials: int = 0
    guesses: int = 0

    @property
    def is_over(self) -> bool:
        return self.planner.is_exhausted or self.planner.tried >= MAX_NODES or self.trials >= MAX_TRIALS


@dataclass
class Autopilot:
    """`ask` calls a tool. `injected` counts sequences that were given to the campaign."""

    ask: Ask
    deployer: int
    injected: int = 0
    _done: set[Any] = field(default_factory=set)

    async def fly(self) -> None:
        """Steer until the campaign is over or every test is decided."""
        target = await self._target()
        if target is None:
            return
        signers = await trio.to_thread.run_sync(lambda: {address_of(key): key for key in KEYS})
        pursuits = deque(self._tests(target, signers))
        while True:
            while pursuits:
                pursuit = pursuits.popleft()
                await self._pursue(target, pursuit)
                if not pursuit.is_over and pursuit.goal not in self._done:
                    pursuits.append(pursuit)
            shown = await self.ask("wait_for_event", {"until": "idle", "timeoutSeconds": PAUSE, "limit": 1})
            if not isinstance(shown, dict) or shown["over"] or shown["met"]:
                return
            pursuits.extend(await self._frontier(target, signers))

    async def _target(self) -> Target | None:
        while (target := await read_target(self.ask, self.deployer)) is None:
            shown = await self.ask("wait_for_event", {"timeoutSeconds": 1, "limit": 1})
            if isinstance(shown, dict) and shown["over"]:
                return None
        return target

    def _tests(self, target: Target, signers: dict[int, int]) -> list[_Pursuit]:
        found = []
        for test in target.tests:
            goal = _goal_of(target, test)
            if goal is not None:
                found.append(_Pursuit(goal, Planner(target.surroundings, goal, signers), test.id))
        return found

    async def _frontier(self, target: Target, signers: dict[int, int]) -> list[_Pursuit]:
        """Goals that were not pursued before."""
        shown = await self.ask("explain_uncovered", {"limit": MAX_FRONTIER})
        found: list[_Pursuit] = []
        for branch in shown["branches"] if isinstance(shown, dict) else ():
            for contract in target.surroundings.addresses:
                code = target.surroundings.contracts[contract]
                for function in code.entries_to(branch["function"])[:2]:
                    goal = Goal(contract, function, "side", branch["line"], branch["missing"] == "true")
                    key = (contract, function.name, branch["line"], branch["missing"])
                    if key not in self._done:
                        self._done.add(key)
                        found.append(_Pursuit(goal, Planner(target.surroundings, goal, signers)))
        return found

    async def _pursue(self, target: Target, pursuit: _Pursuit) -> None:
        plan = await trio.to_thread.run_sync(pursuit.planner.step, NODES, abandon_on_cancel=True)
        if plan is None:
            return
        pursuit.trials += 1
        calls = plan[:-1] if pursuit.goal.kind == "false" else plan
        if not calls:
            return
        try:
            await self._try(target, pursuit, calls)
        except Unencodable:
            return

    async def _try(self, target: Target, pursuit: _Pursuit, calls: Sequence[PlannedCall]) -> None:
        scopes, addresses = target.surroundings.contracts, target.surroundings.addresses
        content = sequence_text(calls, scopes, addresses)
        tried = await self.ask(
            "execute_sequence",
            {
                "sequence": [call_object(call, scopes[call.contract]) for call in calls],
                "checkTests": bool(pursuit.test),
            },
        )
        if not isinstance(tried, dict):
            return
        succeeded = all(outcome["success"] for outcome in tried["outcomes"][:-1])
        reached = succeeded and (pursuit.goal.kind != "false" or pursuit.test in tried["failingTests"])
        if not reached:
            pursuit.guesses += 1
        if reached or (succeeded and pursuit.guesses <= MAX_GUESSES):
            self.injected += 1
            await self.ask("import_sequence", {"content": content})
        if reached:
            self._done.add(pursuit.goal)


def _goal_of(target: Target, test: Test) -> Goal | None:
    """None for tests that the policy has no plan for."""
    kind = _KINDS.get(test.kind)
    code = target.surroundings.contracts.get(test.contract)
    if kind is None or code is None or test.contract not in target.surroundings.addresses:
        return None
    for function in code.functions.get(test.name, ()):
        if function.body is not None and (kind == "assert" or not function.parameters):
            return Goal(test.contract, function, "false" if kind == "false" else "assert")
    return None

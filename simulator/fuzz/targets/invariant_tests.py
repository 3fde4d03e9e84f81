"""Foundry's invariant tests: the contracts and functions that `setUp()` chose to be called, as forge-std keeps them.

Such a test holds `invariant*` functions, and forge-std's `targetContracts()`, `excludeContracts()`, `targetSelectors()`
and `excludeSelectors()`. Forge calls what they say, or all that `setUp()` has deployed, and then the invariants; the
test's other functions are no part of it. Senders are the campaign's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from simulator.abi.contract import Function
from simulator.errors import AbiError
from simulator.fuzz.targets.deployment import Deployment
from simulator.fuzz.targets.target import DeployedContract

INVARIANT_PREFIXES = ("invariant", "statefulFuzz")
MARKS = ("IS_TEST()", "targetContracts()")

View = Callable[[Function], bytes | None]
"""What a view function of the test returns, None when it reverts."""


@dataclass(frozen=True)
class InvariantTest:
    """What to call. An address in `only` has just these selectors called; those in `never` are left out."""

    target: DeployedContract
    handlers: tuple[DeployedContract, ...]
    only: dict[int, frozenset[bytes]] = field(default_factory=dict)
    never: dict[int, frozenset[bytes]] = field(default_factory=dict)

    def admits(self, deployed: DeployedContract, function: Function) -> bool:
        """Whether sequences may call this function."""
        if deployed.address == self.target.address:
            return is_invariant(function)
        if deployed.address in self.only and function.selector not in self.only[deployed.address]:
            return False
        return function.selector not in self.never.get(deployed.address, frozenset())


def is_invariant(function: Function) -> bool:
    """Whether forge takes it for an invariant."""
    return function.name.startswith(INVARIANT_PREFIXES) and not function.inputs.members


def read_invariant_test(deployment: Deployment, view: View) -> InvariantTest | None:
    """What an invariant test asks for; None for all other contracts, and where nothing is
    left to call."""
    target = deployment.target
    if any(mark not in target.abi.by_signature for mark in MARKS) or not any(map(is_invariant, target.abi.functions)):
        return None
    deployed = [each for each in deployment.contracts[1:] if each.contract.kind == "contract"]
    only, never = _selectors(target, "targetSelectors()", view), _selectors(target, "excludeSelectors()", view)
    wanted = {*_addresses(target, "targetContracts()", view), *only} or {each.address for each in deployed}
    excluded = set(_addresses(target, "excludeContracts()", view))
    handlers = tuple(each for each in deployed if each.address in wanted - excluded)
    return InvariantTest(target, handlers, only, never) if handlers else None


def _addresses(target: DeployedContract, signature: str, view: View) -> Sequence[int]:
    return cast("Sequence[int]", _read(target, signature, view))


def _selectors(target: DeployedContract, signature: str, view: View) -> dict[int, frozenset[bytes]]:
    found: dict[int, frozenset[bytes]] = {}
    for address, selectors in cast("Sequence[tuple[int, Sequence[bytes]]]", _read(target, signature, view)):
        found[address] = found.get(address, frozenset()) | frozenset(selectors)
    return found


def _read(target: DeployedContract, signature: str, view: View) -> Sequence[object]:
    """The one list that the function returns; empty where there is no such function or it fails."""
    function = target.abi.by_signature.get(signature)
    output = view(function) if function is not None and len(function.outputs.members) == 1 else None
    if function is None or output is None:
        return ()
    try:
        return cast("Sequence[object]", function.decode_result(output, strict=False)[0])
    except AbiError:
        return ()

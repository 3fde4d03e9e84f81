"""Oracles: what counts as a failure, per test mode (Echidna's `testMode`).

An `Oracle` describes one test. Discovery reads the target's ABI; checking happens in the native loop, which knows the
kinds by number, and once more in Python when a reproducer is confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from simulator.abi.contract import ContractAbi, Function
from simulator.abi.hashing import keccak256
from simulator.abi.types import Bool, Int
from simulator.errors import TargetError
from simulator.settings import CampaignSettings

TestKind = Literal["property", "assertion", "call", "optimization", "exploration", "crash"]

REVERT_INFIX = "revert_"
ASSERTION_EVENT = "AssertionFailed(..)"
OVERFLOW_TEST = "Integer (over/under)flow"
TARGET_DESTROYED = "Target contract is not self-destructed"
ANY_DESTROYED = "No contract can be self-destructed"
ASSERTION_EVENT_NAME = "AssertionFailed"
COMMON_ASSERTION_EVENTS = tuple(f"AssertionFailed({kind})" for kind in ("", "string", "uint256", "int256", "bytes32"))
MAX_TOPICS = 8


class Check(IntEnum):
    """How an oracle is checked; the numbers are part of the native loop's interface."""

    PROPERTY_TRUE = 0
    PROPERTY_REVERTS = 1
    OPTIMIZATION = 2
    FUNCTION_ASSERTS = 3
    ASSERTION_EVENT = 4
    OVERFLOW = 5
    TARGET_DESTROYED = 6
    ANY_DESTROYED = 7
    NOTHING = 8

    @property
    def is_property_call(self) -> bool:
        """Whether the check calls a function of the target after each transaction."""
        return self <= Check.OPTIMIZATION


@dataclass(frozen=True)
class Oracle:
    """One test. `function` is the property, or the function whose assertions are watched."""

    id: int
    name: str
    kind: TestKind
    check: Check
    contract: str
    function: Function | None = None


def discover_oracles(
    settings: CampaignSettings, contract: str, abi: ContractAbi, callable_: list[Function]
) -> list[Oracle]:
    """All tests of a campaign in a stable order.

    `callable_` are the functions that the campaign will call. Raises `TargetError` when the mode finds nothing to
    test, or a property takes arguments or does not return what its mode needs.
    """
    found: list[tuple[str, TestKind, Check, Function | None]] = []
    match settings.test_mode:
        case "property" | "optimization":
            found += _properties(settings, contract, abi)
        case "assertion":
            found += [(f.signature, "assertion", Check.FUNCTION_ASSERTS, f) for f in callable_]
            found.append((ASSERTION_EVENT, "call", Check.ASSERTION_EVENT, None))
        case "overflow":
            found.append((OVERFLOW_TEST, "call", Check.OVERFLOW, None))
        case "exploration":
            found.append(("exploration", "exploration", Check.NOTHING, None))
    if settings.test_destruction:
        found.append((TARGET_DESTROYED, "call", Check.TARGET_DESTROYED, None))
        found.append((ANY_DESTROYED, "call", Check.ANY_DESTROYED, None))
    return [Oracle(id_, name, kind, check, contract, f) for id_, (name, kind, check, f) in enumerate(found)]


def _properties(
    settings: CampaignSettings, contract: str, abi: ContractAbi
) -> list[tuple[str, TestKind, Check, Function | None]]:
    functions = [f for f in abi.functions if f.name.startswith(settings.prefix)]
    if not functions:
        hint = (
            "; a Foundry test is fuzzed with --test-mode assertion" if _is_foundry_test(abi) else _other_ways(settings)
        )
        raise TargetError(
            f"no tests found in {contract}: {settings.test_mode} mode looks for functions named "
            f"{settings.prefix}*{hint}"
        )
    return [_property(settings, contract, f) for f in functions]


def _other_ways(settings: CampaignSettings) -> str:
    if settings.test_mode != "property":
        return ""
    return "; write one that returns bool, or look for failing asserts with --test-mode assertion"


def _is_foundry_test(abi: ContractAbi) -> bool:
    return any(function.name == "IS_TEST" for function in abi.functions)


def _property(
    settings: CampaignSettings, contract: str, function: Function
) -> tuple[str, TestKind, Check, Function | None]:
    place = f"{contract}.{function.signature}"
    if function.inputs.members:
        raise TargetError(f"{place}: a property takes no arguments")
    outputs = list(function.outputs.members)
    if settings.test_mode == "optimization":
        if outputs != [Int(256)]:
            raise TargetError(f"{place}: an optimization test must return exactly one int256")
        return function.name, "optimization", Check.OPTIMIZATION, function
    reverts = function.name.startswith(settings.prefix + REVERT_INFIX)
    if outputs != [Bool()] and not reverts:
        raise TargetError(f"{place}: a property must return exactly one bool")
    return function.name, "property", Check.PROPERTY_REVERTS if reverts else Check.PROPERTY_TRUE, function


def is_test_function(settings: CampaignSettings, function: Function) -> bool:
    """Whether a function is a property, which no mode calls as part of sequences."""
    return function.name.startswith(settings.prefix) and not function.inputs.members


def assertion_topics(abis: Iterable[ContractAbi]) -> tuple[bytes, ...]:
    """Topics of the events named `AssertionFailed`: those that the contracts declare, then the usual ones; at most as
    many as the kernel watches."""
    declared = [event.signature for abi in abis for event in abi.events if event.name == ASSERTION_EVENT_NAME]
    signatures = dict.fromkeys([*declared, *COMMON_ASSERTION_EVENTS])
    return tuple(keccak256(signature.encode()) for signature in signatures)[:MAX_TOPICS]

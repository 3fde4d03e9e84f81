"""Oracles: the tests of a campaign as the fuzz loop checks them.

An `Oracle` describes one test. The campaign's mode finds them in the target's ABI; checking happens in the native loop,
which knows the kinds by number, and once more in Python when a reproducer is confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from simulator.abi.contract import ContractAbi, Function
from simulator.abi.hashing import keccak256
from simulator.modes.assertion import ASSERTION_EVENT as ASSERTION_EVENT
from simulator.modes.checks import Check as Check
from simulator.modes.checks import TestDescription
from simulator.modes.checks import TestKind as TestKind
from simulator.modes.mode import Harness
from simulator.modes.table import MODES
from simulator.settings import CampaignSettings

TARGET_DESTROYED = "Target contract is not self-destructed"
ANY_DESTROYED = "No contract can be self-destructed"
ASSERTION_EVENT_NAME = "AssertionFailed"
COMMON_ASSERTION_EVENTS = tuple(f"AssertionFailed({kind})" for kind in ("", "string", "uint256", "int256", "bytes32"))
MAX_TOPICS = 8
_DESTRUCTION = (
    TestDescription(TARGET_DESTROYED, "call", Check.TARGET_DESTROYED),
    TestDescription(ANY_DESTROYED, "call", Check.ANY_DESTROYED),
)


@dataclass(frozen=True)
class Oracle:
    """One test, as `TestDescription` describes it."""

    id: int
    name: str
    kind: TestKind
    check: Check
    contract: str
    function: Function | None = None
    strict: bool = False
    reason: str = ""
    address: int | None = None  # of the contract; None: the target
    depth: int = 0

    @staticmethod
    def of(id_: int, contract: str, test: TestDescription) -> Oracle:
        """A mode's test with its number."""
        return Oracle(
            id_, test.name, test.kind, test.check, contract, test.function, test.strict, test.reason, depth=test.depth
        )


def discover_oracles(
    settings: CampaignSettings, contract: str, abi: ContractAbi, callable_: list[Function]
) -> list[Oracle]:
    """All tests of a campaign in a stable order.

    `callable_` are the functions that the campaign will call. Raises `TargetError` when the mode finds nothing to
    test, or a test is not as its mode needs it.
    """
    harness = Harness(contract, abi, settings.prefix, tuple(callable_), medusa=settings.medusa)
    found = [*MODES[settings.test_mode].tests(harness), *(_DESTRUCTION if settings.test_destruction else ())]
    return [Oracle.of(id_, contract, test) for id_, test in enumerate(found)]


def assertion_topics(abis: Iterable[ContractAbi]) -> tuple[bytes, ...]:
    """Topics of the events named `AssertionFailed`: those that the contracts declare, then the usual ones; at most as
    many as the kernel watches."""
    declared = [event.signature for abi in abis for event in abi.events if event.name == ASSERTION_EVENT_NAME]
    signatures = dict.fromkeys([*declared, *COMMON_ASSERTION_EVENTS])
    return tuple(keccak256(signature.encode()) for signature in signatures)[:MAX_TOPICS]

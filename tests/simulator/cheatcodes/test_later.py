"""Expected creations, assumed successes, gas of sections and calls, warm and cold slots, from Solidity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.abi.codec import encode
from simulator.abi.hashing import selector
from simulator.abi.types import String
from simulator.evm.kernel.status import REJECTED_BY_ASSUME
from tests.support.cheatcode_bench import Bench, reason

Deploy = Callable[[str], Bench]
TOO_MUCH = selector("Error(string)") + encode((String(),), ("too much",))


@pytest.mark.parametrize("function", ["created", "createdSalted", "createdDeeper", "createdAndRolledBack"])
def test_a_creation_that_was_expected_is_seen(deployed: Deploy, function: str) -> None:
    """By the contract itself, with a salt, in a call, and in one that is rolled back, as in forge."""
    bench = deployed("Later")
    result = bench.call(function)
    assert result.success, reason(result)
    assert bench.call("section").success


@pytest.mark.parametrize(
    ("function", "opcode"),
    [
        ("notCreated", "CREATE"),
        ("createdByOther", "CREATE"),
        ("createdOtherwise", "CREATE2"),
        ("createdOnce", "CREATE"),
    ],
)
def test_a_creation_that_does_not_come_is_a_failed_assertion(deployed: Deploy, function: str, opcode: str) -> None:
    """No creation, that of another contract, with the other opcode, and one where two are expected."""
    text = reason(deployed("Later").call(function))
    assert text.startswith(f"assertion failed: expected {opcode} call by address 0x")
    assert text.endswith("but not found")


def rejected(bench: Bench) -> bool:
    return bench.machine.context.rejected == REJECTED_BY_ASSUME


@pytest.mark.parametrize(("value", "is_rejected"), [(1, False), (2, True)])
def test_a_revert_that_is_assumed_away_rejects_the_transaction(deployed: Deploy, value: int, is_rejected: bool) -> None:
    """And a call that succeeds does not."""
    bench = deployed("Later")
    assert bench.call("assumed", value).success is not is_rejected
    assert rejected(bench) is is_rejected


def test_only_the_next_call_is_assumed_to_succeed(deployed: Deploy) -> None:
    """The one behind it may fail the transaction."""
    bench = deployed("Later")
    assert not bench.call("assumedOnce", 5).success
    assert not rejected(bench)


@pytest.mark.parametrize(("data", "is_rejected"), [(TOO_MUCH, True), (b"other", False)])
def test_only_the_named_revert_is_assumed_away(deployed: Deploy, data: bytes, is_rejected: bool) -> None:
    """Another one stays a failure."""
    bench = deployed("Later")
    assert not bench.call("assumedThis", 5, data).success
    assert rejected(bench) is is_rejected


def test_the_gas_of_a_section_is_measured(deployed: Deploy) -> None:
    """Somewhat less than what is seen around the cheatcodes, and most of it."""
    measured, whole = deployed("Later").values("section")
    assert isinstance(measured, int)
    assert isinstance(whole, int)
    assert 1000 < whole - 4000 < measured < whole


def test_the_gas_of_the_last_call_is_that_of_the_callee(deployed: Deploy) -> None:
    """The caller pays 2600 more for the cold account, 2100 for the slot that has its address, and some hundreds."""
    measured, around = deployed("Later").values("lastCall")
    assert isinstance(measured, int)
    assert isinstance(around, int)
    assert 2100 < measured < 2600
    assert 4700 < around - measured < 5400


def test_slots_and_accounts_are_cooled_and_warmed(deployed: Deploy) -> None:
    """EIP-2929: 2500 more for the account, 2000 more for the slot, and nothing more when both are warm."""
    cold, cold_slot, warm = deployed("Later").values("temperatures")
    assert isinstance(warm, int)
    assert warm < 2000
    assert (cold, cold_slot) == (warm + 2500 + 2000, warm + 2000)

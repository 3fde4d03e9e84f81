"""Sentences about failures, and about targets that cannot be deployed."""

from __future__ import annotations

import pytest

from simulator.errors import TargetError
from simulator.evm.results import Result, Status
from simulator.fuzz.checking.oracles import Check, Oracle
from simulator.fuzz.checking.reasons import failure_reason
from simulator.fuzz.checking.replay import Replayed

PANIC = bytes.fromhex("4e487b71") + (1).to_bytes(32, "big")


@pytest.mark.parametrize(
    ("status", "output", "reason"),
    [
        (Status.REVERT, PANIC, "Panic(0x01): assertion failed"),
        (Status.INVALID_OPCODE, b"", "assertion failed: invalid opcode 0xfe"),
        (Status.REVERT, b"", "the event AssertionFailed was emitted, then the call was undone: reverted"),
    ],
    ids=["Panic(1)", "0xfe", "event, then revert"],
)
def test_an_assertion_that_failed_says_so_once(status: Status, output: bytes, reason: str) -> None:
    """The meaning of the panic is not put before itself."""
    oracle = Oracle(0, "f()", "assertion", Check.FUNCTION_ASSERTS, "C")
    assert failure_reason(oracle, Replayed((Result(status, output, 0, 0, ()),), None, ())) == reason


def test_a_constructor_with_arguments_is_refused_with_their_types(make_worker) -> None:
    """In one pair of parentheses."""
    with pytest.raises(TargetError, match=r"takes arguments \(uint256,bool\): give each with --constructor-args"):
        make_worker("contract C { constructor(uint a, bool b) {} function echidna_a() public returns (bool) {} }")

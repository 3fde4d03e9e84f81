"""expectRevert, expectEmit and expectCall, from Solidity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.evm.results import Status
from tests.support.cheatcode_bench import Bench, reason

Deploy = Callable[[str], Bench]


@pytest.mark.parametrize(
    "function",
    [
        "revertAny",
        "revertText",
        "revertData",
        "revertPartial",
        "revertBy",
        "revertTwice",
        "revertOfCreation",
        "revertWithPrank",
        "revertLowLevel",
        "emitExact",
        "emitLoose",
        "callMade",
        "callSelectorOnly",
        "callThatReverts",
    ],
)
def test_an_expectation_that_is_met_lets_the_transaction_succeed(deployed: Deploy, function: str) -> None:
    """The caller sees a success where a revert was expected, and nothing is left for the next transaction."""
    bench = deployed("Expectations")
    result = bench.call(function)
    assert result.success, reason(result)
    assert bench.get("plain") == 1


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("revertNever", "next call did not revert as expected"),
        ("revertNothingCalled", "call didn't revert at a lower depth than cheatcode call depth"),
        ("revertOther", "Error != expected error: two != one"),
        ("revertSelectorAlone", "Error != expected error: 0x"),
        ("revertByOther", "Reverter != expected reverter: 0x"),
        ("emitByOther", "log != expected log"),
        ("emitWrong", "log != expected log"),
        ("emitMissing", "log != expected log"),
        ("callMissing", "to be called 1 time, but was called 0 times"),
    ],
)
def test_an_expectation_that_is_not_met_is_a_failed_assertion(deployed: Deploy, function: str, text: str) -> None:
    """The reason begins as assertion mode looks for it, and the next transaction starts clean."""
    bench = deployed("Expectations")
    result = bench.call(function)
    assert result.status is Status.REVERT
    assert reason(result).startswith("assertion failed: ")
    assert text in reason(result)
    assert bench.get("plain") == 1


def test_a_call_that_should_have_reverted_leaves_no_trace(deployed: Deploy) -> None:
    """Its writes are undone with the failure that it is turned into."""
    assert deployed("Expectations").get("countedAfterwards") == 0


@pytest.mark.parametrize(("times", "met"), [(1, False), (2, True), (3, False)])
def test_a_counted_call_must_come_exactly_as_often(deployed: Deploy, times: int, met: bool) -> None:
    """Neither fewer nor more."""
    assert deployed("Expectations").call("callCounted", times).success is met


@pytest.mark.parametrize(("value", "met"), [(5, True), (4, False)])
def test_an_expected_value_must_be_sent(deployed: Deploy, value: int, met: bool) -> None:
    """The same call with another value does not count."""
    assert deployed("Expectations").call("callWithValue", value, value=10).success is met


def test_traces_show_what_the_contract_did(deployed: Deploy) -> None:
    """An expected revert stands as a revert in the trace, although the caller saw a success."""
    bench = deployed("Expectations")
    result = bench.call("revertText", trace=True)
    assert result.success
    (root,) = bench.trace.roots
    assert root.status.success
    assert [child.status for child in root.children] == [Status.RETURN, Status.REVERT]


def test_a_failed_expectation_is_the_end_that_a_trace_shows(deployed: Deploy) -> None:
    """The transaction's own frame has the status and output that the result has."""
    bench = deployed("Expectations")
    result = bench.call("callMissing", trace=True)
    (root,) = bench.trace.roots
    assert (root.status, root.output) == (result.status, result.output)

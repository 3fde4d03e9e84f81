"""assert* cheatcodes."""

from __future__ import annotations

import pytest

from tests.support.cheatcode_bench import Bench, reason

ALICE = 0x00A329C0648769A73AFAC7F9381E08FB43DBEA72


@pytest.mark.parametrize(
    ("signature", "arguments", "text"),
    [
        ("assertTrue(bool)", (False,), "assertion failed"),
        ("assertFalse(bool,string)", (True, "no"), "assertion failed: no"),
        ("assertEq(uint256,uint256)", (1, 2), "assertion failed: 1 != 2"),
        ("assertEq(int256,int256,string)", (-1, 2, "sum"), "assertion failed: sum: -1 != 2"),
        ("assertEq(string,string)", ("a", "b"), "assertion failed: a != b"),
        ("assertEq(bytes,bytes)", (b"\1", b""), "assertion failed: 0x01 != 0x"),
        ("assertEq(bool,bool)", (True, False), "assertion failed: true != false"),
        (
            "assertEq(address,address)",
            (ALICE, 0),
            f"assertion failed: 0x00a329c0648769A73afAc7F9381E08FB43dBEA72 != 0x{0:040x}",
        ),
        ("assertEq(uint256[],uint256[])", ((1, 2), (1,)), "assertion failed: [1, 2] != [1]"),
        ("assertEq(string[],string[],string)", (("a",), ("b",), "x"), "assertion failed: x: [a] != [b]"),
        ("assertNotEq(uint256,uint256)", (5, 5), "assertion failed: 5 == 5"),
        ("assertLt(uint256,uint256)", (2, 1), "assertion failed: 2 >= 1"),
        ("assertLe(int256,int256)", (2, -1), "assertion failed: 2 > -1"),
        ("assertGt(uint256,uint256)", (1, 1), "assertion failed: 1 <= 1"),
        ("assertGe(uint256,uint256,string)", (1, 2, "m"), "assertion failed: m: 1 < 2"),
        ("assertEqDecimal(uint256,uint256,uint256)", (15, 2, 1), "assertion failed: 1.5 != 0.2"),
        (
            "assertApproxEqAbs(uint256,uint256,uint256)",
            (10, 20, 5),
            "assertion failed: 10 !~= 20 (max delta: 5, real delta: 10)",
        ),
        (
            "assertApproxEqRel(uint256,uint256,uint256)",
            (110, 100, 5 * 10**16),
            "assertion failed: 110 !~= 100 (max delta: 5.0000000000000000%, real delta: 10.0000000000000000%)",
        ),
        (
            "assertApproxEqRel(uint256,uint256,uint256)",
            (1, 0, 10**18),
            "assertion failed: 1 !~= 0 (max delta: 100.0000000000000000%, real delta: undefined)",
        ),
    ],
)
def test_a_failing_assertion_reverts_with_forges_text(
    bench: Bench, signature: str, arguments: tuple[object, ...], text: str
) -> None:
    """The reason starts with `assertion failed`, then the message, then both values."""
    result = bench.raw(signature, *arguments)  # type: ignore[arg-type]
    assert not result.success
    assert reason(result) == text


@pytest.mark.parametrize(
    ("signature", "arguments"),
    [
        ("assertTrue(bool)", (True,)),
        ("assertEq(bytes32[],bytes32[])", ((b"\1" * 32,), (b"\1" * 32,))),
        ("assertNotEq(int256[],int256[])", ((1,), (2,))),
        ("assertLt(int256,int256)", (-2, -1)),
        ("assertGeDecimal(uint256,uint256,uint256)", (2, 2, 18)),
        ("assertApproxEqAbs(int256,int256,uint256)", (-3, 2, 5)),
        ("assertApproxEqRelDecimal(uint256,uint256,uint256,uint256)", (105, 100, 5 * 10**16, 18)),
        ("assertApproxEqRel(uint256,uint256,uint256)", (0, 0, 0)),
    ],
)
def test_a_true_assertion_returns_nothing(bench: Bench, signature: str, arguments: tuple[object, ...]) -> None:
    """No output, no revert."""
    assert bench.vm(signature, *arguments) is None  # type: ignore[arg-type]

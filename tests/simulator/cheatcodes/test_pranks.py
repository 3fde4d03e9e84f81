"""prank and its family, from Solidity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.cheatcode_bench import SENDER, TARGET, Bench, reason

Deploy = Callable[[str], Bench]
ALICE = 0xA11CE
BOB = 0xB0B


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("once", (ALICE, TARGET)),
        ("started", (ALICE, ALICE, TARGET)),
        ("pays", (3, 2)),
        ("paysTooMuch", (False,)),
        ("leftAndReverted", (TARGET,)),
        ("nested", (ALICE, BOB)),
        ("delegated", (ALICE,)),
        ("here", (ALICE,)),
        ("callers", (4, ALICE, BOB)),
        ("broadcasts", (ALICE, ALICE, TARGET)),
    ],
)
def test_calls_go_out_in_the_name_of_the_prank(deployed: Deploy, function: str, expected: tuple[object, ...]) -> None:
    """Once, until stopped, with the prank's balance, and never beyond a frame that reverted."""
    assert deployed("Pranks").values(function) == expected


def test_only_calls_of_the_frame_itself_are_pranked(deployed: Deploy) -> None:
    """What the callee calls comes from the callee."""
    bench = deployed("Pranks")
    assert bench.get("onlyThisDepth") not in (ALICE, TARGET)


def test_the_origin_is_pranked_all_the_way_down_and_no_longer(deployed: Deploy) -> None:
    """Deeper calls see it; later calls and the frame itself do not."""
    sender, inside, back, here = deployed("Pranks").values("withOrigin")
    assert sender not in (ALICE, TARGET)
    assert (inside, back, here) == (BOB, SENDER, SENDER)


def test_a_creation_is_pranked_with_its_address(deployed: Deploy) -> None:
    """The nonce of the prank's account decides the address, and grows."""
    creator, made, nonce = deployed("Pranks").values("creates")
    assert (creator, nonce) == (ALICE, 4)
    assert made == deployed("Pranks").vm("computeCreateAddress(address,uint256)", ALICE, 3)


def test_a_prank_ends_with_its_transaction(deployed: Deploy) -> None:
    """As in Echidna: what a call leaves open does not reach the next, and is in nobody's way."""
    bench = deployed("Pranks")
    assert bench.call("left").success
    assert bench.get("seen") == TARGET
    assert bench.values("once") == (ALICE, TARGET)


def test_a_prank_left_behind_lasts_until_the_sequence_ends(like_forge: Deploy) -> None:
    """As in forge: later transactions of the same contract see it; going back to the start does not."""
    bench = like_forge("Pranks")
    mark = bench.machine.mark()
    assert bench.call("left").success
    assert bench.get("seen") == ALICE
    bench.machine.rollback(mark)
    assert bench.get("seen") == TARGET


def test_an_unused_prank_is_not_replaced(deployed: Deploy, like_forge: Deploy) -> None:
    """To forge, two pranks in a row are a mistake of the test; to Echidna the later one counts."""
    assert deployed("Pranks").call("twice").success
    assert "until it is applied" in reason(like_forge("Pranks").call("twice"))

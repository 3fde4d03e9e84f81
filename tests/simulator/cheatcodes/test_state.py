"""Cheatcodes that set the chain's state, from Solidity."""

from __future__ import annotations

from collections.abc import Callable

from simulator.evm.kernel.status import REJECTED_AS_UNSUPPORTED, REJECTED_BY_ASSUME
from tests.support.cheatcode_bench import Bench, reason

Deploy = Callable[[str], Bench]
OTHER = 0xBEEF


def test_the_block_is_what_cheatcodes_say(deployed: Deploy) -> None:
    """warp, roll, fee, chainId, coinbase, prevrandao and txGasPrice take effect in the same transaction."""
    assert deployed("State").values("block_") == (111, 222, 333, 444, OTHER, 666, 777)


def test_going_back_undoes_a_warp(deployed: Deploy) -> None:
    """Block values are journaled, so a rollback restores them."""
    bench = deployed("State")
    before, mark = bench.get("now_"), bench.machine.mark()
    bench.call("block_")
    assert bench.get("now_") == 111
    bench.machine.rollback(mark)
    assert bench.get("now_") == before


def test_a_reverting_frame_takes_its_cheatcodes_back(deployed: Deploy) -> None:
    """A warp and a setEnv inside a call that reverts are as if they had not happened."""
    bench = deployed("State")
    assert bench.get("warpInside") == bench.get("now_")
    assert bench.vm("envOr(string,uint256)", "MONOTREME_TEST", 5) == 5


def test_deal_and_etch_make_an_account(deployed: Deploy) -> None:
    """The balance is there, and the code runs."""
    assert deployed("State").values("dealAndEtch") == (5 * 10**18, 42)


def test_store_and_load_reach_every_slot(deployed: Deploy) -> None:
    """The contract sees what was stored."""
    assert deployed("State").values("storeAndLoad") == (99, 99)


def test_a_nonce_is_set_and_never_falls(deployed: Deploy) -> None:
    """setNonce refuses to go back."""
    bench = deployed("State")
    assert bench.get("nonces") == 12
    assert "must be strictly equal to or higher" in reason(bench.raw("setNonce(address,uint64)", OTHER, 3))


def test_signatures_recover_to_the_address_of_the_key(deployed: Deploy) -> None:
    """ecrecover agrees with sign and addr."""
    assert deployed("State").get("recovers", 0xA11CE) is True


def test_a_rejected_assumption_is_marked_until_the_next_transaction(deployed: Deploy) -> None:
    """The transaction reverts, and the machine says that it proves nothing."""
    bench = deployed("State")
    assert not bench.call("assumes", 3).success
    assert bench.machine.context.rejected == REJECTED_BY_ASSUME
    assert bench.get("assumes", 11) == 11
    assert bench.machine.context.rejected == 0
    assert bench.cheatcodes.labels == {OTHER: "other"}


def test_an_unsupported_cheatcode_is_named_once(deployed: Deploy) -> None:
    """The call reverts with the name, the warning comes once, and the transaction is marked."""
    bench = deployed("State")
    for _ in range(2):
        assert (
            reason(bench.call("unsupported")) == "the cheatcode vm.createFork(string) is not supported without rpcUrl"
        )
        assert bench.machine.context.rejected == REJECTED_AS_UNSUPPORTED
    assert bench.warnings == ["the cheatcode vm.createFork(string) is not supported without rpcUrl"]


def test_random_values_are_the_same_in_a_replay(deployed: Deploy) -> None:
    """What was drawn before decides; going back draws the same again."""
    bench = deployed("State")
    mark = bench.machine.mark()
    first = [bench.get("draws"), bench.get("draws")]
    bench.machine.rollback(mark)
    assert first == [bench.get("draws"), bench.get("draws")]
    assert first[0] != first[1]

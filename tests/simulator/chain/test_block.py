"""The forked block, from what a node says of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.chain.block import read_header
from simulator.chain.values import MalformedValueError
from tests.support.fake_chain import BLOCK_HASH, header


def test_a_header_becomes_a_block_environment() -> None:
    """All that transactions can see."""
    block = read_header(10, header(7, baseFeePerGas="0x3b9aca00"))
    assert (block.chain_id, block.number, block.timestamp) == (10, 7, 1_700_000_000)
    assert (block.hash, block.coinbase) == (bytes.fromhex(BLOCK_HASH[2:]), 20 * b"\xc0")
    assert (block.prevrandao, block.gas_limit) == (32 * b"\x11", 30_000_000)
    assert int.from_bytes(block.base_fee, "big") == 10**9
    assert block.describe() == "chain 10, block 7 (0xabababab…)"


def test_before_the_merge_the_difficulty_is_what_the_opcode_returns() -> None:
    """EIP-4399."""
    assert int.from_bytes(read_header(1, header(7, difficulty="0x64")).prevrandao, "big") == 100


@pytest.mark.parametrize(
    ("members", "rules"),
    [
        ({"withdrawalsRoot": None, "baseFeePerGas": None}, ""),
        ({"withdrawalsRoot": None}, "london"),
        ({}, "shanghai"),
        ({"blobGasUsed": "0x0"}, "cancun"),
        ({"blobGasUsed": "0x0", "requestsHash": "0x11"}, "prague"),
        ({"requestsHash": "0x11", "timestamp": hex(1_764_798_551)}, "osaka"),
    ],
)
def test_the_rules_of_a_block_are_read_from_its_header(members: dict[str, Any], rules: str) -> None:
    """Each fork added a member; Osaka added none, and is known by its time on mainnet."""
    assert read_header(1, header(7, **members)).rules == rules


def test_the_price_of_blobs_follows_the_excess() -> None:
    """EIP-4844's examples: 1 wei without excess, e after one fraction's worth."""

    def price(excess: int) -> int:
        block = read_header(1, header(7, blobGasUsed="0x0", excessBlobGas=hex(excess)))
        return int.from_bytes(block.blob_base_fee, "big")

    assert [price(excess) for excess in (0, 3338477, 10 * 3338477)] == [1, 2, 22026]


@given(st.dictionaries(st.sampled_from(sorted(header(1))), st.none() | st.text() | st.integers(), min_size=1))
def test_a_header_is_understood_or_refused(members: dict[str, Any]) -> None:
    """With one kind of error."""
    try:
        assert read_header(1, header(7, **members)).number >= 0
    except MalformedValueError as error:
        message = str(error)
    else:
        message = ""
    assert len(message) < 200


@pytest.mark.parametrize("value", [None, [], "0x", 3])
def test_what_is_no_object_is_no_block(value: object) -> None:
    """As when a node has lost the block."""
    with pytest.raises(MalformedValueError, match="expected a block object"):
        read_header(1, value)

"""Finding the forked block on a chain: its header, as a campaign needs it."""

from __future__ import annotations

from typing import Any, Final

from simulator.chain.client import ChainClient, ChainNode, Check
from simulator.chain.json_rpc import RpcError, RpcRequest
from simulator.chain.values import MalformedValueError, number_text, parse_fixed, parse_number, shown
from simulator.errors import ChainError
from simulator.forked_block import ForkedBlock
from simulator.forks import fork_named

_INT64: Final = (1 << 63) - 1
_MAINNET: Final = 1
_MAINNET_OSAKA: Final = 1_764_798_551


def find_block(client: ChainClient, number: int | None) -> ForkedBlock:
    """The block with this number, or the newest, whose state the node must have. Raises `ChainError`."""
    wanted = "latest" if number is None else number_text(number)
    identity, header = client.ask([RpcRequest("eth_chainId"), RpcRequest("eth_getBlockByNumber", (wanted, False))])
    if isinstance(identity, RpcError) or isinstance(header, RpcError):
        raise ChainError(f"rpcUrl: not an Ethereum node: {identity if isinstance(identity, RpcError) else header}")
    if header is None:
        raise ChainError(f"rpcBlock: the chain has no block {number}, or the node no longer knows it")
    try:
        block = read_header(parse_number(identity, _INT64), header)
    except MalformedValueError as error:
        raise ChainError(f"rpcUrl: the node describes the block in an unknown form: {error}") from error
    # Nodes that prune keep headers longer than states.
    client.ask([RpcRequest("eth_getBalance", ("0x" + 40 * "0", number_text(block.number)))])
    return block


def same_block_check(block: ForkedBlock) -> Check:
    """A check that a node has this very block."""

    def check(node: ChainNode) -> None:
        identity, header = node.ask(
            [RpcRequest("eth_chainId"), RpcRequest("eth_getBlockByNumber", (number_text(block.number), False))]
        )
        for answer in (identity, header):
            if isinstance(answer, RpcError):
                raise answer
        if parse_number(identity, _INT64) != block.chain_id:
            raise ChainError(f"the endpoints are of different chains: {block.chain_id} and {int(identity, 16)}")
        if not isinstance(header, dict) or parse_fixed(header.get("hash"), 32) != block.hash:
            raise ChainError(f"the node does not have the forked block, {block.describe()}")

    return check


def read_header(chain_id: int, header: Any) -> ForkedBlock:
    """From the object that `eth_getBlockByNumber` answers. Raises `MalformedValueError`."""
    if not isinstance(header, dict):
        raise MalformedValueError(f"expected a block object, got {shown(header)}")
    timestamp = parse_number(header.get("timestamp"), _INT64)
    rules = _rules(chain_id, timestamp, header)
    return ForkedBlock(
        chain_id=chain_id,
        number=parse_number(header.get("number"), _INT64),
        hash=parse_fixed(header.get("hash"), 32),
        timestamp=timestamp,
        coinbase=parse_fixed(header.get("miner", "0x" + 40 * "0"), 20),
        prevrandao=_randomness(header).to_bytes(32, "big"),
        gas_limit=min(parse_number(header.get("gasLimit")), _INT64),
        base_fee=parse_number(header.get("baseFeePerGas") or "0x0").to_bytes(32, "big"),
        blob_base_fee=_blob_base_fee(rules, header).to_bytes(32, "big"),
        rules=rules,
    )


def _randomness(header: dict[str, Any]) -> int:
    """PREVRANDAO since the merge, before it the difficulty (EIP-4399)."""
    difficulty = parse_number(header.get("difficulty") or "0x0")
    return difficulty or parse_number(header.get("mixHash") or "0x0")


def _rules(chain_id: int, timestamp: int, header: dict[str, Any]) -> str:
    """Each fork since London left a mark in the header. Osaka did not; on mainnet its time is known."""
    if chain_id == _MAINNET and timestamp >= _MAINNET_OSAKA:
        return "osaka"
    marks = (
        ("requestsHash", "prague"),
        ("parentBeaconBlockRoot", "cancun"),
        ("blobGasUsed", "cancun"),
        ("withdrawalsRoot", "shanghai"),
        ("baseFeePerGas", "london"),
    )
    return next((fork for member, fork in marks if header.get(member) is not None), "")


def _blob_base_fee(rules: str, header: dict[str, Any]) -> int:
    """Of a header with an excess that a chain can have."""
    excess = parse_number(header.get("excessBlobGas") or "0x0", 1 << 40)
    fraction = fork_named(rules).blob_schedule[2] if rules else 0
    return fork_named(rules).blob_fee(excess) if fraction and excess <= 100 * fraction else 1

"""The block that transactions run in."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.evm.host_memory import as_word
from simulator.evm.kernel.layout.context import Context


@dataclass(frozen=True)
class BlockEnvironment:
    """Answers of the opcodes that ask for the block. The defaults suit a fuzz campaign."""

    number: int = 1
    timestamp: int = 1
    coinbase: int = 0
    prevrandao: int = 0
    gas_limit: int = 30_000_000
    base_fee: int = 0
    blob_base_fee: int = 1
    chain_id: int = 1


def write_block(context: Context, block: BlockEnvironment) -> None:
    """Set the fields of the context that hold the block."""
    context.number = as_word(block.number)
    context.timestamp = as_word(block.timestamp)
    context.coinbase = as_word(block.coinbase)
    context.prevrandao = as_word(block.prevrandao)
    context.gaslimit = as_word(block.gas_limit)
    context.basefee = as_word(block.base_fee)
    context.blobbasefee = as_word(block.blob_base_fee)
    context.chainid = as_word(block.chain_id)

"""The block and transaction environment: `warp`, `roll`, `fee`, `chainId`, ..."""

from __future__ import annotations

from simulator.cheatcodes.errors import CheatcodeError
from simulator.cheatcodes.registry import cheatcode
from simulator.cheatcodes.session import Session
from simulator.evm.kernel.layout import context

MOST_CHAIN_ID = (1 << 64) - 1


@cheatcode("warp(uint256)", "warp(uint64)")
def warp(vm: Session, timestamp: int) -> None:
    vm.set_block_word(context.TIMESTAMP, timestamp)


@cheatcode("roll(uint256)")
def roll(vm: Session, number: int) -> None:
    vm.set_block_word(context.NUMBER, number)


@cheatcode("fee(uint256)")
def fee(vm: Session, base_fee: int) -> None:
    vm.set_block_word(context.BASEFEE, base_fee)


@cheatcode("blobBaseFee(uint256)")
def blob_base_fee(vm: Session, base_fee: int) -> None:
    vm.set_block_word(context.BLOBBASEFEE, base_fee)


@cheatcode("txGasPrice(uint256)")
def transaction_gas_price(vm: Session, price: int) -> None:
    vm.set_block_word(context.GASPRICE, price)


@cheatcode("chainId(uint256)")
def chain_id(vm: Session, number: int) -> None:
    if number > MOST_CHAIN_ID:
        raise CheatcodeError("vm.chainId: chain id must be less than 2^64")
    vm.set_block_word(context.CHAINID, number)


@cheatcode("coinbase(address)")
def coinbase(vm: Session, address: int) -> None:
    vm.set_block_word(context.COINBASE, address)


@cheatcode("difficulty(uint256)", "prevrandao(uint256)")
def prevrandao(vm: Session, value: int) -> None:
    """One value since the merge (EIP-4399)."""
    vm.set_block_word(context.PREVRANDAO, value)


@cheatcode("prevrandao(bytes32)")
def prevrandao_bytes(vm: Session, value: bytes) -> None:
    vm.set_block_word(context.PREVRANDAO, int.from_bytes(value, "big"))


@cheatcode("getBlockTimestamp()")
def block_timestamp(vm: Session) -> int:
    return vm.machine.timestamp


@cheatcode("getBlockNumber()")
def block_number(vm: Session) -> int:
    return vm.machine.number


@cheatcode("getBlobBaseFee()")
def get_blob_base_fee(vm: Session) -> int:
    return vm.machine.get_word(context.BLOBBASEFEE)


@cheatcode("getEvmVersion()")
def evm_version(vm: Session) -> str:
    return vm.machine.fork.name.lower()

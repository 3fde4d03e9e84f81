"""The block and transaction environment: `warp`, `roll`, `fee`, `chainId`, ..."""

from __future__ import annotations

from simulator.cheatcodes.errors import CheatcodeError
from simulator.cheatcodes.registry import cheatcode
from simulator.cheatcodes.session import Session
from simulator.evm.arenas import read_word, write_word
from simulator.evm.forks import fork_named
from simulator.evm.kernel.layout import context
from simulator.evm.machine_memory import BLOBHASHES

CANCUN = fork_named("cancun").order
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


@cheatcode("getChainId()")
def get_chain_id(vm: Session) -> int:
    return vm.machine.get_word(context.CHAINID)


@cheatcode("getBlobBaseFee()")
def get_blob_base_fee(vm: Session) -> int:
    return vm.machine.get_word(context.BLOBBASEFEE)


@cheatcode("setBlockhash(uint256,bytes32)")
def set_block_hash(vm: Session, number: int, value: bytes) -> None:
    """For BLOCKHASH, which looks back at 256 blocks."""
    if number > vm.machine.number:
        raise CheatcodeError("block number must be less than or equal to the current block number")
    vm.machine.set_block_hash(number, int.from_bytes(value, "big"))


@cheatcode("blobhashes(bytes32[])")
def blob_hashes(vm: Session, hashes: tuple[bytes, ...]) -> None:
    _require_blobs(vm, "blobhashes")
    machine = vm.machine
    if len(hashes) > BLOBHASHES:
        raise CheatcodeError(f"vm.blobhashes: at most {BLOBHASHES} hashes")
    machine.note(machine.context_address + context.BLOBHASHES)
    machine.set(context.BLOBHASH_COUNT, len(hashes))
    for index, each in enumerate(hashes):
        address = machine.get(context.BLOBHASHES) + 32 * index
        machine.note(address)
        write_word(address, int.from_bytes(each, "big"))


@cheatcode("getBlobhashes()")
def get_blob_hashes(vm: Session) -> tuple[bytes, ...]:
    _require_blobs(vm, "getBlobhashes")
    machine, start = vm.machine, vm.machine.get(context.BLOBHASHES)
    return tuple(
        read_word(start + 32 * index).to_bytes(32, "big") for index in range(machine.get(context.BLOBHASH_COUNT))
    )


def _require_blobs(vm: Session, name: str) -> None:
    if vm.machine.fork.order < CANCUN:
        raise CheatcodeError(
            f"`{name}` is not supported before the Cancun hard fork;"
            " see EIP-4844: https://eips.ethereum.org/EIPS/eip-4844"
        )


@cheatcode("getEvmVersion()")
def evm_version(vm: Session) -> str:
    return vm.machine.fork.name.lower()

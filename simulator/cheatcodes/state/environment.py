"""The block and transaction environment: `warp`, `roll`, `fee`, `chainId`, ..."""

from __future__ import annotations

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.records import Cell, pointer
from simulator.evm.machine_memory import BLOBHASHES
from simulator.forks import fork_named

PARIS = fork_named("paris").order
CANCUN = fork_named("cancun").order
MAX_EXPONENT = 200
"""Of a blob fee that is more than a word holds."""
WORD_MAX = (1 << 256) - 1
MAX_CHAIN_ID = (1 << 64) - 1


@cheatcode("warp(uint256)", "warp(uint64)")
def warp(vm: Session, timestamp: int) -> None:
    vm.set_block_word(Context.timestamp, timestamp)


@cheatcode("roll(uint256)")
def roll(vm: Session, number: int) -> None:
    vm.set_block_word(Context.number, number)


@cheatcode("fee(uint256)")
def fee(vm: Session, base_fee: int) -> None:
    vm.set_block_word(Context.basefee, base_fee)


@cheatcode("blobBaseFee(uint256)")
def blob_base_fee(vm: Session, base_fee: int) -> None:
    """Forge takes the number for the excess of blob gas that the fee follows from, and tells it as it was set."""
    if not vm.rules.blob_fee_is_excess:
        vm.set_block_word(Context.blobbasefee, base_fee)
        return
    fork = vm.machine.fork
    fee = fork.blob_fee(min(base_fee, MAX_EXPONENT * fork.blob_schedule[2]))
    vm.set_block_word(Context.blobbasefee, min(fee, WORD_MAX))
    vm.change(blob_fee=base_fee)


@cheatcode("txGasPrice(uint256)")
def transaction_gas_price(vm: Session, price: int) -> None:
    vm.set_block_word(Context.gasprice, price)


@cheatcode("chainId(uint256)")
def chain_id(vm: Session, number: int) -> None:
    if number > MAX_CHAIN_ID:
        raise CheatcodeError("vm.chainId: chain id must be less than 2^64")
    vm.set_block_word(Context.chainid, number)


@cheatcode("coinbase(address)")
def coinbase(vm: Session, address: int) -> None:
    vm.set_block_word(Context.coinbase, address)


@cheatcode("difficulty(uint256)")
def difficulty(vm: Session, value: int) -> None:
    """The same word as `prevrandao` since the merge (EIP-4399), where forge wants it called by that name."""
    if not vm.rules.has_difficulty and vm.machine.fork.order >= PARIS:
        raise CheatcodeError(
            "vm.difficulty: `difficulty` is not supported after the Paris hard fork, use `prevrandao` instead;"
            " see EIP-4399: https://eips.ethereum.org/EIPS/eip-4399"
        )
    prevrandao(vm, value)


@cheatcode("prevrandao(uint256)")
def prevrandao(vm: Session, value: int) -> None:
    """One value since the merge (EIP-4399)."""
    vm.set_block_word(Context.prevrandao, value)


@cheatcode("prevrandao(bytes32)")
def prevrandao_bytes(vm: Session, value: bytes) -> None:
    vm.set_block_word(Context.prevrandao, int.from_bytes(value, "big"))


@cheatcode("getBlockTimestamp()")
def block_timestamp(vm: Session) -> int:
    return vm.machine.timestamp


@cheatcode("getBlockNumber()")
def block_number(vm: Session) -> int:
    return vm.machine.number


@cheatcode("getChainId()")
def get_chain_id(vm: Session) -> int:
    return vm.machine.context.chainid


@cheatcode("getBlobBaseFee()")
def get_blob_base_fee(vm: Session) -> int:
    return vm.machine.context.blobbasefee if vm.state.blob_fee is None else vm.state.blob_fee


@cheatcode("setBlockhash(uint256,bytes32)")
def set_block_hash(vm: Session, number: int, value: bytes) -> None:
    """For BLOCKHASH, which looks back at 256 blocks."""
    if number > vm.machine.number:
        raise CheatcodeError("block number must be less than or equal to the current block number")
    known = int.from_bytes(value, "big")
    vm.lasting(("block hash", number), lambda: vm.machine.set_block_hash(number, known))


@cheatcode("blobhashes(bytes32[])")
def blob_hashes(vm: Session, hashes: tuple[bytes, ...]) -> None:
    _require_blobs(vm, "blobhashes")
    machine = vm.machine
    if len(hashes) > BLOBHASHES:
        raise CheatcodeError(f"vm.blobhashes: at most {BLOBHASHES} hashes")
    machine.note(machine.context.blobhashes_cell)
    machine.context.blobhash_count = len(hashes)
    for index, each in enumerate(hashes):
        machine.note(view(Cell, pointer(machine.context.blobhashes + index)))
        machine.context.blobhashes[index] = as_word(int.from_bytes(each, "big"))


@cheatcode("getBlobhashes()")
def get_blob_hashes(vm: Session) -> tuple[bytes, ...]:
    _require_blobs(vm, "getBlobhashes")
    context = vm.machine.context
    return tuple(context.blobhashes[index].to_bytes(32, "big") for index in range(context.blobhash_count))


def _require_blobs(vm: Session, name: str) -> None:
    if vm.machine.fork.order < CANCUN:
        raise CheatcodeError(
            f"`{name}` is not supported before the Cancun hard fork;"
            " see EIP-4844: https://eips.ethereum.org/EIPS/eip-4844"
        )


@cheatcode("getEvmVersion()")
def evm_version(vm: Session) -> str:
    return vm.machine.fork.name.lower()

"""Accounts: balances, codes, slots, nonces, addresses of creations, labels."""

from __future__ import annotations

from simulator.abi.hashing import checksum_address, keccak256
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.evm.addresses import CHEATCODE_ADDRESS, contract_address

CREATE2_DEPLOYER = 0x4E59B44847B379578588920CA78FBF26C0B4956C
MAX_NONCE = (1 << 64) - 1
ADDRESS_MASK = (1 << 160) - 1


@cheatcode("deal(address,uint256)")
def deal(vm: Session, address: int, balance: int) -> None:
    before = vm.machine.get_balance(address)
    vm.lasting(
        ("balance", address),
        lambda: vm.machine.set_balance(address, balance),
        address,
        lambda: vm.machine.set_balance(address, before),
    )


@cheatcode("etch(address,bytes)")
def etch(vm: Session, address: int, code: bytes) -> None:
    """Without effect at the cheatcodes' own address, which answers calls whatever its code."""
    if address != CHEATCODE_ADDRESS:
        vm.machine.set_code(vm.changeable(address), code)


@cheatcode("load(address,bytes32)")
def load(vm: Session, address: int, slot: bytes) -> bytes:
    return vm.machine.get_storage(vm.storable(address), int.from_bytes(slot, "big")).to_bytes(32, "big")


@cheatcode("store(address,bytes32,bytes32)")
def store(vm: Session, address: int, slot: bytes, value: bytes) -> None:
    vm.machine.set_storage(vm.storable(address), int.from_bytes(slot, "big"), int.from_bytes(value, "big"))


@cheatcode("getNonce(address)")
def get_nonce(vm: Session, address: int) -> int:
    return vm.machine.get_nonce(address)


@cheatcode("getNonce((address,uint256,uint256,uint256))")
def get_nonce_of_wallet(vm: Session, wallet: tuple[int, int, int, int]) -> int:
    return vm.machine.get_nonce(wallet[0])


@cheatcode("setNonce(address,uint64)")
def set_nonce(vm: Session, address: int, nonce: int) -> None:
    """A nonce never falls, so that an address is not created twice; `setNonceUnsafe` allows it."""
    current = vm.machine.get_nonce(vm.changeable(address))
    if nonce < current:
        raise CheatcodeError(f"vm.setNonce: new nonce ({nonce}) must be strictly equal to or higher than {current}")
    set_nonce_unsafe(vm, address, nonce)


@cheatcode("setNonceUnsafe(address,uint64)")
def set_nonce_unsafe(vm: Session, address: int, nonce: int) -> None:
    before = vm.machine.get_nonce(vm.changeable(address))
    vm.lasting(
        ("nonce", address),
        lambda: vm.machine.set_nonce(address, nonce),
        address,
        lambda: vm.machine.set_nonce(address, before),
    )


@cheatcode("resetNonce(address)")
def reset_nonce(vm: Session, address: int) -> None:
    """0 for an account without code, 1 for a contract (EIP-161)."""
    set_nonce_unsafe(vm, address, 1 if vm.machine.get_code(address) else 0)


@cheatcode("cloneAccount(address,address)")
def clone_account(vm: Session, source: int, target: int) -> None:
    """Balance, nonce, code and slots of the source, over those of the target."""
    machine = vm.machine
    machine.set_balance(vm.changeable(target), machine.get_balance(vm.changeable(source)))
    machine.set_nonce(target, machine.get_nonce(source))
    machine.set_code(target, machine.get_code(source))
    copy_storage(vm, source, target)


@cheatcode("copyStorage(address,address)")
def copy_storage(vm: Session, source: int, target: int) -> None:
    for key, value in vm.slots_of(vm.changeable(source)):
        vm.need_room()
        vm.machine.set_storage(vm.changeable(target), key, value)


@cheatcode("computeCreateAddress(address,uint256)")
def compute_create_address(_vm: Session, deployer: int, nonce: int) -> int:
    if nonce > MAX_NONCE:
        raise CheatcodeError("vm.computeCreateAddress: nonce must be less than 2^64")
    return contract_address(deployer, nonce)


@cheatcode("computeCreate2Address(bytes32,bytes32,address)")
def compute_create2_address(_vm: Session, salt: bytes, code_hash: bytes, deployer: int) -> int:
    """EIP-1014."""
    digest = keccak256(b"\xff" + deployer.to_bytes(20, "big") + salt + code_hash)
    return int.from_bytes(digest, "big") & ADDRESS_MASK


@cheatcode("computeCreate2Address(bytes32,bytes32)")
def compute_create2_address_of_factory(vm: Session, salt: bytes, code_hash: bytes) -> int:
    return compute_create2_address(vm, salt, code_hash, CREATE2_DEPLOYER)


@cheatcode("label(address,string)")
def label(vm: Session, address: int, name: str) -> None:
    vm.labels[address] = name


@cheatcode("getLabel(address)")
def get_label(vm: Session, address: int) -> str:
    return vm.labels.get(address, f"unlabeled:{checksum_address(address)}")

"""Accounts: balances, codes, slots, nonces, addresses of creations, labels."""

from __future__ import annotations

from simulator.abi.hashing import checksum_address, keccak256
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.evm.addresses import CHEATCODE_ADDRESS, contract_address
from simulator.evm.host_memory import as_word

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


def _use_slot(vm: Session, address: int, key: int) -> None:
    """Forge's way: the slot counts as one that the transaction has read."""
    machine = vm.machine
    if not vm.rules.slots_are_used:
        return
    entry, epoch = machine.accounts.slot_entry(machine.accounts.record(address), key), machine.context.epoch
    machine.note(entry.transaction_cell)
    entry.warm_epoch = epoch
    if entry.original_epoch != epoch:
        entry.original = as_word(entry.value)
        entry.original_epoch = epoch


@cheatcode("load(address,bytes32)")
def load(vm: Session, address: int, slot: bytes) -> bytes:
    _use_slot(vm, vm.storable(address), int.from_bytes(slot, "big"))
    return vm.machine.get_storage(vm.storable(address), int.from_bytes(slot, "big")).to_bytes(32, "big")


@cheatcode("store(address,bytes32,bytes32)")
def store(vm: Session, address: int, slot: bytes, value: bytes) -> None:
    _use_slot(vm, vm.storable(address), int.from_bytes(slot, "big"))
    vm.machine.set_storage(vm.storable(address), int.from_bytes(slot, "big"), int.from_bytes(value, "big"))


@cheatcode("getNonce(address)")
def get_nonce(vm: Session, address: int) -> int:
    return vm.machine.get_nonce(address)


@cheatcode("getNonce((address,uint256,uint256,uint256))")
def get_nonce_of_wallet(vm: Session, wallet: tuple[int, int, int, int]) -> int:
    return vm.machine.get_nonce(wallet[0])


def _noncing(vm: Session, address: int) -> int:
    """The address itself, of anything but the cheatcodes. Raises `CheatcodeError`."""
    return vm.mockable(address)


@cheatcode("setNonce(address,uint64)")
def set_nonce(vm: Session, address: int, nonce: int) -> None:
    """A nonce never falls, so that an address is not created twice; `setNonceUnsafe` allows it."""
    current = vm.machine.get_nonce(_noncing(vm, address))
    if nonce < current:
        raise CheatcodeError(f"vm.setNonce: new nonce ({nonce}) must be strictly equal to or higher than {current}")
    set_nonce_unsafe(vm, address, nonce)


@cheatcode("setNonceUnsafe(address,uint64)")
def set_nonce_unsafe(vm: Session, address: int, nonce: int) -> None:
    before = vm.machine.get_nonce(_noncing(vm, address))
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
    """Balance, nonce, code and slots of the source, over those of the target; in forge, slots that the transaction has
    used."""
    machine = vm.machine
    machine.set_balance(vm.changeable(target), machine.get_balance(vm.changeable(source)))
    machine.set_nonce(target, machine.get_nonce(source))
    machine.set_code(target, machine.get_code(source))
    for key, value in _slots_to_copy(vm, source):
        vm.need_room()
        machine.set_storage(target, key, value)


def _slots_to_copy(vm: Session, source: int) -> list[tuple[int, int]]:
    if not vm.rules.slots_are_used:
        return vm.slots_of(source)
    accounts = vm.machine.accounts
    return [(entry.key, entry.value) for entry in accounts.used_slots(accounts.record(source).storage_id)]


def _slots_before(vm: Session, target: int) -> list[tuple[int, int]]:
    """Slots that the transaction has used, as they were before."""
    record = vm.machine.accounts.record(target)
    is_new = record.created_epoch == vm.machine.context.epoch
    return [
        (entry.key, 0 if is_new else entry.original)
        for entry in vm.machine.accounts.used_slots(record.storage_id)
        if is_new or entry.original_epoch == vm.machine.context.epoch
    ]


@cheatcode("copyStorage(address,address)")
def copy_storage(vm: Session, source: int, target: int) -> None:
    """Slots of the source, over those of the target. In forge, those that the transaction has used of the one, in the
    place of those that it has used of the other."""
    copied = _slots_to_copy(vm, vm.changeable(source))
    whose = vm.arbitrary.source_of(source) if vm.arbitrary is not None else None
    if vm.arbitrary is not None and whose is not None:
        if vm.arbitrary.source_of(target) is not None:
            raise CheatcodeError("vm.copyStorage: target address cannot have arbitrary storage")
        vm.arbitrary.begin(vm.changeable(target), whose, keeps=False)
    before = _slots_before(vm, vm.changeable(target)) if vm.rules.slots_are_used else []
    for key, value in (*before, *copied):
        vm.need_room()
        vm.machine.set_storage(target, key, value)
        if vm.rules.slots_are_used:
            _use_slot(vm, target, key)


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

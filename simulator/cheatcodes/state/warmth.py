"""Warm and cold accounts and slots (EIP-2929): `cool`, `coolSlot`, `warmSlot`, `accessList`."""

from __future__ import annotations

from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session


@cheatcode("cool(address)")
def cool(vm: Session, address: int) -> None:
    """The account, and every slot of it that has a value, are cold again."""
    accounts = vm.machine.accounts
    record = accounts.record(vm.changeable(address))
    vm.machine.note(record.transaction_cell)
    record.warm_epoch = 0
    for key, _ in vm.slots_of(address):
        _set_slot(vm, address, key, 0)


@cheatcode("coolSlot(address,bytes32)")
def cool_slot(vm: Session, address: int, key: bytes) -> None:
    _set_slot(vm, address, int.from_bytes(key, "big"), 0)


@cheatcode("warmSlot(address,bytes32)")
def warm_slot(vm: Session, address: int, key: bytes) -> None:
    _set_slot(vm, address, int.from_bytes(key, "big"), vm.machine.context.epoch)


@cheatcode("accessList((address,bytes32[])[])")
def access_list(vm: Session, entries: tuple[tuple[int, tuple[bytes, ...]], ...]) -> None:
    """Accounts and slots are warm in what is left of the transaction."""
    for address, keys in entries:
        record = vm.machine.accounts.record(address)
        vm.machine.note(record.transaction_cell)
        record.warm_epoch = vm.machine.context.epoch
        for key in keys:
            warm_slot(vm, address, key)


@cheatcode("noAccessList()")
def no_access_list(_vm: Session) -> None:
    """What is warm stays so: only gas would differ."""


def _set_slot(vm: Session, address: int, key: int, epoch: int) -> None:
    accounts = vm.machine.accounts
    entry = accounts.slot_entry(accounts.record(vm.changeable(address)), key)
    vm.machine.note(entry.transaction_cell)
    entry.warm_epoch = epoch

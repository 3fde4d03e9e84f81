"""Slots read and written: `record`, `accesses`."""

from __future__ import annotations

from simulator.cheatcodes.registry import cheatcode
from simulator.cheatcodes.session import Session
from simulator.evm.arenas import read_int, read_word
from simulator.evm.kernel.layout import access, context


@cheatcode("record()")
def record(vm: Session) -> None:
    vm.machine.set(context.ACCESSES_COUNT, 0)
    vm.set_cell(context.RECORDING, 1)


@cheatcode("stopRecord()")
def stop_record(vm: Session) -> None:
    vm.set_cell(context.RECORDING, 0)


@cheatcode("accesses(address)")
def accesses(vm: Session, address: int) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Slots in the order of access, repeated as often as they were accessed. A write counts as a read too."""
    machine = vm.machine
    account_record = machine.accounts.record(address)
    reads: list[bytes] = []
    writes: list[bytes] = []
    start = machine.get(context.ACCESSES)
    for index in range(machine.get(context.ACCESSES_COUNT)):
        entry = start + index * access.SIZE
        if read_int(entry + access.ACCOUNT) != account_record:
            continue
        key = read_word(entry + access.KEY).to_bytes(32, "big")
        reads.append(key)
        if read_int(entry + access.IS_WRITE):
            writes.append(key)
    return tuple(reads), tuple(writes)

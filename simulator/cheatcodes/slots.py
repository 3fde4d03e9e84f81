"""Slots read and written: `record`, `accesses`."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.cheatcodes.registry import cheatcode
from simulator.cheatcodes.session import RECORDS_SLOTS, Session
from simulator.evm.arenas import read_int, read_word
from simulator.evm.kernel.layout import access, context


@cheatcode("record()")
def record(vm: Session) -> None:
    vm.change(accesses=(vm.record_accesses(RECORDS_SLOTS), None))


@cheatcode("stopRecord()")
def stop_record(vm: Session) -> None:
    if vm.state.accesses is not None and vm.state.accesses[1] is None:
        vm.change(accesses=(vm.state.accesses[0], vm.machine.get(context.ACCESSES_COUNT)))
    vm.stop_recording(RECORDS_SLOTS)


@cheatcode("accesses(address)")
def accesses(vm: Session, address: int) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Slots in the order of access, repeated as often as they were accessed. A write counts as a read too."""
    account_record = vm.machine.accounts.record(address)
    reads: list[bytes] = []
    writes: list[bytes] = []
    for entry in _recorded(vm):
        kind = read_int(entry + access.KIND)
        if read_int(entry + access.ACCOUNT) != account_record or kind not in (access.READ, access.WRITE):
            continue
        key = read_word(entry + access.KEY).to_bytes(32, "big")
        reads.append(key)
        if kind == access.WRITE:
            writes.append(key)
    return tuple(reads), tuple(writes)


def _recorded(vm: Session) -> Iterator[int]:
    """Addresses of the kernel's records that belong to `record`."""
    if vm.state.accesses is None:
        return
    first, end = vm.state.accesses
    count = vm.machine.get(context.ACCESSES_COUNT)
    for index in range(first, count if end is None else min(end, count)):
        yield vm.machine.get(context.ACCESSES) + index * access.SIZE

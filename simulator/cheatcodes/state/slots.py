"""Slots read and written: `record`, `accesses`."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import RECORDS_SLOTS, Session
from simulator.evm.kernel.layout import access
from simulator.evm.kernel.layout.access import Access


@cheatcode("record()")
def record(vm: Session) -> None:
    vm.change(accesses=(vm.record_accesses(RECORDS_SLOTS), None))


@cheatcode("stopRecord()")
def stop_record(vm: Session) -> None:
    if vm.state.accesses is not None and vm.state.accesses[1] is None:
        vm.change(accesses=(vm.state.accesses[0], vm.machine.context.accesses_count))
    vm.stop_recording(RECORDS_SLOTS)


@cheatcode("accesses(address)")
def accesses(vm: Session, address: int) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Slots in the order of access, repeated as often as they were accessed. A write counts as a read too."""
    account_record = vm.machine.accounts.record(address)
    reads: list[bytes] = []
    writes: list[bytes] = []
    for entry in _recorded(vm):
        kind = entry.kind
        if entry.account != account_record or kind not in (access.READ, access.WRITE):
            continue
        key = entry.key.to_bytes(32, "big")
        reads.append(key)
        if kind == access.WRITE:
            writes.append(key)
    return tuple(reads), tuple(writes)


def _recorded(vm: Session) -> Iterator[Access]:
    """The kernel's records that belong to `record`."""
    if vm.state.accesses is None:
        return
    first, end = vm.state.accesses
    count = vm.machine.context.accesses_count
    for index in range(first, count if end is None else min(end, count)):
        yield vm.machine.context.accesses[index]

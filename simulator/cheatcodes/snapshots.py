"""Snapshots of the chain inside of a run: `snapshotState`, `revertToState`.

Frames that are running remember positions of the journal, so going back must not shorten it: what was written since the
snapshot is written back, and noted once more. What cheatcodes remember stays as it is.
"""

from __future__ import annotations

from simulator.cheatcodes.errors import CheatcodeError
from simulator.cheatcodes.registry import cheatcode
from simulator.cheatcodes.session import Session
from simulator.cheatcodes.state import Snapshot
from simulator.evm.arenas import read_int, read_word, write_word
from simulator.evm.kernel.layout import context, journal_entry, prank


@cheatcode("snapshot()", "snapshotState()")
def snapshot(vm: Session) -> int:
    machine, taken = vm.machine, vm.state.snapshots
    vm.change(snapshots=(*taken, Snapshot(machine.mark(), machine.timestamp, machine.number)))
    return len(taken)


def _write_back(vm: Session, mark: int) -> None:
    machine = vm.machine
    kept = range(
        machine.context_address + context.HOST_CELL,
        machine.context_address + context.PRANKS + context.MOST_PRANKS * prank.SIZE,
    )
    journal, top = machine.get(context.JOURNAL), machine.mark()
    if 2 * top - mark > machine.get(context.JOURNAL_LIMIT):
        raise CheatcodeError("vm.revertToState: too much was written since the snapshot")
    for entry in range(journal + top - journal_entry.SIZE, journal + mark - 1, -journal_entry.SIZE):
        address = read_int(entry + journal_entry.ADDRESS)
        if address not in kept:
            machine.note(address)
            write_word(address, read_word(entry + journal_entry.OLD))


@cheatcode("revertTo(uint256)", "revertToState(uint256)")
def revert_to(vm: Session, number: int) -> bool:
    """False when there is no such snapshot. The snapshot can be used again."""
    taken = vm.state.snapshots[number] if number < len(vm.state.snapshots) else None
    if taken is None:
        return False
    _write_back(vm, taken.mark)
    vm.set_block_word(context.TIMESTAMP, taken.timestamp)
    vm.set_block_word(context.NUMBER, taken.number)
    return True


@cheatcode("deleteSnapshot(uint256)", "deleteStateSnapshot(uint256)")
def delete_snapshot(vm: Session, number: int) -> bool:
    snapshots = vm.state.snapshots
    if number >= len(snapshots) or snapshots[number] is None:
        return False
    vm.change(snapshots=tuple(None if index == number else each for index, each in enumerate(snapshots)))
    return True


@cheatcode("deleteSnapshots()", "deleteStateSnapshots()")
def delete_snapshots(vm: Session) -> None:
    vm.change(snapshots=(None,) * len(vm.state.snapshots))


@cheatcode("revertToAndDelete(uint256)", "revertToStateAndDelete(uint256)")
def revert_to_and_delete(vm: Session, number: int) -> bool:
    return revert_to(vm, number) and delete_snapshot(vm, number)

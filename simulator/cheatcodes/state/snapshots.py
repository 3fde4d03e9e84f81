"""Snapshots of the chain inside of a run: `snapshotState`, `revertToState`.

Frames that are running remember positions of the journal, so going back must not shorten it: what was written since the
snapshot is written back, and noted once more. What cheatcodes remember stays as it is, and so does the gas price, which
is of the transaction and not of the block.
"""

from __future__ import annotations

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import Snapshot
from simulator.evm.addresses import CHEATCODE_ADDRESS, FAILED_SLOT
from simulator.evm.host_memory import view
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.journal_entry import JournalEntry
from simulator.evm.kernel.records import pointer


@cheatcode("snapshot()", "snapshotState()")
def snapshot(vm: Session) -> int:
    machine, taken = vm.machine, vm.state.snapshots
    vm.change(snapshots=(*taken, Snapshot(machine.mark(), machine.timestamp, machine.number)))
    return len(taken)


def _write_back(vm: Session, mark: int) -> None:
    machine = vm.machine
    context = machine.context
    kept = range(pointer(context.host_cell), pointer(context.gas_cell) + 1)
    gas_price = pointer(context) + Context.gasprice.offset
    journal, top = context.journal, machine.mark()
    if 2 * top - mark > context.journal_limit:
        raise CheatcodeError("vm.revertToState: too much was written since the snapshot")
    for position in range(top - JournalEntry.SIZE, mark - 1, -JournalEntry.SIZE):
        entry = view(JournalEntry, journal + position)
        cell = entry.cell
        if pointer(cell) not in kept and pointer(cell) != gas_price:
            machine.note(cell)
            cell.word = entry.old


@cheatcode("revertTo(uint256)", "revertToState(uint256)")
def revert_to(vm: Session, number: int) -> bool:
    """False when there is no such snapshot. The snapshot can be used again. A failure that was noted stays noted."""
    taken = vm.state.snapshots[number] if number < len(vm.state.snapshots) else None
    if taken is None:
        return False
    failure = vm.machine.get_storage(CHEATCODE_ADDRESS, FAILED_SLOT)
    _write_back(vm, taken.mark)
    if failure:
        vm.machine.set_storage(CHEATCODE_ADDRESS, FAILED_SLOT, failure)
    vm.set_block_word(Context.timestamp, taken.timestamp)
    vm.set_block_word(Context.number, taken.number)
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

"""Changes of storage by the calls of a sequence: the difference of all slots before and after each of them."""

from __future__ import annotations

from typing import Final

from simulator.evm.machine import Machine
from simulator.evm.results import Result
from simulator.transaction import Sequence, Transaction
from simulator.worker.reports import SlotChange

MAX_READS: Final = 400_000
"""Slots times calls: reading that many takes about a second."""

_Slots = dict[tuple[int, int], int]


class StorageWatch:
    """`look` is called after each transaction of a replay; `changes` has one item for each call that was executed."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._before = self._slots()
        self.changes: list[tuple[SlotChange, ...]] = []

    def look(self, _transaction: Transaction, _result: Result) -> None:
        before, after = self._before, self._slots()
        addresses = {record.storage_id: record.address for record in self._machine.accounts.all_records()}
        keys = [key for key in {**before, **after} if before.get(key, 0) != after.get(key, 0)]
        self.changes.append(
            tuple(
                SlotChange(
                    addresses.get(owner, 0).to_bytes(20, "big"),
                    slot.to_bytes(32, "big"),
                    before.get((owner, slot), 0).to_bytes(32, "big"),
                    after.get((owner, slot), 0).to_bytes(32, "big"),
                )
                for owner, slot in sorted(keys)
            )
        )
        self._before = after

    def _slots(self) -> _Slots:
        return {(owner, key): value for owner, key, value in self._machine.accounts.all_slots()}


def storage_problem(machine: Machine, sequence: Sequence) -> str:
    """Why the changes of this sequence cannot be told; empty where they can."""
    if machine.forked is not None:
        return "storage changes are not told on a forked chain, whose slots are fetched when they are read"
    if machine.context.slots_used * len(sequence) > MAX_READS:
        return f"there are too many slots and calls to compare them all ({MAX_READS:,} together)"
    return ""


def by_transaction(sequence: Sequence, watch: StorageWatch) -> tuple[tuple[SlotChange, ...], ...]:
    """One item for each transaction, none in those of waits."""
    executed = iter(watch.changes)
    return tuple(() if each.is_wait else next(executed, ()) for each in sequence)

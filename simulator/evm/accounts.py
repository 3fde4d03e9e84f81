"""Accounts and storage of a machine, from the host's side."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from simulator.errors import KernelError
from simulator.evm.arenas import Arena, write_bytes
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel import commands
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.slot import Slot
from simulator.evm.kernel.records import Cell, Records, References, pointer
from simulator.evm.kernel.state.accounts import ALWAYS_WARM, CHAIN_STORAGE

ACCOUNTS_LIMIT = 1 << 20
FIRST_INDEX_SIZE = 1 << 12
POINTER_BYTES = 8
FIRST_SLOTS = 1 << 13
MAX_SLOTS = 1 << 22


class Accounts:
    """Finds and writes account records and storage entries. Writes go through the journal.

    `fetch_missing` fetches from a forked chain what the kernel has just missed; false when that was only room.
    """

    def __init__(self, context: Context, enter: Callable[[int], int], *, checked: bool) -> None:
        self._context = context
        self._enter = enter
        self._checked = checked
        self.fetch_missing: Callable[[], bool] = lambda: False
        self._records = Arena(ACCOUNTS_LIMIT * Account.SIZE, checked=checked)
        self._slots = Arena(FIRST_SLOTS * Slot.SIZE, checked=checked)
        context.accounts = view(Records[Account], self._records.address)
        context.accounts_limit = ACCOUNTS_LIMIT
        self._use_index(FIRST_INDEX_SIZE)
        self._use_slots(self._slots)

    def record(self, address: int) -> Account:
        """The account's record, which is made when it is missing. Raises `KernelError` when all are used,
        and on a forked chain `ChainError`."""
        while True:
            self._context.key = as_word(address)
            if found := self._enter(commands.FIND_ACCOUNT):
                return view(Account, found)
            if not self.fetch_missing() and not self.grow_index():
                raise KernelError(f"the machine holds the limit of {ACCOUNTS_LIMIT} accounts")

    def all_records(self) -> Iterator[Account]:
        """All account records."""
        for number in range(self._context.accounts_used):
            yield self._context.accounts[number]

    def all_slots(self) -> Iterator[tuple[int, int, int]]:
        """(storage id, key, value) of all slots that are not zero."""
        fields = np.frombuffer(self._slots.buffer, np.int64).reshape(-1, Slot.SIZE // 8)
        for number in np.flatnonzero(fields[:, Slot.owner.offset // 8] > 0).tolist():
            entry = self._context.slots[number]
            if value := entry.value:
                yield entry.owner, entry.key, value

    def used_slots(self, owner: int) -> list[Slot]:
        """Entries of a storage id that the transaction has read or written."""
        fields = np.frombuffer(self._slots.buffer, np.int64).reshape(-1, Slot.SIZE // 8)
        owners, epochs = (fields[:, each.offset // 8] for each in (Slot.owner, Slot.warm_epoch))
        numbers = np.flatnonzero((owners == owner) & (epochs == self._context.epoch))
        return [self._context.slots[number] for number in numbers.tolist()]

    def set_up(self, record: Account, balance: int, nonce: int, code: Code) -> None:
        self._note(record.transaction_cell)
        record.present = True
        self.set_balance(record, balance)
        self.set_nonce(record, nonce)
        self.set_code(record, code)

    def set_balance(self, record: Account, balance: int) -> None:
        self._note(record.balance_cell)
        record.balance = as_word(balance)

    def set_nonce(self, record: Account, nonce: int) -> None:
        self._note(record.identity_cell)
        record.nonce = nonce

    def set_code(self, record: Account, code: Code) -> None:
        self._note(record.identity_cell)
        record.code = code

    def get_slot(self, record: Account, key: int) -> int:
        owner = record.storage_id
        entry = self._slot(owner, key, commands.PEEK_SLOT)
        if not entry and owner >= CHAIN_STORAGE:
            entry = self.entry_of(owner, key)
        return entry.value if entry else 0

    def set_slot(self, record: Account, key: int, value: int) -> None:
        entry = self.slot_entry(record, key)
        self._note(entry.value_cell)
        entry.value = as_word(value)

    def slot_entry(self, record: Account, key: int) -> Slot:
        """The entry of a slot, made when it is missing. Raises `KernelError` when there is no room, and on a
        forked chain `ChainError`."""
        return self.entry_of(record.storage_id, key)

    def entry_of(self, owner: int, key: int) -> Slot:
        """As `slot_entry`, by the storage id."""
        while not (entry := self._slot(owner, key, commands.FIND_SLOT)):
            if not self.fetch_missing() and not self.grow_slots():
                raise KernelError(f"the machine holds the limit of {MAX_SLOTS // 2} storage slots")
        return entry

    def make_host_code(self, address: int, kind: int, detail: int) -> None:
        """Let the host run the code of an address, which is warm from the start."""
        record = self.record(address)
        record.kind = kind
        record.kind_detail = detail
        record.warm_epoch = ALWAYS_WARM

    def grow_index(self) -> bool:
        """Double the index of accounts; false when the records themselves are used up."""
        size = 2 * (self._context.account_index_mask + 1)
        if self._context.accounts_used >= ACCOUNTS_LIMIT or size > 4 * ACCOUNTS_LIMIT:
            return False
        self._use_index(size)
        self._enter(commands.INDEX_ACCOUNTS)
        return True

    def grow_slots(self) -> bool:
        """Double the storage map; false at the limit. Addresses of entries change; the journal follows."""
        capacity = self._context.slots_mask + 1
        if capacity >= MAX_SLOTS:
            return False
        self._move_slots(2 * capacity, drop_empty=False)
        return True

    def compact_slots(self) -> None:
        """Drop the entries that hold nothing. Addresses of entries change; the journal follows. Not during a
        transaction."""
        self._move_slots(self._context.slots_mask + 1, drop_empty=True)
        capacity = FIRST_SLOTS
        while capacity < 4 * self._context.slots_used:
            capacity *= 2
        if capacity < self._context.slots_mask + 1:
            self._move_slots(capacity, drop_empty=True)

    def forget_after(self, count: int) -> None:
        """Drop all account records but the first `count`. The others must be as empty as if they had never been."""
        for number in range(count, self._context.accounts_used):
            write_bytes(pointer(self._context.accounts[number]), bytes(Account.SIZE))
        self._context.accounts_used = count
        self._use_index(self._context.account_index_mask + 1)
        self._enter(commands.INDEX_ACCOUNTS)

    def _use_index(self, size: int) -> None:
        self._index = Arena(size * POINTER_BYTES, checked=self._checked)
        self._context.account_index = view(References[Account], self._index.address)
        self._context.account_index_mask = size - 1

    def _use_slots(self, slots: Arena) -> None:
        self._slots = slots
        self._context.slots = view(Records[Slot], slots.address)
        self._context.slots_mask = slots.size // Slot.SIZE - 1

    def _move_slots(self, capacity: int, *, drop_empty: bool) -> None:
        context, old, new = self._context, self._slots, Arena(capacity * Slot.SIZE, checked=self._checked)
        context.command_a, context.command_b, context.command_c = new.address, capacity - 1, int(drop_empty)
        used = self._enter(commands.MOVE_SLOTS)
        context.command_a, context.command_b = old.address, old.end
        self._enter(commands.MOVE_JOURNAL)
        self._use_slots(new)
        context.slots_used = used

    def _slot(self, owner: int, key: int, command: int) -> Slot:
        self._context.command_a = owner
        self._context.key = as_word(key)
        return view(Slot, self._enter(command))

    def _note(self, cell: Cell) -> None:
        self._context.command_a = pointer(cell)
        self._enter(commands.NOTE)

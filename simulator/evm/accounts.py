"""Accounts and storage of a machine, from the host's side."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from simulator.errors import KernelError
from simulator.evm.arenas import Arena, read_int, read_word, write_bytes, write_int, write_word
from simulator.evm.kernel import commands
from simulator.evm.kernel.accounts import ALWAYS_WARM, CHAIN_STORAGE
from simulator.evm.kernel.layout import account, context, slot

ACCOUNTS_LIMIT = 1 << 20
FIRST_INDEX_SIZE = 1 << 12
FIRST_SLOTS = 1 << 13
MOST_SLOTS = 1 << 22


class Accounts:
    """Finds and writes account records and storage entries. Writes go through the journal.

    `fetch_missing` fetches from a forked chain what the kernel has just missed; false when that was only room.
    """

    def __init__(self, context_address: int, enter: Callable[[int], int], *, checked: bool) -> None:
        self._context = context_address
        self._enter = enter
        self._checked = checked
        self.fetch_missing: Callable[[], bool] = lambda: False
        self._records = Arena(ACCOUNTS_LIMIT * account.SIZE, checked=checked)
        self._index = Arena(FIRST_INDEX_SIZE * 8, checked=checked)
        self._slots = Arena(FIRST_SLOTS * slot.SIZE, checked=checked)
        self._write(context.ACCOUNTS, self._records.address)
        self._write(context.ACCOUNTS_LIMIT, ACCOUNTS_LIMIT)
        self._write(context.ACCOUNT_INDEX, self._index.address)
        self._write(context.ACCOUNT_INDEX_MASK, FIRST_INDEX_SIZE - 1)
        self._write(context.SLOTS, self._slots.address)
        self._write(context.SLOTS_MASK, FIRST_SLOTS - 1)

    def record(self, address: int) -> int:
        """Address of the account's record, which is made when it is missing. Raises `KernelError` when all are used,
        and on a forked chain `ChainError`."""
        while True:
            write_word(self._context + context.KEY, address)
            if found := self._enter(commands.FIND_ACCOUNT):
                return found
            if not self.fetch_missing() and not self.grow_index():
                raise KernelError(f"the machine holds the limit of {ACCOUNTS_LIMIT} accounts")

    def all_records(self) -> Iterator[int]:
        """Addresses of all account records."""
        for number in range(self._read(context.ACCOUNTS_USED)):
            yield self._records.address + number * account.SIZE

    def all_slots(self) -> Iterator[tuple[int, int, int]]:
        """(storage id, key, value) of all slots that are not zero."""
        fields = np.frombuffer(self._slots.buffer, np.int64).reshape(-1, slot.SIZE // 8)
        for number in np.flatnonzero(fields[:, slot.OWNER // 8] > 0).tolist():
            entry = self._slots.address + number * slot.SIZE
            if value := read_word(entry + slot.VALUE):
                yield read_int(entry + slot.OWNER), read_word(entry + slot.KEY), value

    def set_up(self, record: int, balance: int, nonce: int, code: int) -> None:
        self._note(record + account.TRANSACTION_CELL)
        write_int(record + account.PRESENT, 1)
        self.set_balance(record, balance)
        self.set_nonce(record, nonce)
        self.set_code(record, code)

    def set_balance(self, record: int, balance: int) -> None:
        self._note(record + account.BALANCE)
        write_word(record + account.BALANCE, balance)

    def set_nonce(self, record: int, nonce: int) -> None:
        self._note(record + account.IDENTITY_CELL)
        write_int(record + account.NONCE, nonce)

    def set_code(self, record: int, code: int) -> None:
        self._note(record + account.IDENTITY_CELL)
        write_int(record + account.CODE, code)

    def get_slot(self, record: int, key: int) -> int:
        owner = read_int(record + account.STORAGE_ID)
        entry = self._slot(owner, key, commands.PEEK_SLOT)
        if not entry and owner >= CHAIN_STORAGE:
            entry = self.entry_of(owner, key)
        return read_word(entry + slot.VALUE) if entry else 0

    def set_slot(self, record: int, key: int, value: int) -> None:
        entry = self.slot_entry(record, key)
        self._note(entry + slot.VALUE)
        write_word(entry + slot.VALUE, value)

    def slot_entry(self, record: int, key: int) -> int:
        """Address of the entry of a slot, made when it is missing. Raises `KernelError` when there is no room, and on a
        forked chain `ChainError`."""
        return self.entry_of(read_int(record + account.STORAGE_ID), key)

    def entry_of(self, owner: int, key: int) -> int:
        """As `slot_entry`, by the storage id."""
        while not (entry := self._slot(owner, key, commands.FIND_SLOT)):
            if not self.fetch_missing() and not self.grow_slots():
                raise KernelError(f"the machine holds the limit of {MOST_SLOTS // 2} storage slots")
        return entry

    def make_host_code(self, address: int, kind: int, detail: int) -> None:
        """Let the host run the code of an address, which is warm from the start."""
        record = self.record(address)
        write_int(record + account.KIND, kind)
        write_int(record + account.KIND_DETAIL, detail)
        write_int(record + account.WARM_EPOCH, ALWAYS_WARM)

    def grow_index(self) -> bool:
        """Double the index of accounts; false when the records themselves are used up."""
        size = 2 * (self._read(context.ACCOUNT_INDEX_MASK) + 1)
        if self._read(context.ACCOUNTS_USED) >= ACCOUNTS_LIMIT or size > 4 * ACCOUNTS_LIMIT:
            return False
        self._index = Arena(size * 8, checked=self._checked)
        self._write(context.ACCOUNT_INDEX, self._index.address)
        self._write(context.ACCOUNT_INDEX_MASK, size - 1)
        self._enter(commands.INDEX_ACCOUNTS)
        return True

    def grow_slots(self) -> bool:
        """Double the storage map; false at the limit. Addresses of entries change; the journal follows."""
        capacity = self._read(context.SLOTS_MASK) + 1
        if capacity >= MOST_SLOTS:
            return False
        self._move_slots(2 * capacity, drop_empty=False)
        return True

    def compact_slots(self) -> None:
        """Drop the entries that hold nothing. Addresses of entries change; the journal follows. Not during a
        transaction."""
        self._move_slots(self._read(context.SLOTS_MASK) + 1, drop_empty=True)
        capacity = FIRST_SLOTS
        while capacity < 4 * self._read(context.SLOTS_USED):
            capacity *= 2
        if capacity < self._read(context.SLOTS_MASK) + 1:
            self._move_slots(capacity, drop_empty=True)

    def forget_after(self, count: int) -> None:
        """Drop all account records but the first `count`. The others must be as empty as if they had never been."""
        for number in range(count, self._read(context.ACCOUNTS_USED)):
            write_bytes(self._records.address + number * account.SIZE, bytes(account.SIZE))
        self._write(context.ACCOUNTS_USED, count)
        self._index = Arena(self._index.size, checked=self._checked)
        self._write(context.ACCOUNT_INDEX, self._index.address)
        self._enter(commands.INDEX_ACCOUNTS)

    def _move_slots(self, capacity: int, *, drop_empty: bool) -> None:
        old, new = self._slots, Arena(capacity * slot.SIZE, checked=self._checked)
        self._write(context.COMMAND_A, new.address)
        self._write(context.COMMAND_B, capacity - 1)
        self._write(context.COMMAND_C, int(drop_empty))
        used = self._enter(commands.MOVE_SLOTS)
        self._write(context.COMMAND_A, old.address)
        self._write(context.COMMAND_B, old.end)
        self._enter(commands.MOVE_JOURNAL)
        self._write(context.SLOTS, new.address)
        self._write(context.SLOTS_MASK, capacity - 1)
        self._write(context.SLOTS_USED, used)
        self._slots = new

    def _slot(self, owner: int, key: int, command: int) -> int:
        self._write(context.COMMAND_A, owner)
        write_word(self._context + context.KEY, key)
        return self._enter(command)

    def _note(self, address: int) -> None:
        self._write(context.COMMAND_A, address)
        self._enter(commands.NOTE)

    def _read(self, field: int) -> int:
        return read_int(self._context + field)

    def _write(self, field: int, value: int) -> None:
        write_int(self._context + field, value)

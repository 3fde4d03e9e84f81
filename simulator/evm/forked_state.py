"""A machine on a forked chain: accounts, slots and block hashes are fetched when the machine first misses them.

What was fetched is written without the journal: it was there all along, so going back never takes it away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from simulator.evm.arenas import read_bytes, read_int, read_word, write_int, write_word
from simulator.evm.kernel import calls
from simulator.evm.kernel.accounts import BLOCK_HASHES, CHAIN_STORAGE
from simulator.evm.kernel.exits import MISSING_ACCOUNT, MISSING_SLOT
from simulator.evm.kernel.layout import account, code, context, slot

if TYPE_CHECKING:
    from simulator.evm.machine import Machine

MOST_CALLDATA = 1 << 16
DELEGATION = b"\xef\x01\x00"


@dataclass(frozen=True)
class ChainAccount:
    """An account of the forked block; all zeros and no code when the chain has none at the address."""

    balance: int = 0
    nonce: int = 0
    code: bytes = b""


@dataclass(frozen=True)
class RunningCall:
    """The call that needs a slot: what the chain's nodes can be asked to foresee the other slots of."""

    caller: int
    data: bytes


class ChainSource(Protocol):
    """State of the forked block. Methods block while they fetch, and raise `ChainError` when they cannot."""

    def account(self, address: int) -> ChainAccount: ...

    def accounts(self, addresses: list[int]) -> list[ChainAccount]:
        """Several at once, in order."""
        ...

    def slot(self, address: int, key: int, call: RunningCall | None = None) -> int:
        """`call` is the call of `address` that is running, where it is one."""
        ...

    def block_hash(self, number: int) -> int: ...


class ForkedState:
    """Joins one machine with a chain. What the machine has by then stays: only balances, nonces and codes of its
    ordinary accounts, which must be empty, and balances of precompiled contracts are those of the chain."""

    def __init__(self, machine: Machine, source: ChainSource, number: int) -> None:
        self._machine = machine
        self._source = source
        self._storage_ids: dict[int, int] = {}
        self._addresses: list[int] = []
        self._take_over_present_accounts()
        machine.set_word(context.FORKED_NUMBER, number)
        machine.set(context.FORKED, 1)

    def fetch_missing(self) -> bool:
        """Fetch what the kernel has missed; false when it has missed nothing. Raises `ChainError`, and nothing has
        changed then."""
        machine = self._machine
        kind, owner, key = (
            machine.get(context.MISSING_KIND),
            machine.get(context.MISSING_OWNER),
            machine.get_word(context.MISSING),
        )
        machine.set(context.MISSING_KIND, 0)
        if not machine.get(context.FORKED) or kind not in (MISSING_ACCOUNT, MISSING_SLOT):
            return False
        if kind == MISSING_ACCOUNT:
            self._add_account(key)
        else:
            self._add_slot(owner, key)
        return True

    def has_contract(self, address: int) -> bool:
        """Whether the chain has a contract at the address. A delegation (EIP-7702) makes an account no contract."""
        found = self._source.account(address).code
        return bool(found) and not found.startswith(DELEGATION)

    def vacate(self, address: int) -> None:
        """Let an address on the chain be as if only its balance had ever been there, so that a contract can be deployed
        at it. Not journaled."""
        machine = self._machine
        record = machine.accounts.record(address)
        number = machine.get(context.NEXT_STORAGE_ID)
        machine.set(context.NEXT_STORAGE_ID, number + 1)
        write_int(record + account.NONCE, 0)
        write_int(record + account.CODE, machine.code_store.empty)
        write_int(record + account.STORAGE_ID, number)

    def _add_account(self, address: int) -> None:
        machine = self._machine
        known = self._source.account(address)
        code_record = machine.code_store.register(known.code, code.RUNTIME)
        machine.set(context.FORKED, 0)
        try:
            record = machine.accounts.record(address)
        finally:
            machine.set(context.FORKED, 1)
        self._fill(record, address, known, code_record)

    def _fill(self, record: int, address: int, known: ChainAccount, code_record: int) -> None:
        write_word(record + account.BALANCE, known.balance)
        write_int(record + account.NONCE, known.nonce)
        write_int(record + account.CODE, code_record)
        if known.nonce or known.code:
            write_int(record + account.STORAGE_ID, self._storage_id(address))

    def _add_slot(self, owner: int, key: int) -> None:
        machine = self._machine
        if owner == BLOCK_HASHES:
            value = self._source.block_hash(key)
        else:
            address = self._addresses[owner - CHAIN_STORAGE]
            value = self._source.slot(address, key, self._call_of(address))
        machine.set(context.FORKED, 0)
        try:
            entry = machine.accounts.entry_of(owner, key)
        finally:
            machine.set(context.FORKED, 1)
        write_word(entry + slot.VALUE, value)

    def _call_of(self, address: int) -> RunningCall | None:
        machine = self._machine
        if not machine.running or machine.get_word(context.ADDRESS) != address:
            return None
        size = machine.get(context.CALLDATA_SIZE)
        if size > MOST_CALLDATA:
            return None
        data = read_bytes(machine.get(context.CALLDATA), size)
        return RunningCall(machine.get_word(context.CALLER), data)

    def _storage_id(self, address: int) -> int:
        """The same for an address each time, so that its slots are found again after the account was forgotten."""
        if address not in self._storage_ids:
            self._storage_ids[address] = CHAIN_STORAGE + len(self._addresses)
            self._addresses.append(address)
        return self._storage_ids[address]

    def _take_over_present_accounts(self) -> None:
        wanted = (calls.ORDINARY, calls.PRECOMPILE)
        records = [
            record for record in self._machine.accounts.all_records() if read_int(record + account.KIND) in wanted
        ]
        addresses = [read_word(record + account.ADDRESS) for record in records]
        for record, address, known in zip(records, addresses, self._source.accounts(addresses), strict=True):
            if read_int(record + account.KIND) == calls.ORDINARY:
                self._fill(record, address, known, self._machine.code_store.register(known.code, code.RUNTIME))
            else:
                write_word(record + account.BALANCE, known.balance)

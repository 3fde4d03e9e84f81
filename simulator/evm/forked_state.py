"""A machine on a forked chain: accounts, slots and block hashes are fetched when the machine first misses them.

What was fetched is written without the journal: it was there all along, so going back never takes it away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from simulator.evm.arenas import read_bytes
from simulator.evm.block import BlockEnvironment
from simulator.evm.host_memory import as_word
from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.exits import MISSING_ACCOUNT, MISSING_SLOT
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import RUNTIME, Code
from simulator.evm.kernel.state.accounts import BLOCK_HASHES, CHAIN_STORAGE
from simulator.evm.machine import Machine

MAX_CALLDATA = 1 << 16
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


def fork_chain(machine: Machine, source: ChainSource, block: BlockEnvironment) -> None:
    """Put a machine on a forked chain, in the environment of the forked block: what it has no record of is fetched
    from `source`. To be called once, before anything is set up. Raises `ChainError`."""
    forked = ForkedState(machine, source, block.number)
    machine.forked = forked
    machine.accounts.fetch_missing = forked.fetch_missing
    machine.set_block(block)


class ForkedState:
    """Joins one machine with a chain. What the machine has by then stays: only balances, nonces and codes of its
    ordinary accounts, which must be empty, and balances of precompiled contracts are those of the chain."""

    def __init__(self, machine: Machine, source: ChainSource, number: int) -> None:
        self._machine = machine
        self._source = source
        self._storage_ids: dict[int, int] = {}
        self._addresses: list[int] = []
        self._take_over_present_accounts()
        machine.context.forked_number = as_word(number)
        machine.context.forked = True

    def fetch_missing(self) -> bool:
        """Fetch what the kernel has missed; false when it has missed nothing. Raises `ChainError`, and nothing has
        changed then."""
        machine = self._machine
        kind, owner, key = (
            machine.context.missing_kind,
            machine.context.missing_owner,
            machine.context.missing,
        )
        machine.context.missing_kind = 0
        if not machine.context.forked or kind not in (MISSING_ACCOUNT, MISSING_SLOT):
            return False
        if kind == MISSING_ACCOUNT:
            self._add_account(key)
        else:
            self._add_slot(owner, key)
        return True

    def has_contract(self, address: int) -> bool:
        """Return whether the chain has a contract at the address. A delegation (EIP-7702) makes an account no
        contract."""
        found = self._source.account(address).code
        return bool(found) and not found.startswith(DELEGATION)

    def vacate(self, address: int) -> None:
        """Let an address on the chain be as if only its balance had ever been there, so that a contract can be deployed
        at it. Not journaled."""
        machine = self._machine
        record = machine.accounts.record(address)
        number = machine.context.next_storage_id
        machine.context.next_storage_id = number + 1
        record.nonce = 0
        record.code = machine.code_store.empty
        record.storage_id = number

    def _add_account(self, address: int) -> None:
        machine = self._machine
        known = self._source.account(address)
        code_record = machine.code_store.register(known.code, RUNTIME)
        machine.context.forked = False
        try:
            record = machine.accounts.record(address)
        finally:
            machine.context.forked = True
        self._fill(record, address, known, code_record)

    def _fill(self, record: Account, address: int, known: ChainAccount, code_record: Code) -> None:
        record.balance = as_word(known.balance)
        record.nonce = known.nonce
        record.code = code_record
        if known.nonce or known.code:
            record.storage_id = self._storage_id(address)

    def _add_slot(self, owner: int, key: int) -> None:
        machine = self._machine
        if owner == BLOCK_HASHES:
            value = self._source.block_hash(key)
        else:
            address = self._addresses[owner - CHAIN_STORAGE]
            value = self._source.slot(address, key, self._call_of(address))
        machine.context.forked = False
        try:
            entry = machine.accounts.entry_of(owner, key)
        finally:
            machine.context.forked = True
        entry.value = as_word(value)

    def _call_of(self, address: int) -> RunningCall | None:
        machine = self._machine
        if not machine.running or machine.context.address != address:
            return None
        size = machine.context.calldata_size
        if size > MAX_CALLDATA:
            return None
        data = read_bytes(machine.context.calldata, size)
        return RunningCall(machine.context.caller, data)

    def _storage_id(self, address: int) -> int:
        """The same for an address each time, so that its slots are found again after the account was forgotten."""
        if address not in self._storage_ids:
            self._storage_ids[address] = CHAIN_STORAGE + len(self._addresses)
            self._addresses.append(address)
        return self._storage_ids[address]

    def _take_over_present_accounts(self) -> None:
        wanted = (calls.ORDINARY, calls.PRECOMPILE)
        records = [record for record in self._machine.accounts.all_records() if record.kind in wanted]
        addresses: list[int] = [record.address for record in records]
        for record, address, known in zip(records, addresses, self._source.accounts(addresses), strict=True):
            if record.kind == calls.ORDINARY:
                self._fill(record, address, known, self._machine.code_store.register(known.code, RUNTIME))
            else:
                record.balance = as_word(known.balance)

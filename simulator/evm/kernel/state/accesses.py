"""The record of slots read and written and of accounts looked at, while the host's cheatcodes ask for one."""

from __future__ import annotations

from simulator.evm.kernel.layout.access import Access
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.state.accounts import is_empty
from simulator.evm.kernel.words import Word


@kernel
def append_access(machine: Context, kind: int, key: Word, before: Word, after: Word) -> Access:
    """Append a record and return its address; those beyond the limit are lost, 0 for them. Reverting frames take
    nothing back."""
    count = machine.accesses_count
    if count >= machine.accesses_limit:
        return Access(0)
    record = machine.accesses[count]
    record.account = machine.account
    record.kind = kind
    record.key = key
    record.before = before
    record.after = after
    machine.accesses_count = count + 1
    return record


@kernel
def append_look(machine: Context, opcode: int, other: Account, received: Word) -> None:
    """Append that an instruction looked at an account, which gets some wei by it."""
    balance = other.balance
    record = append_access(machine, opcode, other.address, balance, balance + received)
    if record:
        record.nonce = other.nonce
        record.is_present = not is_empty(machine, other)

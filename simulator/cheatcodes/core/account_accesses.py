"""The record behind `startStateDiffRecording`: calls, creations and looks at accounts, with the slots used in each.

Entries of a frame stand together, the one that began it first, and join those of its caller when it ends; so they come
out in the order of execution, and a frame that fails marks everything in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from simulator.cheatcodes.core.frames import EndedFrame, EnteredFrame
from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.layout import access
from simulator.evm.kernel.layout.access import Access
from simulator.evm.machine import Machine

if TYPE_CHECKING:
    from simulator.abi.types import Value

MAX_ENTRIES = 1 << 16
THE_FORK = 0


class AccessKind(IntEnum):
    """forge-std's `AccountAccessKind`."""

    CALL = 0
    DELEGATECALL = 1
    CALLCODE = 2
    STATICCALL = 3
    CREATE = 4
    SELFDESTRUCT = 5
    RESUME = 6
    BALANCE = 7
    EXTCODESIZE = 8
    EXTCODEHASH = 9
    EXTCODECOPY = 10


_CALLS = {
    calls.CALL: AccessKind.CALL,
    calls.DELEGATECALL: AccessKind.DELEGATECALL,
    calls.CALLCODE: AccessKind.CALLCODE,
    calls.STATICCALL: AccessKind.STATICCALL,
    calls.CREATE: AccessKind.CREATE,
    calls.CREATE2: AccessKind.CREATE,
}
_LOOKS = {
    access.BALANCE: AccessKind.BALANCE,
    access.EXTCODESIZE: AccessKind.EXTCODESIZE,
    access.EXTCODEHASH: AccessKind.EXTCODEHASH,
    access.EXTCODECOPY: AccessKind.EXTCODECOPY,
    access.SELFDESTRUCT: AccessKind.SELFDESTRUCT,
}


@dataclass
class SlotAccess:
    """A slot that was read or written; `account` owns it."""

    account: int
    key: int
    is_write: bool
    before: int
    after: int
    reverted: bool = False

    @property
    def values(self) -> tuple[Value, ...]:
        """forge-std's `StorageAccess`."""
        key, before, after = (number.to_bytes(32, "big") for number in (self.key, self.before, self.after))
        return self.account, key, self.is_write, before, after, self.reverted


@dataclass
class AccountAccess:
    """A call, a creation, a look at an account, or what continues in a frame behind one of those (RESUME). `target` is
    the account that a call acts as. `depth` is that of the frame that a call begins, one more than that of the frame
    that looks."""

    chain_id: int
    kind: AccessKind
    account: int
    accessor: int
    initialized: bool
    target: int = 0
    depth: int = 0
    balances: tuple[int, int] = (0, 0)
    nonces: tuple[int, int] = (0, 0)
    value: int = 0
    data: bytes = b""
    deployed_code: bytes = b""
    reverted: bool = False
    slots: list[SlotAccess] = field(default_factory=list)

    @property
    def values(self) -> tuple[Value, ...]:
        """forge-std's `AccountAccess`."""
        return (
            (THE_FORK, self.chain_id),
            int(self.kind),
            self.account,
            self.accessor,
            self.initialized,
            *self.balances,
            self.deployed_code,
            self.value,
            self.data,
            self.reverted,
            tuple(each.values for each in self.slots),
            self.depth,
            *self.nonces,
        )


class AccessRecorder:
    """Follows a machine's frames from the moment that it is made. Holds at most MAX_ENTRIES entries; what comes behind
    them is lost."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._open: list[list[AccountAccess]] = []
        self._seen = machine.context.accesses_count
        self._count = 0

    def entries(self) -> list[AccountAccess]:
        """Everything so far. To be asked while a cheatcode runs."""
        self._take(self._machine.context.depth - 1)
        return [each for group in self._open for each in group]

    def begin(self, entered: EnteredFrame) -> None:
        """A frame begins."""
        depth = self._machine.context.depth
        self._take(depth - 1)
        if depth > 0:
            self._open.append([_beginning(entered, depth)])

    def end(self, ended: EndedFrame) -> None:
        """The innermost frame has ended, and what it did is undone if it failed."""
        self._take(ended.depth)
        if ended.depth == 0 or not self._open:
            return
        group = self._open.pop()
        if not ended.succeeded:
            _mark_reverted(group)
        if group and group[0].depth == ended.depth:
            _complete(group[0], ended)
        if self._count > MAX_ENTRIES:
            group.clear()
        self._count += len(group)
        if self._open:
            self._open[-1] += group
        else:
            self._open.append(group)

    def _take(self, depth: int) -> None:
        """Take over what the kernel recorded since the last time; it happened in the frame at `depth`."""
        context = self._machine.context
        count = context.accesses_count
        for index in range(self._seen, count):
            if self._count < MAX_ENTRIES:
                self._add(context.accesses[index], depth)
        self._seen = count

    def _add(self, entry: Access, depth: int) -> None:
        kind = entry.kind
        if kind in _LOOKS:
            self._count += 1
            self._look(_look_at(self._machine, entry, _LOOKS[kind], depth + 1))
        elif self._open and self._open[-1] and self._open[-1][0].depth <= depth:
            self._count += 1
            self._slot(self._open[-1], _slot_access(entry))

    def _look(self, look: AccountAccess) -> None:
        if self._open:
            self._open[-1].append(look)
        elif look.kind is not AccessKind.SELFDESTRUCT:
            self._open.append([look])

    def _slot(self, group: list[AccountAccess], slot: SlotAccess) -> None:
        """Slots belong to the frame's own entry until something comes between."""
        last, first = group[-1], group[0]
        if len(group) > 1 and last.kind is not AccessKind.RESUME:
            last = AccountAccess(
                first.chain_id,
                AccessKind.RESUME,
                first.account,
                first.accessor,
                first.initialized,
                depth=first.depth,
                reverted=first.reverted,
            )
            group.append(last)
        last.slots.append(slot)


def _beginning(entered: EnteredFrame, depth: int) -> AccountAccess:
    machine = entered.machine
    kind = _CALLS[machine.context.frame.kind]
    value = machine.context.callvalue
    begun = AccountAccess(
        chain_id=machine.context.chainid,
        kind=kind,
        account=entered.code_address,
        accessor=machine.context.caller,
        initialized=True,
        target=machine.context.address,
        depth=depth,
        value=value,
        data=entered.data,
    )
    if kind is AccessKind.CREATE:
        begun.account = begun.target
        begun.data = machine.code_store.data_of(machine.context.code)
        return begun
    address = begun.target
    moved = value if kind is AccessKind.CALL and begun.accessor != address else 0
    balance = machine.get_balance(address) - moved
    nonce = machine.get_nonce(address)
    begun.balances, begun.nonces = (balance, 0), (nonce, 0)
    begun.initialized = bool(balance or nonce or machine.get_code(address))
    return begun


def _complete(begun: AccountAccess, ended: EndedFrame) -> None:
    """Complete the entry of the account whose context the frame had."""
    machine, address = ended.machine, begun.target
    if begun.kind is AccessKind.CREATE and not ended.succeeded:
        return
    begun.balances = begun.balances[0], machine.get_balance(address)
    begun.nonces = begun.nonces[0], machine.get_nonce(address)
    if begun.kind is AccessKind.CREATE:
        begun.deployed_code = machine.get_code(address)


def _mark_reverted(group: list[AccountAccess]) -> None:
    for each in group:
        each.reverted = True
        for slot in each.slots:
            slot.reverted = True


def _look_at(machine: Machine, entry: Access, kind: AccessKind, depth: int) -> AccountAccess:
    before, after = entry.before, entry.after
    nonce = entry.nonce
    return AccountAccess(
        chain_id=machine.context.chainid,
        kind=kind,
        account=entry.key,
        accessor=entry.account.address,
        initialized=entry.is_present,
        depth=depth,
        balances=(before, after),
        nonces=(nonce, nonce),
        value=after - before,
    )


def _slot_access(entry: Access) -> SlotAccess:
    return SlotAccess(
        account=entry.account.address,
        key=entry.key,
        is_write=entry.kind == access.WRITE,
        before=entry.before,
        after=entry.after,
    )

"""`setArbitraryStorage`: slots of an account that were never written hold arbitrary words.

The kernel asks for such slots as it asks for those of a forked chain. A word follows from account and slot, so that
what is found with it happens again.
"""

from __future__ import annotations

from simulator.abi.hashing import keccak256
from simulator.cheatcodes.core.errors import UnsupportedError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import ArbitrarySlots, Session
from simulator.evm.host_memory import as_word
from simulator.evm.kernel.exits import MISSING_ACCOUNT, MISSING_SLOT
from simulator.evm.kernel.state.accounts import CHAIN_STORAGE
from simulator.evm.machine import Machine


class ArbitraryStorage:
    """Arbitrary slots of one machine, which is on no forked chain."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._numbers: dict[tuple[int, int], int] = {}
        self._sources: list[int] = []
        machine.accounts.fetch_missing = self._fetch_missing

    def begin(self, address: int, source: int, *, keeps: bool) -> None:
        """Let an account have the arbitrary slots of `source`, which may be itself; with `keeps`, beside the values
        that it has. Journaled."""
        machine = self._machine
        record = machine.accounts.record(address)
        old = record.storage_id
        number = self._numbers.setdefault((address, source), CHAIN_STORAGE + len(self._sources))
        if number - CHAIN_STORAGE == len(self._sources):
            self._sources.append(source)
        machine.context.forked = True
        if old == number:
            return
        values = [(key, value) for owner, key, value in machine.accounts.all_slots() if owner == old]
        machine.note(record.identity_cell)
        record.storage_id = number
        for key, value in values if keeps else ():
            machine.accounts.set_slot(record, key, value)

    def source_of(self, address: int) -> int | None:
        """Whose arbitrary slots an account has, if it has any."""
        number = self._machine.accounts.record(address).storage_id - CHAIN_STORAGE
        return self._sources[number] if 0 <= number < len(self._sources) else None

    def _fetch_missing(self) -> bool:
        context = self._machine.context
        kind, owner, key = context.missing_kind, context.missing_owner, context.missing
        context.missing_kind = 0
        if not context.forked or kind not in (MISSING_ACCOUNT, MISSING_SLOT):
            return False
        context.forked = False
        try:
            if kind == MISSING_ACCOUNT:
                self._machine.accounts.record(key)
            else:
                self._machine.accounts.entry_of(owner, key).value = as_word(self._word(owner, key))
        finally:
            context.forked = True
        return True

    def _word(self, owner: int, key: int) -> int:
        number = owner - CHAIN_STORAGE
        if not 0 <= number < len(self._sources):
            return 0  # a block's hash
        preimage = b"arbitrary" + self._sources[number].to_bytes(32, "big") + key.to_bytes(32, "big")
        return int.from_bytes(keccak256(preimage), "big")


def _storage(vm: Session) -> ArbitrarySlots:
    """That of the machine, made when it is first asked for. Raises `UnsupportedError` on a forked chain."""
    if vm.fork is not None:
        text = "the cheatcode vm.setArbitraryStorage is not supported on a forked chain"
        vm.warn_once(text)
        raise UnsupportedError(text)
    if vm.arbitrary is None:
        vm.arbitrary = ArbitraryStorage(vm.machine)
    return vm.arbitrary


@cheatcode("setArbitraryStorage(address)")
def set_arbitrary(vm: Session, address: int) -> None:
    _storage(vm).begin(vm.changeable(address), address, keeps=True)


@cheatcode("setArbitraryStorage(address,bool)")
def set_arbitrary_over(vm: Session, address: int, overwrites: bool) -> None:
    _storage(vm).begin(vm.changeable(address), address, keeps=not overwrites)

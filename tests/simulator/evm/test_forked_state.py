"""A machine on a forked chain: the same results and gas as on a machine that holds the chain's state itself."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from simulator.errors import ChainUnavailableError
from simulator.evm.addresses import contract_address
from simulator.evm.assembly import assemble
from simulator.evm.block import BlockEnvironment
from simulator.evm.forked_state import ChainAccount, RunningCall, fork_chain
from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.results import Result, Status

ALICE, RICH, CONTRACT, DELEGATED, ABSENT = 0xA11CE, 0xB0B, 0xC0DE, 0xDE1E, 0xAB5E
BLOCK = BlockEnvironment(number=1000, timestamp=5000, coinbase=0xC0, chain_id=10, base_fee=7)
RETURN_TOP = "0 MSTORE 32 0 RETURN"
LOAD = assemble("0 CALLDATALOAD SLOAD " + RETURN_TOP)


@dataclass
class Chain:
    """A `ChainSource` that counts what it is asked, and can be out of reach."""

    state: dict[int, ChainAccount] = field(default_factory=dict)
    slots: dict[tuple[int, int], int] = field(default_factory=dict)
    asked: list[object] = field(default_factory=list)
    calls: list[RunningCall | None] = field(default_factory=list)
    away: bool = False

    def account(self, address: int) -> ChainAccount:
        return self.accounts([address])[0]

    def accounts(self, addresses: list[int]) -> list[ChainAccount]:
        self._ask(*addresses)
        return [self.state.get(address, ChainAccount()) for address in addresses]

    def slot(self, address: int, key: int, call: RunningCall | None = None) -> int:
        self._ask((address, key))
        self.calls.append(call)
        return self.slots.get((address, key), 0)

    def block_hash(self, number: int) -> int:
        self._ask(f"block {number}")
        return 0xB10C + number

    def _ask(self, *what: object) -> None:
        if self.away:
            raise ChainUnavailableError("away")
        self.asked += what


def chain_with(code: bytes) -> Chain:
    return Chain(
        {
            CONTRACT: ChainAccount(50, 3, code),
            RICH: ChainAccount(10**18),
            DELEGATED: ChainAccount(1, 1, b"\xef\x01\x00" + CONTRACT.to_bytes(20, "big")),
            1: ChainAccount(77),
        },
        {(CONTRACT, 1): 11, (CONTRACT, 2): 22},
    )


def forked(kernel: Kernel, chain: Chain, fork: str = "prague") -> Machine:
    machine = Machine(kernel, Host, fork=fork)
    fork_chain(machine, chain, BLOCK)
    chain.asked.clear()
    return machine


def settled(kernel: Kernel, chain: Chain, fork: str = "prague") -> Machine:
    """A machine that holds everything itself."""
    machine = Machine(kernel, Host, fork=fork)
    for address, known in chain.state.items():
        if address > 0x11:
            slots = {key: value for (owner, key), value in chain.slots.items() if owner == address}
            machine.set_account(address, balance=known.balance, nonce=known.nonce, code=known.code, storage=slots)
        else:
            machine.set_balance(address, known.balance)
    machine.set_block(BLOCK)
    return machine


PROGRAMS = {
    "slots": "1 SLOAD 2 SLOAD ADD 3 SLOAD ADD 1 SLOAD ADD " + RETURN_TOP,
    "writes": "0 1 SSTORE 5 2 SSTORE 9 9 SSTORE 0 9 SSTORE 22 2 SSTORE 1 SLOAD " + RETURN_TOP,
    "balances": f"{RICH} BALANCE {ABSENT} BALANCE {RICH} BALANCE 1 BALANCE ADD ADD ADD SELFBALANCE ADD " + RETURN_TOP,
    "codes": f"{DELEGATED} EXTCODESIZE {ABSENT} EXTCODEHASH {RICH} EXTCODEHASH ADD ADD {CONTRACT} EXTCODEHASH ADD "
    + RETURN_TOP,
    "code bytes": f"30 0 0 {DELEGATED} EXTCODECOPY 0 MLOAD " + RETURN_TOP,
    "value to nobody": f"0 0 0 0 3 {ABSENT} GAS CALL {ABSENT} BALANCE ADD " + RETURN_TOP,
    "value to somebody": f"0 0 0 0 3 {RICH} GAS CALL 0 0 0 0 1 1 GAS CALL ADD " + RETURN_TOP,
    "self-destruct": f"{RICH} SELFDESTRUCT",
    "creation": "0 0 0 CREATE 7 0 0 0 CREATE2 ADD " + RETURN_TOP,
    "environment": "NUMBER TIMESTAMP ADD COINBASE ADD CHAINID ADD BASEFEE ADD COINBASE BALANCE ADD " + RETURN_TOP,
    "transient": "5 1 TSTORE 1 TLOAD " + RETURN_TOP,
    "revert": "7 1 SSTORE 0 0 REVERT",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("target", [CONTRACT, DELEGATED])
def test_a_program_runs_as_if_all_state_were_here(kernel: Kernel, name: str, target: int) -> None:
    """Output, gas, refund, and the state left behind; twice, so that fetched state is seen to be kept."""
    chain = chain_with(assemble(PROGRAMS[name]))
    machines = forked(kernel, chain), settled(kernel, chain)
    for _ in range(2):
        results = [machine.transact(sender=ALICE, to=target, gas=1_000_000, mint=False) for machine in machines]
        assert results[0] == results[1]
        for address in (CONTRACT, RICH, ABSENT, ALICE, 1):
            left, right = (
                (machine.get_balance(address), machine.get_nonce(address), machine.get_code(address))
                for machine in machines
            )
            assert left == right
        for key in (1, 2, 3, 9):
            assert machines[0].get_storage(target, key) == machines[1].get_storage(target, key)


def test_each_thing_is_fetched_once_and_never_rolled_back(kernel: Kernel) -> None:
    """Not by a revert, not by going back."""
    chain = chain_with(assemble(f"1 SLOAD POP {RICH} BALANCE POP 9 1 SSTORE 0 0 REVERT"))
    machine = forked(kernel, chain)
    for _ in range(3):
        mark = machine.mark()
        assert machine.transact(sender=ALICE, to=CONTRACT, gas=100_000).status is Status.REVERT
        machine.rollback(mark)
    assert chain.asked == [CONTRACT, ALICE, (CONTRACT, 1), RICH]
    assert machine.get_storage(CONTRACT, 1) == 11
    assert machine.get_balance(RICH) == 10**18


def test_the_host_sees_the_chain(kernel: Kernel) -> None:
    """As cheatcodes do: reading fetches, writing stands above the chain and can be undone."""
    machine = forked(kernel, chain_with(LOAD))
    mark = machine.mark()
    machine.set_storage(CONTRACT, 1, 5)
    machine.set_balance(RICH, 6)
    machine.set_code(CONTRACT, b"\x00")
    assert (machine.get_storage(CONTRACT, 1), machine.get_balance(RICH), machine.get_code(CONTRACT)) == (5, 6, b"\x00")
    machine.rollback(mark)
    assert (machine.get_storage(CONTRACT, 1), machine.get_balance(RICH), machine.get_code(CONTRACT)) == (
        11,
        10**18,
        LOAD,
    )
    assert (machine.get_nonce(CONTRACT), machine.get_storage(ABSENT, 1)) == (3, 0)


def slot_of(machine: Machine, key: int) -> int:
    result = machine.transact(sender=ALICE, to=CONTRACT, data=key.to_bytes(32, "big"), gas=100_000)
    assert result.success
    return int.from_bytes(result.output, "big")


def test_what_was_written_over_the_chain_survives_recycling(kernel: Kernel) -> None:
    """A zero too: the chain still holds another value there. What was forgotten is the same when it comes again."""
    chain = chain_with(LOAD)
    machine = forked(kernel, chain)
    machine.set_storage(CONTRACT, 1, 0)
    machine.seal()
    machine.get_balance(RICH)
    machine.recycle()
    assert (slot_of(machine, 1), slot_of(machine, 2), slot_of(machine, 3)) == (0, 22, 0)
    assert machine.get_balance(RICH) == 10**18


def test_slots_of_a_forgotten_account_are_found_again(kernel: Kernel) -> None:
    """An account that appeared after sealing keeps its storage id, so that its slots are fetched once."""
    chain = chain_with(LOAD)
    machine = forked(kernel, chain)
    machine.seal()
    assert slot_of(machine, 2) == 22
    machine.recycle()
    chain.asked.clear()
    assert slot_of(machine, 2) == 22
    assert (CONTRACT, 2) not in chain.asked


def test_more_slots_than_the_map_had_room_for(kernel: Kernel) -> None:
    """The map grows in the middle of an instruction that waits for the chain, and its entries stay right."""
    count = 5000 if kernel.compiled else 4200
    chain = chain_with(assemble(f"0 JUMPDEST DUP1 SLOAD POP 1 ADD DUP1 {count} GT PUSH2 2 JUMPI 1 SLOAD " + RETURN_TOP))
    machine = forked(kernel, chain)
    result = machine.transact(sender=ALICE, to=CONTRACT, gas=100_000_000)
    assert int.from_bytes(result.output, "big") == 11
    assert sum(isinstance(each, tuple) for each in chain.asked) == count


def test_contracts_made_here_are_not_looked_for_on_the_chain(kernel: Kernel) -> None:
    """Neither they nor their slots, nor what they create; what a contract of the chain creates is."""
    creator = assemble("1 SLOAD POP 0 0 0 CREATE POP 7 0 0 0 CREATE2 POP STOP")
    chain = chain_with(creator)
    machine = forked(kernel, chain)
    here = contract_address(ALICE, 0)
    head = assemble(f"PUSH1 {len(creator)} PUSH1 12 0 CODECOPY PUSH1 {len(creator)} 0 RETURN")
    created = machine.transact(sender=ALICE, to=None, data=head + creator, gas=1_000_000)
    assert created.created == here
    chain.asked.clear()
    machine.transact(sender=ALICE, to=here, gas=1_000_000)
    assert chain.asked == []
    machine.transact(sender=ALICE, to=CONTRACT, gas=1_000_000)
    assert (CONTRACT, 1) in chain.asked
    assert contract_address(CONTRACT, 3) in chain.asked


def test_a_destroyed_contract_leaves_no_storage(kernel: Kernel) -> None:
    """Before Cancun it vanishes with its slots; those of the chain do not shine through."""
    chain = chain_with(assemble(f"{RICH} SELFDESTRUCT"))
    machine = forked(kernel, chain, "shanghai")
    mark = machine.mark()
    machine.transact(sender=ALICE, to=CONTRACT, gas=100_000)
    assert (machine.get_code(CONTRACT), machine.get_storage(CONTRACT, 1)) == (b"", 0)
    machine.rollback(mark)
    assert machine.get_storage(CONTRACT, 1) == 11


@pytest.mark.parametrize(
    ("number", "back", "expected"),
    [(1000, 1, "999"), (1000, 256, "744"), (1000, 257, 0), (1000, 0, 0), (1010, 10, "1000"), (1010, 9, None)],
)
def test_hashes_of_the_chains_blocks(kernel: Kernel, number: int, back: int, expected: str | int | None) -> None:
    """The last 256, up to the forked block; later blocks are simulated ones."""
    chain = chain_with(assemble(f"{number - back} BLOCKHASH " + RETURN_TOP))
    machine, plain = forked(kernel, chain), settled(kernel, chain)
    machine.number = plain.number = number
    found, simulated = (
        int.from_bytes(each.transact(sender=ALICE, to=CONTRACT, gas=100_000).output, "big") for each in (machine, plain)
    )
    assert found == (simulated if expected is None else 0xB10C + int(expected) if expected else 0)
    assert [each for each in chain.asked if isinstance(each, str)] == ([f"block {expected}"] if expected else [])


def transact(machine: Machine) -> Result:
    return machine.transact(sender=ALICE, to=CONTRACT, gas=1_000_000)


def test_a_chain_that_is_away_ends_the_transaction_not_the_machine(kernel: Kernel) -> None:
    """After going back everything is as before, and the next attempt may succeed."""
    chain = chain_with(assemble(f"5 3 SSTORE 1 SLOAD {RICH} BALANCE ADD " + RETURN_TOP))
    machine = forked(kernel, chain)
    machine.get_storage(CONTRACT, 3)
    machine.get_balance(ALICE)
    mark = machine.mark()
    chain.away = True
    with pytest.raises(ChainUnavailableError):
        transact(machine)
    machine.rollback(mark)
    assert machine.get_storage(CONTRACT, 3) == 0
    chain.away = False
    assert int.from_bytes(transact(machine).output, "big") == 11 + 10**18


def test_an_address_is_cleared_for_a_deployment(kernel: Kernel) -> None:
    """Only its balance stays: no nonce, no code, no storage of the chain."""
    machine = forked(kernel, chain_with(LOAD))
    assert machine.forked is not None
    assert (machine.forked.has_contract(CONTRACT), machine.forked.has_contract(RICH)) == (True, False)
    assert not machine.forked.has_contract(DELEGATED)
    machine.forked.vacate(CONTRACT)
    assert (machine.get_nonce(CONTRACT), machine.get_code(CONTRACT), machine.get_storage(CONTRACT, 1)) == (0, b"", 0)
    assert machine.get_balance(CONTRACT) == 50


def test_without_a_chain_nothing_is_missing(kernel: Kernel) -> None:
    """Unknown accounts are empty, as ever."""
    machine = Machine(kernel, Host)
    machine.set_account(CONTRACT, code=assemble(f"{RICH} BALANCE 1 SLOAD ADD " + RETURN_TOP))
    assert transact(machine).output == bytes(32)


def test_a_source_hears_which_call_needs_the_slot(kernel: Kernel) -> None:
    """So that it can find out what else the call will need; nothing is known of reads by the host."""
    chain = chain_with(LOAD)
    machine = forked(kernel, chain)
    slot_of(machine, 2)
    machine.get_storage(CONTRACT, 3)
    assert chain.calls == [RunningCall(ALICE, (2).to_bytes(32, "big")), None]

"""Storage, balances, creation and destruction, and going back."""

from __future__ import annotations

import pytest

from simulator.errors import KernelError
from simulator.evm.addresses import contract_address
from simulator.evm.assembly import assemble
from simulator.evm.host import Host
from simulator.evm.kernel.layout.journal_entry import JournalEntry
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.results import Status

ALICE, BOB, CONTRACT = 0xA11CE, 0xB0B, 0xC0DE
RETURN_TOP = "0 MSTORE 32 0 RETURN"


@pytest.fixture
def machine(kernel: Kernel) -> Machine:
    return Machine(kernel, Host)


def creation_of(runtime: bytes) -> bytes:
    """Creation code that deploys these bytes."""
    head = f"PUSH2 {len(runtime)} PUSH1 14 0 CODECOPY PUSH2 {len(runtime)} 0 RETURN"
    assert len(assemble(head)) == 14
    return assemble(head) + runtime


def test_rollback_restores_everything_that_a_transaction_changed(machine: Machine) -> None:
    """Slots, balances, nonces, codes and created accounts are as they were at the mark."""
    child = creation_of(assemble("1 " + RETURN_TOP)).ljust(32, b"\0")
    code = assemble(f"42 7 SSTORE 0x{child.hex()} 0 MSTORE 32 0 5 CREATE POP 0 0 0 0 3 {BOB} GAS CALL POP STOP")
    machine.set_account(CONTRACT, code=code, balance=100, storage={7: 1})
    mark = machine.mark()
    result = machine.transact(sender=ALICE, to=CONTRACT, gas=1_000_000)
    created = contract_address(CONTRACT, 0)
    assert result.status is Status.STOP
    assert machine.get_storage(CONTRACT, 7) == 42
    assert (machine.get_balance(BOB), machine.get_balance(created), machine.get_balance(CONTRACT)) == (3, 5, 92)
    assert (machine.get_nonce(CONTRACT), machine.get_nonce(created)) == (1, 1)
    assert machine.get_code(created)
    machine.rollback(mark)
    assert machine.get_storage(CONTRACT, 7) == 1
    assert (machine.get_balance(BOB), machine.get_balance(created), machine.get_balance(CONTRACT)) == (0, 0, 100)
    assert (machine.get_nonce(CONTRACT), machine.get_nonce(created)) == (0, 0)
    assert machine.get_code(created) == b""


def test_a_reverted_frame_leaves_no_trace_but_its_output(machine: Machine) -> None:
    """Storage, logs and refund of the failing callee are gone; the caller continues."""
    machine.set_account(BOB, code=assemble("9 1 SSTORE 0 0 LOG0 7 0 MSTORE 32 0 REVERT"))
    machine.set_account(CONTRACT, code=assemble(f"0 0 LOG0 32 0 0 0 0 {BOB} GAS CALL 1 ADD 32 MSTORE 64 0 RETURN"))
    result = machine.transact(sender=ALICE, to=CONTRACT, gas=1_000_000)
    assert result.output == (7).to_bytes(32, "big") + (1).to_bytes(32, "big")
    assert len(result.logs) == 1
    assert machine.get_storage(BOB, 1) == 0


def test_minted_value_is_taken_back_when_the_transaction_fails(machine: Machine) -> None:
    """With fuzz accounting the sender never pays; a failed transaction leaves no value behind."""
    machine.set_account(CONTRACT, code=assemble("0 0 REVERT"))
    assert machine.transact(sender=ALICE, to=CONTRACT, value=5, gas=100_000).status is Status.REVERT
    assert machine.get_balance(CONTRACT) == 0
    machine.set_account(CONTRACT, code=b"")
    machine.transact(sender=ALICE, to=CONTRACT, value=5, gas=100_000)
    assert (machine.get_balance(CONTRACT), machine.get_balance(ALICE)) == (5, 0)


def test_moved_value_leaves_the_sender(machine: Machine) -> None:
    """Without minting, value comes out of the sender's balance."""
    machine.set_account(ALICE, balance=10)
    machine.transact(sender=ALICE, to=BOB, value=4, gas=100_000, mint=False)
    assert (machine.get_balance(ALICE), machine.get_balance(BOB)) == (6, 4)


def test_create2_uses_sender_salt_and_code(machine: Machine) -> None:
    """The first example of EIP-1014, by a contract at address 0 with code 0x00."""
    machine.set_account(0, code=assemble("0 1 0 0 CREATE2 " + RETURN_TOP))
    created = machine.transact(sender=ALICE, to=0, gas=1_000_000).output
    assert created[12:].hex() == "4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38"


def test_a_creation_transaction_deploys_and_reports_the_address(machine: Machine) -> None:
    """The address follows from sender and nonce, and the nonce grows."""
    runtime = assemble("1 " + RETURN_TOP)
    result = machine.transact(sender=ALICE, to=None, data=creation_of(runtime), gas=1_000_000)
    assert result.created == contract_address(ALICE, 0)
    assert machine.get_code(result.created or 0) == runtime
    assert machine.get_nonce(ALICE) == 1


@pytest.mark.parametrize(
    ("runtime", "status"),
    [(b"\xef", Status.INVALID_CODE), (bytes(24577), Status.CODE_TOO_LARGE), (bytes(5000), Status.OUT_OF_GAS)],
)
def test_bad_runtime_code_fails_the_creation(runtime: bytes, status: Status, machine: Machine) -> None:
    """EIP-3541, EIP-170, and the deposit of 200 gas a byte."""
    gas = 1_000_000 if status is Status.OUT_OF_GAS else 10_000_000
    result = machine.transact(sender=ALICE, to=None, data=creation_of(runtime), gas=gas)
    assert result.status is status
    assert result.created is None


def test_a_taken_address_is_a_collision(machine: Machine) -> None:
    """Nothing of the account there changes, and all gas is gone."""
    machine.set_account(contract_address(ALICE, 0), code=b"\x01")
    result = machine.transact(sender=ALICE, to=None, data=creation_of(b"\x02"), gas=1_000_000)
    assert (result.status, result.gas_used) == (Status.CREATE_COLLISION, 1_000_000)
    assert machine.get_code(contract_address(ALICE, 0)) == b"\x01"


@pytest.mark.parametrize(("fork", "code_left"), [("shanghai", False), ("cancun", True)])
def test_selfdestruct_removes_old_contracts_until_cancun(fork: str, code_left: bool, kernel: Kernel) -> None:
    """Since EIP-6780 only contracts of the same transaction vanish; the balance moves in any case."""
    machine = Machine(kernel, Host, fork=fork)
    machine.set_account(CONTRACT, code=assemble(f"{BOB} SELFDESTRUCT"), balance=9, storage={1: 1})
    mark = machine.mark()
    assert machine.transact(sender=ALICE, to=CONTRACT, gas=100_000).success
    assert bool(machine.get_code(CONTRACT)) is code_left
    assert (machine.get_storage(CONTRACT, 1) == 1) is code_left
    assert (machine.get_balance(BOB), machine.get_balance(CONTRACT)) == (9, 0)
    machine.rollback(mark)
    assert (machine.get_balance(CONTRACT), machine.get_storage(CONTRACT, 1)) == (9, 1)


def test_transient_storage_ends_with_the_transaction(machine: Machine) -> None:
    """TLOAD sees what TSTORE wrote, once."""
    machine.set_account(CONTRACT, code=assemble("1 TLOAD 5 1 TSTORE 1 TLOAD ADD " + RETURN_TOP))
    for _ in range(2):
        assert int.from_bytes(machine.transact(sender=ALICE, to=CONTRACT, gas=100_000).output, "big") == 5


@pytest.mark.parametrize("text", ["1 1 SSTORE", "0 0 LOG0", "0 0 0 CREATE", "0 SELFDESTRUCT", "1 1 TSTORE"])
def test_a_static_frame_may_not_write(text: str, machine: Machine) -> None:
    """The callee fails and takes the gas it was given."""
    machine.set_account(BOB, code=assemble(text))
    machine.set_account(CONTRACT, code=assemble(f"0 0 0 0 {BOB} 50000 STATICCALL " + RETURN_TOP))
    result = machine.transact(sender=ALICE, to=CONTRACT, gas=100_000)
    assert result.output == bytes(32)
    assert result.gas_used > 50_000


def test_a_delegatecall_runs_on_the_callers_storage_and_value(machine: Machine) -> None:
    """ADDRESS, CALLER and CALLVALUE are the caller's."""
    machine.set_account(BOB, code=assemble("CALLVALUE 1 SSTORE CALLER 2 SSTORE ADDRESS 3 SSTORE"))
    machine.set_account(CONTRACT, code=assemble(f"0 0 0 0 {BOB} GAS DELEGATECALL " + RETURN_TOP))
    machine.transact(sender=ALICE, to=CONTRACT, value=6, gas=1_000_000)
    assert [machine.get_storage(CONTRACT, key) for key in (1, 2, 3)] == [6, ALICE, CONTRACT]


def test_calls_end_at_depth_1024(compiled: Kernel) -> None:
    """A contract that calls itself without end is stopped by the depth or by the 63/64 rule, not by a crash."""
    machine = Machine(compiled, Host)
    machine.set_account(CONTRACT, code=assemble(f"0 SLOAD 1 ADD 0 SSTORE 0 0 0 0 0 {CONTRACT} GAS CALL STOP"))
    machine.transact(sender=ALICE, to=CONTRACT, gas=1 << 50)
    assert machine.get_storage(CONTRACT, 0) == 1025


def test_precompiles_answer_calls_and_transactions(machine: Machine) -> None:
    """SHA-256 of nothing, by call and directly."""
    digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    machine.set_account(CONTRACT, code=assemble("32 0 0 0 2 GAS STATICCALL POP 32 0 RETURN"))
    assert machine.transact(sender=ALICE, to=CONTRACT, gas=100_000).output.hex() == digest
    direct = machine.transact(sender=ALICE, to=2, gas=100_000)
    assert (direct.output.hex(), direct.gas_used) == (digest, 60)


def test_a_contract_that_touches_thousands_of_slots_makes_the_map_grow(compiled: Kernel) -> None:
    """The growing map keeps values, and a rollback across its move restores them."""
    machine = Machine(compiled, Host)
    loop = "6000 JUMPDEST DUP1 DUP1 SSTORE 1 SWAP1 SUB DUP1 3 JUMPI STOP"
    machine.set_account(CONTRACT, code=assemble(loop), storage={5999: 1})
    mark, capacity = machine.mark(), machine.context.slots_mask
    assert machine.transact(sender=ALICE, to=CONTRACT, gas=1 << 40).success
    assert machine.context.slots_mask > capacity
    assert [machine.get_storage(CONTRACT, key) for key in (1, 3000, 5999)] == [1, 3000, 5999]
    machine.rollback(mark)
    assert [machine.get_storage(CONTRACT, key) for key in (1, 3000, 5999)] == [0, 0, 1]


def test_a_contract_that_touches_thousands_of_accounts_makes_their_index_grow(compiled: Kernel) -> None:
    """Accounts found before are found after."""
    machine = Machine(compiled, Host)
    machine.set_account(77, balance=5)
    machine.set_account(CONTRACT, code=assemble("9000 JUMPDEST DUP1 BALANCE POP 1 SWAP1 SUB DUP1 3 JUMPI STOP"))
    assert machine.transact(sender=ALICE, to=CONTRACT, gas=1 << 40).success
    assert machine.get_balance(77) == 5


def test_a_transaction_that_needs_more_memory_than_there_is_fails_as_such(kernel: Kernel) -> None:
    """The limit is the program's, the status says so, and the machine continues working."""
    machine = Machine(kernel, Host, memory_bytes=1 << 20)
    machine.set_account(CONTRACT, code=assemble("1 0x200000 MSTORE"))
    assert machine.transact(sender=ALICE, to=CONTRACT, gas=1 << 40).status is Status.ARENA_EXHAUSTED
    machine.set_account(CONTRACT, code=assemble("1 1000 MSTORE"))
    assert machine.transact(sender=ALICE, to=CONTRACT, gas=1 << 40).success


def test_dirty_tells_whether_anything_changed(machine: Machine) -> None:
    """Reading and warming do not count; writing the same value does not either."""
    machine.set_account(CONTRACT, code=assemble("0 CALLDATALOAD 1 SSTORE 2 SLOAD POP"), storage={1: 5})
    machine.context.dirty = 0
    machine.transact(sender=ALICE, to=CONTRACT, data=(5).to_bytes(32, "big"), gas=100_000)
    assert machine.context.dirty == 0
    machine.transact(sender=ALICE, to=CONTRACT, data=(6).to_bytes(32, "big"), gas=100_000)
    assert machine.context.dirty != 0


def test_a_full_journal_ends_the_frame_and_a_transaction_cannot_begin_with_one(machine: Machine) -> None:
    """The write that finds no room does not happen; before a transaction it is an error of the host."""
    machine.set_account(CONTRACT, code=assemble("1 1 SSTORE 1 2 SSTORE 1 3 SSTORE"))
    full = machine.mark() + 38 * JournalEntry.SIZE
    machine.context.journal_limit = full
    assert machine.transact(sender=ALICE, to=CONTRACT, gas=1_000_000).status is Status.ARENA_EXHAUSTED
    assert [machine.get_storage(CONTRACT, key) for key in (1, 2, 3)] == [0, 0, 0]
    machine.context.journal_limit = machine.mark()
    with pytest.raises(KernelError, match="cannot begin"):
        machine.transact(sender=ALICE, to=CONTRACT, gas=1_000_000)

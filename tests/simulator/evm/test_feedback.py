"""Feedback for a fuzzer: coverage cells, comparisons, events, the call tree."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.evm.assembly import assemble
from simulator.evm.code_store import CoverageIdentity
from simulator.evm.host import Host
from simulator.evm.kernel.feedback import reads
from simulator.evm.kernel.words import Word
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.results import EmittedLog, Status
from simulator.evm.tracer import CallNode, Tracer

ALICE, BOB, CONTRACT = 0xA11CE, 0xB0B, 0xC0DE
COUNT = (1 << 48) - 1
TAKEN = (1).to_bytes(32, "big")


@pytest.fixture
def machine(kernel: Kernel) -> Machine:
    return Machine(kernel, Host)


def test_cells_count_blocks_and_sides_of_branches(machine: Machine) -> None:
    """Blocks come first, then two cells for each JUMPI: not taken, taken."""
    code = assemble("0 CALLDATALOAD 7 JUMPI INVALID JUMPDEST STOP")
    machine.set_account(CONTRACT, code=code)
    for data in (b"", TAKEN, TAKEN):
        machine.transact(sender=ALICE, to=CONTRACT, data=data, gas=100_000)
    covered = machine.codes[-1]
    assert covered.map.block_starts == (0, 6, 7)
    assert covered.map.block_ends == (6, 7, 9)
    assert covered.map.branches == (5,)
    assert [int(cell) & COUNT for cell in covered.cells] == [3, 1, 2, 1, 2]
    outcomes = [int(cell) >> 56 for cell in covered.cells[:3]]
    assert outcomes == [0, 1 << 3, 1 << 0]


def test_new_coverage_grows_only_with_something_new(machine: Machine) -> None:
    """A block at a depth, an outcome at a block, a side of a branch: each counts once."""
    machine.set_account(CONTRACT, code=assemble("0 CALLDATALOAD 7 JUMPI INVALID JUMPDEST STOP"))
    machine.set_account(BOB, code=assemble(f"0 0 0 0 0 {CONTRACT} 50000 CALL POP"))
    grown = []
    for to, data in ((CONTRACT, b""), (CONTRACT, b""), (CONTRACT, TAKEN), (CONTRACT, TAKEN), (BOB, b""), (BOB, b"")):
        before = machine.context.new_coverage
        machine.transact(sender=ALICE, to=to, data=data, gas=100_000)
        grown.append(machine.context.new_coverage - before)
    # two blocks, one side, one outcome; nothing; a block, a side, an outcome; nothing; then BOB's own two blocks and
    # outcome, and two blocks at depth 1
    assert grown == [4, 0, 3, 0, 5, 0]
    assert [int(cell) >> 48 & 0xFF for cell in machine.codes[0].cells[:3]] == [0b11, 0b11, 0b1]


def test_codes_of_one_identity_share_their_cells(kernel: Kernel) -> None:
    """Two codes that differ in a constant, as immutables make them, count in the same cells."""
    machine = Machine(kernel, Host, identify=lambda code, is_creation: CoverageIdentity("a.sol:A"))
    for address, constant in ((1000, 1), (1001, 2)):
        machine.set_account(address, code=assemble(f"PUSH1 {constant} POP"))
        machine.transact(sender=ALICE, to=address, gas=1000)
    assert len(machine.codes) == 1
    assert machine.codes[0].map.contract == "a.sol:A"
    assert int(machine.codes[0].cells[0]) & COUNT == 2


def test_constructor_arguments_do_not_change_the_identity(kernel: Kernel) -> None:
    """What stands behind `code_size` is data: bytes there that look like JUMPDESTs make no blocks."""
    creation = assemble("0 0 RETURN")
    machine = Machine(
        kernel,
        Host,
        identify=lambda code, is_creation: CoverageIdentity("a.sol:A", len(creation)) if is_creation else None,
    )
    for arguments in (b"", b"\x5b" * 32):
        assert machine.transact(sender=ALICE, to=None, data=creation + arguments, gas=100_000).success
    assert len(machine.codes) == 1
    assert machine.codes[0].map.kind == "creation"


def test_comparisons_are_logged_only_when_asked_for(machine: Machine) -> None:
    """Operands come in the order of the stack, with the program counter."""
    machine.set_account(CONTRACT, code=assemble("7 0 CALLDATALOAD LT POP 9 0 CALLDATALOAD EQ POP"))
    data = (5).to_bytes(32, "big")
    machine.transact(sender=ALICE, to=CONTRACT, data=data, gas=10_000)
    assert machine.context.comparisons_count == 0
    machine.context.comparisons_on = True
    machine.transact(sender=ALICE, to=CONTRACT, data=data, gas=10_000)
    assert machine.context.comparisons_count == 2
    ring = machine.context.comparisons
    first, second = ring[0], ring[1]
    assert (first.left, first.right) == (5, 7)
    assert (second.left, second.right) == (5, 9)
    assert (first.pc, second.pc) == (5, 12)


def test_a_watched_event_is_seen_although_its_frame_reverts(machine: Machine) -> None:
    """The flag stays for the transaction; the log itself does not."""
    machine.set_account(BOB, code=assemble("0xfeed 0 0 LOG1 0 0 REVERT"))
    machine.set_account(CONTRACT, code=assemble(f"0 0 0 0 0 {BOB} GAS CALL"))
    machine.context.watched_topics[0] = Word(0xFEED)
    machine.context.watched_count = 1
    result = machine.transact(sender=ALICE, to=CONTRACT, gas=100_000)
    assert result.logs == ()
    assert machine.context.watched_event
    machine.transact(sender=ALICE, to=ALICE, gas=100_000)
    assert not machine.context.watched_event


def test_logs_carry_address_topics_and_data(machine: Machine) -> None:
    """In order of emission, with memory as it was."""
    machine.set_account(CONTRACT, code=assemble("0xab 0 MSTORE8 2 1 3 0 LOG2 0 0 LOG0"))
    result = machine.transact(sender=ALICE, to=CONTRACT, gas=100_000)
    assert result.logs == (EmittedLog(CONTRACT, (1, 2), b"\xab\0\0"), EmittedLog(CONTRACT, (), b""))


def test_the_block_environment_marks_a_transaction_as_volatile(machine: Machine) -> None:
    """TIMESTAMP does, CALLER does not, and what is marked where it is read does not either."""
    for text, volatile in (("CALLER", 0), ("TIMESTAMP", reads.BLOCK), ("SELFBALANCE", 0), ("1 SLOAD", 0)):
        machine.set_account(CONTRACT, code=assemble(text))
        machine.transact(sender=ALICE, to=CONTRACT, gas=1000)
        assert machine.context.volatile_read == volatile


def test_a_write_makes_dirty_who_read_it(machine: Machine) -> None:
    """Slots, balances and codes each have their readers; a reverted call's marks stay."""
    machine.set_account(BOB, code=assemble("CALLER BALANCE POP 7 SLOAD POP 0 0 REVERT"))
    machine.set_account(CONTRACT, code=assemble(f"0 0 0 0 {BOB} GAS STATICCALL"))
    machine.context.reader = 4
    machine.transact(sender=ALICE, to=CONTRACT, gas=100_000)
    machine.context.reader = 0
    for text, dirty in (("1 7 SSTORE", 4), ("1 8 SSTORE", 0), (f"0 0 0 0 1 {CONTRACT} GAS CALL", 4)):
        machine.set_code(BOB, assemble(text))
        machine.set_balance(BOB, 1)
        machine.context.dirty = 0
        machine.transact(sender=ALICE, to=BOB, gas=100_000)
        assert machine.context.dirty == dirty | reads.ANYTHING, text
    machine.context.dirty = 0
    machine.set_code(CONTRACT, b"")
    assert machine.context.dirty == reads.EVERYTHING


def test_the_tracer_builds_the_tree_of_calls_with_their_logs_in_order(machine: Machine) -> None:
    """Calls, precompiles and creations are nodes; logs stand between them."""
    machine.set_account(BOB, code=assemble("0 0 LOG0 7 0 MSTORE 32 0 REVERT"))
    machine.set_account(
        CONTRACT,
        code=assemble(f"1 0 0 LOG1 0 0 0 0 3 {BOB} GAS CALL POP 2 0 0 LOG1 32 0 0 0 2 GAS STATICCALL POP 0 0 0 CREATE"),
    )
    machine.tracer = Tracer()
    result = machine.transact(sender=ALICE, to=CONTRACT, value=3, data=b"\x01\x02", gas=1_000_000)
    (root,) = machine.tracer.roots
    assert (root.sender, root.to, root.value, root.input) == (ALICE, CONTRACT, 3, b"\x01\x02")
    assert root.gas_used == result.gas_used
    kinds = [item.kind if isinstance(item, CallNode) else item.topics for item in root.items]
    assert kinds == [(1,), "CALL", (2,), "STATICCALL", "CREATE"]
    failed, precompile, creation = root.children
    assert (failed.status, failed.output, failed.value, failed.depth) == (Status.REVERT, (7).to_bytes(32, "big"), 3, 1)
    assert (precompile.to, len(precompile.output)) == (2, 32)
    assert creation.status.success
    assert machine.transact(sender=ALICE, to=CONTRACT, gas=1_000_000).gas_used
    assert len(machine.tracer.roots) == 2


def test_cells_are_a_live_view(machine: Machine) -> None:
    """The array shows the kernel's memory, so reading it costs nothing."""
    machine.set_account(CONTRACT, code=assemble("STOP"))
    cells = machine.codes[0].cells
    assert cells.dtype == np.uint64
    machine.transact(sender=ALICE, to=CONTRACT, gas=1000)
    assert int(cells[0]) & COUNT == 1


def test_statuses_read_as_a_developer_says_them() -> None:
    assert [status.text for status in (Status.STOP, Status.RETURN, Status.REVERT, Status.OUT_OF_GAS)] == [
        "success",
        "success",
        "reverted",
        "out of gas",
    ]

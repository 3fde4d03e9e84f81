"""Cheatcodes that tests use most, where they do what is usual: pranks, time, balances, assertions that hold.

Whatever else is asked (another cheatcode, an assertion that fails, a frame that the host watches) is the host's, see
simulator/cheatcodes; the two must not differ. Where effects outlive the revert of a frame, only the transaction's own
frame is served here: what it does is undone with the transaction alone. A prank outlives even that, so `restore_prank`
begins or ends the last one once more.
"""

from __future__ import annotations

from simulator.evm.kernel.exits import is_traced
from simulator.evm.kernel.feedback.reads import ANYTHING, EVERYTHING, mark_volatile
from simulator.evm.kernel.layout import prank
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory_access import load_u8, load_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.state.accounts import find_account
from simulator.evm.kernel.state.journal import has_room, note_write
from simulator.evm.kernel.status import NEXT_BLOCK, RETURN
from simulator.evm.kernel.words import Word, less_signed, shift_right, word

DEPTH_OF_FIRST_CALL = 1  # that of the frame of a cheatcode which the transaction's own frame asks for
SELECTOR = 4
ONE_WORD, TWO_WORDS = SELECTOR + 32, SELECTOR + 64

PRANK = 0xCA669FA7  # prank(address)
START_PRANK = 0x06447D56  # startPrank(address)
STOP_PRANK = 0x90C5013B  # stopPrank()
WARP = 0xE5D6BF02  # warp(uint256)
ROLL = 0x1F7B4F30  # roll(uint256)
DEAL = 0xC88A5E6D  # deal(address,uint256)
ASSUME = 0x4C63E562  # assume(bool)
ASSERT_TRUE = 0x0C9FD581  # assertTrue(bool)
ASSERT_FALSE = 0xA5982885  # assertFalse(bool)
ASSERT_EQ_UINT = 0x98296C54  # assertEq(uint256,uint256)
ASSERT_EQ_INT = 0xFE74F05B  # assertEq(int256,int256)
ASSERT_EQ_BYTES32 = 0x7C84C69B  # assertEq(bytes32,bytes32)
ASSERT_NOT_EQ_UINT = 0xB7909320  # assertNotEq(uint256,uint256)
ASSERT_LT_UINT = 0xB12FC005  # assertLt(uint256,uint256)
ASSERT_LE_UINT = 0x8466F415  # assertLe(uint256,uint256)
ASSERT_GT_UINT = 0xDB07FCD2  # assertGt(uint256,uint256)
ASSERT_GE_UINT = 0xA8D4D1D9  # assertGe(uint256,uint256)
ASSERT_LT_INT = 0x3E914080  # assertLt(int256,int256)
ASSERT_LE_INT = 0x95FD154E  # assertLe(int256,int256)
ASSERT_GT_INT = 0x5A362D45  # assertGt(int256,int256)
ASSERT_GE_INT = 0x0A30B771  # assertGe(int256,int256)

NO_PRANK, BEGUN, ENDED = 0, 1, 2  # of Context.prank_left


@kernel
def argument(machine: Context, index: int) -> Word:
    return load_word_be(machine.calldata + SELECTOR + 32 * index)


@kernel
def is_address(value: Word) -> bool:
    return shift_right(value, word(160)) == word(0)


@kernel
def selector_of(machine: Context) -> int:
    """The first four bytes of the frame's calldata, which has as many."""
    at = machine.calldata
    return load_u8(at) << 24 | load_u8(at + 1) << 16 | load_u8(at + 2) << 8 | load_u8(at + 3)


@kernel
def holds_one(selector: int, value: Word) -> bool:
    """Return whether an assumption or assertion about one truth value holds."""
    if selector in (ASSUME, ASSERT_TRUE):
        return value == word(1)
    return selector == ASSERT_FALSE and value == word(0)


@kernel
def holds_unsigned(selector: int, left: Word, right: Word) -> bool:
    if selector in (ASSERT_EQ_UINT, ASSERT_EQ_INT, ASSERT_EQ_BYTES32):
        return left == right
    if selector == ASSERT_NOT_EQ_UINT:
        return left != right
    if selector == ASSERT_LT_UINT:
        return left < right
    if selector == ASSERT_LE_UINT:
        return left <= right
    if selector == ASSERT_GT_UINT:
        return left > right
    return selector == ASSERT_GE_UINT and left >= right


@kernel
def holds_signed(selector: int, left: Word, right: Word) -> bool:
    if selector == ASSERT_LT_INT:
        return less_signed(left, right)
    if selector == ASSERT_LE_INT:
        return not less_signed(right, left)
    if selector == ASSERT_GT_INT:
        return less_signed(right, left)
    return selector == ASSERT_GE_INT and not less_signed(left, right)


@kernel
def is_in_force(machine: Context, index: int) -> bool:
    """Return whether a prank record may change a call, be it of another frame."""
    record = machine.pranks[index]
    if record.depth == 0:
        return False
    return not machine.ends_pranks or record.epoch == machine.epoch


@kernel
def write_prank(machine: Context, payer: Account, flags: int, depth: int, caller: Word) -> None:
    """Fill the first record; the host's rules want the number of records to be right."""
    if machine.prank_count == 0:
        note_write(machine, machine.host_cell, EVERYTHING)
        machine.prank_count = 1
    record = machine.pranks[0]
    note_write(machine, record.cell, EVERYTHING)
    note_write(machine, record.caller_cell, EVERYTHING)
    note_write(machine, record.origin_cell, EVERYTHING)
    record.flags = flags
    record.epoch = machine.epoch
    record.payer = payer
    record.caller = caller
    record.origin = word(0)
    record.depth = depth


@kernel
def begin_prank(machine: Context, sender: Word, flags: int) -> int:
    """Begin a prank where no other is in force; the frame that asks is the caller of the running one."""
    if not is_address(sender) or machine.forked:
        return NEXT_BLOCK
    for index in range(machine.prank_count):
        if is_in_force(machine, index):
            return NEXT_BLOCK
    payer = find_account(machine, sender)
    if not payer:
        return NEXT_BLOCK
    machine.pranks[0].spent = False
    write_prank(machine, payer, flags, machine.depth, machine.frame.address)
    machine.prank_left = BEGUN
    machine.prank_flags = flags
    machine.prank_payer = payer
    return RETURN


@kernel
def stop_prank(machine: Context) -> int:
    """Stop a prank that this transaction's own frame began."""
    record = machine.pranks[0]
    if machine.prank_left != BEGUN or record.depth != machine.depth or record.caller != machine.frame.address:
        return NEXT_BLOCK
    note_write(machine, record.cell, EVERYTHING)
    record.depth = 0
    machine.prank_left = ENDED
    return RETURN


@kernel
def restore_prank(machine: Context) -> None:
    """The transaction has failed and was undone: a prank that it began here, or ended, reaches the next one all the
    same, unless the call has come that uses it up."""
    left = machine.prank_left
    if left == NO_PRANK or machine.ends_pranks:
        return
    record = machine.pranks[0]
    if left == BEGUN:
        if record.spent and machine.prank_flags & prank.ONCE:
            return
        write_prank(machine, machine.prank_payer, machine.prank_flags, DEPTH_OF_FIRST_CALL, machine.address)
        return
    note_write(machine, record.cell, EVERYTHING)
    record.depth = 0


@kernel
def set_balance(machine: Context, address: Word, balance: Word) -> int:
    if not is_address(address) or machine.forked:
        return NEXT_BLOCK
    record = find_account(machine, address)
    if not record:
        return NEXT_BLOCK
    note_write(machine, record.balance_cell, EVERYTHING)
    record.balance = balance
    return RETURN


@kernel
def change_by_word(machine: Context, selector: int, value: Word) -> int:
    """The cheatcodes of one word that change something."""
    if selector == PRANK:
        return begin_prank(machine, value, prank.ONCE)
    if selector == START_PRANK:
        return begin_prank(machine, value, 0)
    if selector == WARP:
        note_write(machine, machine.timestamp_cell, EVERYTHING)
        machine.timestamp = value
        return RETURN
    if selector == ROLL:
        note_write(machine, machine.number_cell, EVERYTHING)
        machine.number = value
        return RETURN
    return NEXT_BLOCK


@kernel
def can_change(machine: Context) -> bool:
    """Return whether effects of the frame that asks are undone as the journal does it."""
    if machine.depth == 0 or not has_room(machine):
        return False
    if not machine.effects_outlive_reverts:
        return True
    return machine.depth == DEPTH_OF_FIRST_CALL and machine.followed_epoch != machine.epoch


@kernel
def is_assertion_that_holds(machine: Context, selector: int, size: int) -> bool:
    """It changes nothing, and depends on nothing but its arguments."""
    if size == ONE_WORD:
        return holds_one(selector, argument(machine, 0))
    if size != TWO_WORDS:
        return False
    left, right = argument(machine, 0), argument(machine, 1)
    return holds_unsigned(selector, left, right) or holds_signed(selector, left, right)


@kernel
def run_native_cheatcode(machine: Context, is_delegated: bool) -> int:
    """Serve the running frame, a call to the cheatcodes. Returns RETURN, without output, or NEXT_BLOCK when it is the
    host's."""
    size = machine.calldata_size
    is_served = machine.native_cheatcodes and not is_delegated and size >= SELECTOR and not is_traced(machine)
    selector = selector_of(machine) if is_served else 0
    if is_served and is_assertion_that_holds(machine, selector, size):
        return RETURN
    mark_volatile(machine, ANYTHING)
    if not is_served or machine.recording or not can_change(machine):
        return NEXT_BLOCK
    if size == ONE_WORD:
        return change_by_word(machine, selector, argument(machine, 0))
    if size == TWO_WORDS and selector == DEAL:
        return set_balance(machine, argument(machine, 0), argument(machine, 1))
    if size == SELECTOR and selector == STOP_PRANK:
        return stop_prank(machine)
    return NEXT_BLOCK

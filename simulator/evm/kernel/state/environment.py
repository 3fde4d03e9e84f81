"""Instructions that ask about accounts and about the chain."""

from __future__ import annotations

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory.keccak import keccak
from simulator.evm.kernel.memory_access import store_u8
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.state.accounts import BLOCK_HASHES, is_empty
from simulator.evm.kernel.state.storage import peek_slot
from simulator.evm.kernel.words import Word, is_zero, low, word

BLOCK_HASH_WINDOW = 256
DIGIT_ZERO = 48


@kernel
def block_hash(machine: Context, number: Word) -> Word:
    """Hash of one of the last 256 blocks, else 0. Blocks of a simulated chain have the hash that a cheatcode gave them,
    or that of their number's decimal digits, as in geth's and revm's test chains."""
    current = machine.number
    if number >= current or current - number > word(BLOCK_HASH_WINDOW):
        return word(0)
    given = peek_slot(machine, BLOCK_HASHES, number)
    if given and not is_zero(given.value):
        return given.value
    end = pointer(machine.scratch) + 64
    digits = end
    rest = low(number)
    while True:
        digits -= 1
        store_u8(digits, DIGIT_ZERO + rest % 10)
        rest //= 10
        if rest == 0:
            break
    return keccak(digits, end - digits)


@kernel
def is_forked_block(machine: Context, number: Word) -> bool:
    """Return whether the hash of this block, one of the last 256, is a forked chain's."""
    if not machine.forked or number > machine.forked_number:
        return False
    current = machine.number
    return number < current and current - number <= word(BLOCK_HASH_WINDOW)


@kernel
def code_hash(machine: Context, record: Account) -> Word:
    """EXTCODEHASH: 0 for an empty account (EIP-1052)."""
    if is_empty(machine, record):
        return word(0)
    return record.code.hash


@kernel
def code_size(record: Account) -> Word:
    return word(record.code.bytes_size)

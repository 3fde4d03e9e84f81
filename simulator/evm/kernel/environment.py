"""What instructions ask about accounts and about the chain."""

from __future__ import annotations

from simulator.evm.kernel.accounts import BLOCK_HASHES, is_empty
from simulator.evm.kernel.keccak import keccak
from simulator.evm.kernel.layout import account, code, context, slot
from simulator.evm.kernel.memory_access import load_i64, load_word, store_u8
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.storage import peek_slot
from simulator.evm.kernel.words import Word, is_zero, low, word

BLOCK_HASH_WINDOW = 256
DIGIT_ZERO = 48


@kernel
def block_hash(c: int, number: Word) -> Word:
    """Hash of one of the last 256 blocks, else 0. Blocks of a simulated chain have the hash that a cheatcode gave them,
    or that of their number's decimal digits, as in geth's and revm's test chains."""
    current = load_word(c + context.NUMBER)
    if number >= current or current - number > word(BLOCK_HASH_WINDOW):
        return word(0)
    given = peek_slot(c, BLOCK_HASHES, number)
    if given and not is_zero(load_word(given + slot.VALUE)):
        return load_word(given + slot.VALUE)
    end = c + context.SCRATCH + 64
    start = end
    rest = low(number)
    while True:
        start -= 1
        store_u8(start, DIGIT_ZERO + rest % 10)
        rest //= 10
        if rest == 0:
            break
    return keccak(start, end - start)


@kernel
def is_forked_block(c: int, number: Word) -> bool:
    """Whether the hash of this block, one of the last 256, is a forked chain's."""
    if load_i64(c + context.FORKED) == 0 or number > load_word(c + context.FORKED_NUMBER):
        return False
    current = load_word(c + context.NUMBER)
    return number < current and current - number <= word(BLOCK_HASH_WINDOW)


@kernel
def code_hash(c: int, record: int) -> Word:
    """EXTCODEHASH: 0 for an empty account (EIP-1052)."""
    if is_empty(c, record):
        return word(0)
    return load_word(load_i64(record + account.CODE) + code.HASH)


@kernel
def code_size(record: int) -> Word:
    return word(load_i64(load_i64(record + account.CODE) + code.BYTES_SIZE))

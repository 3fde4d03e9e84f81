"""Random numbers and words (xorshift64, Marsaglia 2003), and the choice of dictionary words."""

from __future__ import annotations

from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import hash_word, is_zero
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.xorshift import xorshift

DRAWS = 8


@kernel
def random_bits(f: int) -> int:
    """The next 64 random bits as a signed integer, never 0."""
    bits = xorshift(load_i64(f + fuzz.RANDOM))
    store_i64(f + fuzz.RANDOM, bits)
    return bits


@kernel
def random_below(f: int, bound: int) -> int:
    """Uniform 0..bound-1 for 1 <= bound <= 2**31; the bias of the multiplication method is below 2**-31 per value."""
    return (((random_bits(f) >> 33) & 0x7FFFFFFF) * bound) >> 31


@kernel
def random_word(f: int, at: int) -> int:
    """Write 256 random bits at `at`."""
    store_i64(at, random_bits(f))
    store_i64(at + 8, random_bits(f))
    store_i64(at + 16, random_bits(f))
    store_i64(at + 24, random_bits(f))
    return 0


@kernel
def seen_word(f: int) -> int:
    """Address of a word seen during execution, 0 when the draw finds none."""
    table = load_i64(f + fuzz.VOLATILE)
    for _ in range(DRAWS):
        place = table + 32 * random_below(f, fuzz.VOLATILE_SIZE)
        if not is_zero(load_word(place)):
            return place
    return 0


@kernel
def dictionary_number(f: int, at: int) -> int:
    """Write a word of the dictionary at `at`: one in three from those seen during execution."""
    source = seen_word(f) if random_below(f, 3) == 0 else 0
    if source == 0:
        source = load_i64(f + fuzz.NUMBERS) + 32 * random_below(f, load_i64(f + fuzz.NUMBER_COUNT))
    store_word(at, load_word(source))
    return 0


@kernel
def remember_word(f: int, at: int) -> int:
    """Put the word at `at` among those seen during execution. Its place follows from its hash, so none is there twice;
    another word at that place is forgotten."""
    place = hash_word(load_word(at), 0) & (fuzz.VOLATILE_SIZE - 1)
    store_word(load_i64(f + fuzz.VOLATILE) + 32 * place, load_word(at))
    return 0

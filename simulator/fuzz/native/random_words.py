"""Random numbers and words (xorshift64, Marsaglia 2003), and the choice of dictionary words."""

from __future__ import annotations

from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell, Int64s, pointer
from simulator.evm.kernel.words import hash_word, is_zero
from simulator.fuzz.native.layout.context import VOLATILE_SIZE, Fuzz
from simulator.fuzz.native.xorshift import xorshift

DRAWS = 8


@kernel
def random_bits(fuzz: Fuzz) -> int:
    """The next 64 random bits as a signed integer, never 0."""
    bits = xorshift(fuzz.random)
    fuzz.random = bits
    return bits


@kernel
def random_below(fuzz: Fuzz, bound: int) -> int:
    """Uniform 0..bound-1 for 1 <= bound <= 2**31; the bias of the multiplication method is below 2**-31 per value."""
    return (((random_bits(fuzz) >> 33) & 0x7FFFFFFF) * bound) >> 31


@kernel
def random_word(fuzz: Fuzz, at: Cell) -> None:
    """Write 256 random bits at `at`."""
    quarters = Int64s(pointer(at))
    for index in range(4):
        quarters[index] = random_bits(fuzz)


@kernel
def seen_word(fuzz: Fuzz) -> Cell:
    """A word seen during execution, 0 when the draw finds none."""
    for _ in range(DRAWS):
        seen = fuzz.volatile[random_below(fuzz, VOLATILE_SIZE)]
        if not is_zero(seen.word):
            return seen
    return Cell(0)


@kernel
def dictionary_number(fuzz: Fuzz, at: Cell) -> None:
    """Write a word of the dictionary at `at`: one in three from those seen during execution."""
    source = seen_word(fuzz) if random_below(fuzz, 3) == 0 else Cell(0)
    if not source:
        source = fuzz.numbers[random_below(fuzz, fuzz.number_count)]
    at.word = source.word


@kernel
def remember_word(fuzz: Fuzz, at: Cell) -> None:
    """Put the word at `at` among those seen during execution. Its place follows from its hash, so none is there twice;
    another word at that place is forgotten."""
    place = hash_word(at.word, 0) & (VOLATILE_SIZE - 1)
    fuzz.volatile[place].word = at.word

"""Generation and mutation of ABI words, in place, in calldata.

Every function writes big-endian words of the right range for their type: integers are cut to their size, signed ones
sign-extended, so calldata always stays canonical.
"""

from __future__ import annotations

from simulator.evm.kernel.memory_access import load_word_be, store_u8, store_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Bytes, Cell, pointer
from simulator.evm.kernel.words import complement, is_zero, shift_left, shift_right, sign_extend, word
from simulator.fuzz.native.layout import slot_record
from simulator.fuzz.native.layout.context import STRANGER_COUNT, Fuzz
from simulator.fuzz.native.layout.slot_record import SlotRecord
from simulator.fuzz.native.random_words import dictionary_number, random_below, random_word

PRINTABLE_FIRST, PRINTABLE_COUNT = 32, 95


@kernel
def fit_integer(at: Cell, kind: int, bits: int) -> None:
    """Cut the little-endian word at `at` to the range of intN or uintN (N = bits)."""
    number = at.word
    if kind == slot_record.KIND_INT:
        at.word = sign_extend(word(bits // 8 - 1), number)
    else:
        space = word(256 - bits)
        at.word = shift_right(shift_left(number, space), space)


@kernel
def fit_fixed_bytes(at: Cell, size: int) -> None:
    """Cut the little-endian number at `at` to the range of a left-aligned `bytesN` (N = size)."""
    space = word(256 - 8 * size)
    at.word = shift_left(shift_right(at.word, space), space)


@kernel
def fit_word(at: Cell, slot: SlotRecord) -> None:
    """Cut the little-endian word at `at` to what the argument in `slot` can hold, so that calldata stays canonical."""
    kind = slot.kind
    if kind == slot_record.KIND_UINT or kind == slot_record.KIND_INT:
        fit_integer(at, kind, slot.width)
    elif kind == slot_record.KIND_ADDRESS:
        fit_integer(at, slot_record.KIND_UINT, 160)
    elif kind == slot_record.KIND_BOOL:
        fit_integer(at, slot_record.KIND_UINT, 1)
    elif kind == slot_record.KIND_FIXED_BYTES:
        fit_fixed_bytes(at, slot.width)


@kernel
def combine_words(fuzz: Fuzz, at: Cell) -> None:
    """Add another word of the dictionary to the one at `at`, or take it away."""
    first = at.word
    dictionary_number(fuzz, at)
    at.word = first + at.word if random_below(fuzz, 2) == 0 else first - at.word


@kernel
def generate_integer(fuzz: Fuzz, kind: int, bits: int, at: Cell) -> None:
    """Write an integer at `at` (little-endian): from the dictionary, small, near a power of two, or of any length."""
    if random_below(fuzz, 1024) < fuzz.dictionary_chance:
        dictionary_number(fuzz, at)
        if random_below(fuzz, 16) == 0:
            combine_words(fuzz, at)
    else:
        roll = random_below(fuzz, 8)
        if roll < 3:
            at.word = word(random_below(fuzz, 1024))
        elif roll == 3:
            power = shift_left(word(1), word(random_below(fuzz, bits)))
            at.word = power + word(random_below(fuzz, 3)) - word(1)
        elif roll == 4:
            at.word = complement(word(random_below(fuzz, 8)))
        else:
            random_word(fuzz, at)
            at.word = shift_right(at.word, word(256 - 1 - random_below(fuzz, bits)))
        if kind == slot_record.KIND_INT and random_below(fuzz, 3) == 0:
            at.word = word(0) - at.word
    fit_integer(at, kind, bits)


@kernel
def mutate_integer(fuzz: Fuzz, kind: int, bits: int, at: Cell) -> None:
    """Change the integer at `at` (little-endian) a little: steps, bits, shifts, sums with dictionary words."""
    number = at.word
    roll = random_below(fuzz, 12)
    if roll < 3:
        number = number + word(1 + random_below(fuzz, 16))
    elif roll < 6:
        number = number - word(1 + random_below(fuzz, 16))
    elif roll == 6:
        number = number ^ shift_left(word(1), word(random_below(fuzz, bits)))
    elif roll == 7:
        number = number + number
    elif roll == 8:
        number = shift_right(number, word(1))
    elif roll == 9:
        number = word(0) - number
    else:
        dictionary_number(fuzz, at)
        other = at.word
        number = number + other if roll == 10 else number - other
    at.word = number
    fit_integer(at, kind, bits)


@kernel
def choose_stranger(fuzz: Fuzz, at: Cell) -> None:
    """Write an address that the campaign does not know at `at`: now and then one never used before.

    Strangers come back, so that what one call gave to one of them another call can take.
    """
    place = fuzz.strangers[random_below(fuzz, STRANGER_COUNT)]
    if random_below(fuzz, 16) == 0 or is_zero(place.word):
        random_word(fuzz, place)
        fit_integer(place, slot_record.KIND_UINT, 160)
    at.word = place.word


@kernel
def generate_address(fuzz: Fuzz, at: Cell) -> None:
    """Write an address at `at` (little-endian): nearly always one that the campaign knows, one in four times an account
    that sends calls, since only those can use what an address is given."""
    roll = random_below(fuzz, 32)
    if roll == 0:
        choose_stranger(fuzz, at)
    elif roll <= 8:
        at.word = fuzz.senders[random_below(fuzz, fuzz.sender_count)]
    else:
        at.word = fuzz.addresses[random_below(fuzz, fuzz.address_count)]


@kernel
def generate_fixed_bytes(fuzz: Fuzz, size: int, at: Cell) -> None:
    """Write a left-aligned `bytesN` at `at` (little-endian number): dictionary, random, or a small number."""
    count = fuzz.fixed_bytes_count
    roll = random_below(fuzz, 8)
    if roll < 3 and count > 0:
        at.word = fuzz.fixed_bytes[random_below(fuzz, count)]
    elif roll < 6:
        dictionary_number(fuzz, at)
    elif roll < 7:
        random_word(fuzz, at)
    else:
        at.word = shift_left(word(random_below(fuzz, 256)), word(256 - 8 * size))
    fit_fixed_bytes(at, size)


@kernel
def mutate_bytes(fuzz: Fuzz, text: int, size: int) -> None:
    """Overwrite one to four bytes of a byte string, printable ones more often than not."""
    for _ in range(1 + random_below(fuzz, 4)):
        value = random_below(fuzz, 256)
        if random_below(fuzz, 4) != 0:
            value = PRINTABLE_FIRST + random_below(fuzz, PRINTABLE_COUNT)
        store_u8(text + random_below(fuzz, size), value)


@kernel
def generate_slot(fuzz: Fuzz, data: Bytes, slot: SlotRecord) -> None:
    """Give the value of a slot a new one. `data` is the start of the calldata."""
    kind = slot.kind
    size = slot.width
    argument = pointer(data) + slot.offset
    work = fuzz.work_word
    if kind == slot_record.KIND_BYTES:
        if size > 0 and random_below(fuzz, 2) == 0:
            mutate_bytes(fuzz, argument, size)
        return
    if kind == slot_record.KIND_ADDRESS:
        generate_address(fuzz, work)
    elif kind == slot_record.KIND_BOOL:
        work.word = word(random_below(fuzz, 2))
    elif kind == slot_record.KIND_FIXED_BYTES:
        generate_fixed_bytes(fuzz, size, work)
    elif kind == slot_record.KIND_UINT or kind == slot_record.KIND_INT:
        generate_integer(fuzz, kind, size, work)
    else:
        return
    store_word_be(argument, work.word)


@kernel
def mutate_slot(fuzz: Fuzz, data: Bytes, slot: SlotRecord) -> None:
    """Change the value of a slot: a small change for numbers half of the time, else a new value."""
    kind = slot.kind
    if (kind == slot_record.KIND_UINT or kind == slot_record.KIND_INT) and random_below(fuzz, 2) == 0:
        argument = pointer(data) + slot.offset
        work = fuzz.work_word
        work.word = load_word_be(argument)
        mutate_integer(fuzz, kind, slot.width, work)
        store_word_be(argument, work.word)
        return
    generate_slot(fuzz, data, slot)

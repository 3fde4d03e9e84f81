"""Generation and mutation of ABI words, in place, in calldata.

Every function writes big-endian words of the right range for their type: integers are cut to their size, signed ones
sign-extended, so calldata always stays canonical.
"""

from __future__ import annotations

from simulator.evm.kernel.memory_access import load_i64, load_word, load_word_be, store_u8, store_word, store_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import complement, is_zero, shift_left, shift_right, sign_extend, word
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.layout import slot_record
from simulator.fuzz.native.random_words import dictionary_number, random_below, random_word

PRINTABLE_FIRST, PRINTABLE_COUNT = 32, 95


@kernel
def fit_integer(at: int, kind: int, bits: int) -> int:
    """Cut the little-endian word at `at` to the range of intN or uintN (N = bits)."""
    number = load_word(at)
    if kind == slot_record.KIND_INT:
        store_word(at, sign_extend(word(bits // 8 - 1), number))
    else:
        space = word(256 - bits)
        store_word(at, shift_right(shift_left(number, space), space))
    return 0


@kernel
def generate_integer(f: int, kind: int, bits: int, at: int) -> int:
    """Write an integer at `at` (little-endian): from the dictionary, small, near a power of two, or of any length."""
    if random_below(f, 1024) < load_i64(f + fuzz.DICTIONARY_CHANCE):
        dictionary_number(f, at)
    else:
        roll = random_below(f, 8)
        if roll < 3:
            store_word(at, word(random_below(f, 1024)))
        elif roll == 3:
            power = shift_left(word(1), word(random_below(f, bits)))
            store_word(at, power + word(random_below(f, 3)) - word(1))
        elif roll == 4:
            store_word(at, complement(word(random_below(f, 8))))
        else:
            random_word(f, at)
            store_word(at, shift_right(load_word(at), word(256 - 1 - random_below(f, bits))))
        if kind == slot_record.KIND_INT and random_below(f, 3) == 0:
            store_word(at, word(0) - load_word(at))
    fit_integer(at, kind, bits)
    return 0


@kernel
def mutate_integer(f: int, kind: int, bits: int, at: int) -> int:
    """Change the integer at `at` (little-endian) a little: steps, bits, shifts, sums with dictionary words."""
    number = load_word(at)
    roll = random_below(f, 12)
    if roll < 3:
        number = number + word(1 + random_below(f, 16))
    elif roll < 6:
        number = number - word(1 + random_below(f, 16))
    elif roll == 6:
        number = number ^ shift_left(word(1), word(random_below(f, bits)))
    elif roll == 7:
        number = number + number
    elif roll == 8:
        number = shift_right(number, word(1))
    elif roll == 9:
        number = word(0) - number
    else:
        dictionary_number(f, at)
        other = load_word(at)
        number = number + other if roll == 10 else number - other
    store_word(at, number)
    fit_integer(at, kind, bits)
    return 0


@kernel
def choose_stranger(f: int, at: int) -> int:
    """Write an address that the campaign does not know at `at`: now and then one never used before.

    Strangers come back, so that what one call gave to one of them another call can take.
    """
    place = load_i64(f + fuzz.STRANGERS) + 32 * random_below(f, fuzz.STRANGER_COUNT)
    if random_below(f, 16) == 0 or is_zero(load_word(place)):
        random_word(f, place)
        fit_integer(place, slot_record.KIND_UINT, 160)
    store_word(at, load_word(place))
    return 0


@kernel
def generate_address(f: int, at: int) -> int:
    """Write an address at `at` (little-endian): nearly always one that the campaign knows."""
    if random_below(f, 32) == 0:
        choose_stranger(f, at)
    else:
        known = load_i64(f + fuzz.ADDRESSES) + 32 * random_below(f, load_i64(f + fuzz.ADDRESS_COUNT))
        store_word(at, load_word(known))
    return 0


@kernel
def generate_fixed_bytes(f: int, size: int, at: int) -> int:
    """Write a left-aligned `bytesN` at `at` (little-endian number): dictionary, random, or a small number."""
    count = load_i64(f + fuzz.FIXED_BYTES_COUNT)
    roll = random_below(f, 8)
    if roll < 3 and count > 0:
        store_word(at, load_word(load_i64(f + fuzz.FIXED_BYTES) + 32 * random_below(f, count)))
    elif roll < 6:
        dictionary_number(f, at)
    elif roll < 7:
        random_word(f, at)
    else:
        store_word(at, shift_left(word(random_below(f, 256)), word(256 - 8 * size)))
    space = word(256 - 8 * size)
    store_word(at, shift_left(shift_right(load_word(at), space), space))
    return 0


@kernel
def mutate_bytes(f: int, at: int, size: int) -> int:
    """Overwrite one to four bytes of a byte string, printable ones more often than not."""
    for _ in range(1 + random_below(f, 4)):
        value = random_below(f, 256)
        if random_below(f, 4) != 0:
            value = PRINTABLE_FIRST + random_below(f, PRINTABLE_COUNT)
        store_u8(at + random_below(f, size), value)
    return 0


@kernel
def generate_slot(f: int, data: int, slot: int) -> int:
    """Give the value of a slot a new one. `data` is the start of the calldata."""
    kind = load_i64(slot + slot_record.KIND)
    size = load_i64(slot + slot_record.WIDTH)
    place = data + load_i64(slot + slot_record.OFFSET)
    work = f + fuzz.WORK_WORD
    if kind == slot_record.KIND_BYTES:
        if size > 0 and random_below(f, 2) == 0:
            mutate_bytes(f, place, size)
        return 0
    if kind == slot_record.KIND_ADDRESS:
        generate_address(f, work)
    elif kind == slot_record.KIND_BOOL:
        store_word(work, word(random_below(f, 2)))
    elif kind == slot_record.KIND_FIXED_BYTES:
        generate_fixed_bytes(f, size, work)
    elif kind == slot_record.KIND_UINT or kind == slot_record.KIND_INT:
        generate_integer(f, kind, size, work)
    else:
        return 0
    store_word_be(place, load_word(work))
    return 0


@kernel
def mutate_slot(f: int, data: int, slot: int) -> int:
    """Change the value of a slot: a small change for numbers half of the time, else a new value."""
    kind = load_i64(slot + slot_record.KIND)
    if (kind == slot_record.KIND_UINT or kind == slot_record.KIND_INT) and random_below(f, 2) == 0:
        place = data + load_i64(slot + slot_record.OFFSET)
        work = f + fuzz.WORK_WORD
        store_word(work, load_word_be(place))
        mutate_integer(f, kind, load_i64(slot + slot_record.WIDTH), work)
        store_word_be(place, load_word(work))
        return 0
    return generate_slot(f, data, slot)

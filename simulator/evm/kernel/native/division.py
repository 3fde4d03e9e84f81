# mypy: disable-error-code="no-any-return"
"""Division on 64-bit limbs: Knuth's algorithm D with a 2-by-1 reciprocal (Möller and Granlund, 2011).

LLVM's own 256-bit division works bit by bit and takes 220-720 ns; this one takes 45-60.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.evm.kernel.compiler.memory_access import load_limb, load_word, scratch, store_limb, store_word
from simulator.evm.kernel.compiler.words import (
    is_zero,
    limb_leading_zeros,
    low_limb,
    multiply_high,
    shift_right,
    word,
    word_of_limb,
)
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import Word

Limb = Any  # np.uint64 while compiled
ZERO: Limb = np.uint64(0)
ONE: Limb = np.uint64(1)
SIXTY_FOUR: Limb = np.uint64(64)
HALF: Limb = np.uint64(32)
HALF_MASK: Limb = np.uint64(0xFFFFFFFF)
ALL_ONES: Limb = np.uint64(0xFFFFFFFFFFFFFFFF)

# Places in a function's scratch space, in bytes.
DIVIDEND, QUOTIENT, DIVISOR, SHIFTED = 0, 96, 192, 256


@kernel
def divide_half(high: Limb, low_half: Limb, divisor: Limb) -> Limb:
    """One step of the reciprocal: (high * 2**32 + low_half) / divisor, which fits 32 bits."""
    divisor_high = divisor >> HALF
    divisor_low = divisor & HALF_MASK
    quotient = high // divisor_high
    remainder = high - quotient * divisor_high
    while quotient >> HALF or quotient * divisor_low > ((remainder << HALF) | low_half):
        quotient -= ONE
        remainder += divisor_high
        if remainder >> HALF:
            break
    return quotient


@kernel
def reciprocal(divisor: Limb) -> Limb:
    """floor((2**128 - 1) / divisor) - 2**64 for a divisor with its top bit set."""
    high = ~divisor
    upper = divide_half(high, HALF_MASK, divisor)
    rest = ((high << HALF) | HALF_MASK) - upper * divisor
    lower = divide_half(rest, HALF_MASK, divisor)
    return (upper << HALF) + lower


@kernel
def shift_limbs_left(target: int, source: int, count: int, amount: Limb) -> Limb:
    """target = source << amount for 0 < amount < 64; returns the limb that falls out on top."""
    back = SIXTY_FOUR - amount
    carry = ZERO
    for index in range(count):
        value = load_limb(source + 8 * index)
        store_limb(target + 8 * index, (value << amount) | carry)
        carry = value >> back
    return carry


@kernel
def shift_limbs_right(target: int, count: int, amount: Limb) -> int:
    """target >>= amount for 0 < amount < 64."""
    back = SIXTY_FOUR - amount
    for index in range(count - 1):
        value = load_limb(target + 8 * index) >> amount
        store_limb(target + 8 * index, value | (load_limb(target + 8 * index + 8) << back))
    last = target + 8 * (count - 1)
    store_limb(last, load_limb(last) >> amount)
    return 0


@kernel
def estimate(top: Limb, middle: Limb, bottom: Limb, divisor: Limb, second: Limb, inverse: Limb) -> Limb:
    """The next quotient limb, at most one too large: two limbs over the divisor's first, corrected by its second."""
    if top >= divisor:
        return ALL_ONES
    fraction = inverse * top
    quotient = multiply_high(inverse, top)
    total = fraction + middle
    quotient += top
    if total < fraction:
        quotient += ONE
    quotient += ONE
    remainder = middle - quotient * divisor
    if remainder > total:
        quotient -= ONE
        remainder += divisor
    if remainder >= divisor:
        quotient += ONE
        remainder -= divisor
    for _ in range(2):
        high = multiply_high(quotient, second)
        if high > remainder or (high == remainder and quotient * second > bottom):
            quotient -= ONE
            remainder += divisor
            if remainder < divisor:
                break
        else:
            break
    return quotient


@kernel
def subtract_multiple(target: int, divisor: int, count: int, quotient: Limb) -> bool:
    """target -= divisor * quotient over count + 1 limbs; true when it went below zero."""
    carry = ZERO
    borrow = ZERO
    for index in range(count):
        factor = load_limb(divisor + 8 * index)
        product = quotient * factor
        high = multiply_high(quotient, factor)
        product += carry
        if product < carry:
            high += ONE
        value = load_limb(target + 8 * index)
        difference = value - product
        next_borrow = ONE if value < product else ZERO
        if difference < borrow:
            next_borrow += ONE
        store_limb(target + 8 * index, difference - borrow)
        borrow = next_borrow
        carry = high
    value = load_limb(target + 8 * count)
    difference = value - carry
    below = value < carry or difference < borrow
    store_limb(target + 8 * count, difference - borrow)
    return below


@kernel
def add_back(target: int, divisor: int, count: int) -> int:
    """target += divisor over count + 1 limbs."""
    carry = ZERO
    for index in range(count):
        value = load_limb(target + 8 * index)
        total = value + load_limb(divisor + 8 * index)
        overflow = ONE if total < value else ZERO
        result = total + carry
        if result < total:
            overflow += ONE
        store_limb(target + 8 * index, result)
        carry = overflow
    store_limb(target + 8 * count, load_limb(target + 8 * count) + carry)
    return 0


@kernel
def used_limbs(source: int, count: int) -> int:
    while count > 0 and load_limb(source + 8 * (count - 1)) == ZERO:
        count -= 1
    return count


@kernel
def divide_limbs(space: int, dividend_limbs: int) -> int:
    """Divide DIVIDEND (at most 8 limbs, one more stands behind) by DIVISOR (4 limbs, not zero).

    QUOTIENT gets at least 4 limbs of the quotient, DIVIDEND the remainder.
    """
    dividend = space + DIVIDEND
    store_word(space + QUOTIENT, word(0))
    store_word(space + QUOTIENT + 32, word(0))
    divisor_limbs = used_limbs(space + DIVISOR, 4)
    dividend_limbs = used_limbs(dividend, dividend_limbs)
    if dividend_limbs < divisor_limbs:
        return 0
    shift = limb_leading_zeros(load_limb(space + DIVISOR + 8 * (divisor_limbs - 1)))
    divisor = space + DIVISOR
    store_limb(dividend + 8 * dividend_limbs, ZERO)
    if shift != ZERO:
        divisor = space + SHIFTED
        shift_limbs_left(divisor, space + DIVISOR, divisor_limbs, shift)
        store_limb(dividend + 8 * dividend_limbs, shift_limbs_left(dividend, dividend, dividend_limbs, shift))
    first = load_limb(divisor + 8 * (divisor_limbs - 1))
    second = load_limb(divisor + 8 * (divisor_limbs - 2)) if divisor_limbs > 1 else ZERO
    inverse = reciprocal(first)
    for index in range(dividend_limbs - divisor_limbs, -1, -1):
        part = dividend + 8 * index
        top = part + 8 * divisor_limbs
        bottom = load_limb(top - 16) if divisor_limbs > 1 else ZERO
        quotient = estimate(load_limb(top), load_limb(top - 8), bottom, first, second, inverse)
        if subtract_multiple(part, divisor, divisor_limbs, quotient):
            quotient -= ONE
            add_back(part, divisor, divisor_limbs)
        store_limb(space + QUOTIENT + 8 * index, quotient)
    if shift != ZERO:
        shift_limbs_right(dividend, divisor_limbs, shift)
    return 0


@kernel
def fits_limb(value: Word) -> bool:
    return is_zero(shift_right(value, word(64)))


@kernel
def divide(dividend: Word, divisor: Word) -> Word:
    if dividend < divisor or is_zero(divisor):
        return word(0)
    if fits_limb(dividend):
        return word_of_limb(low_limb(dividend) // low_limb(divisor))
    space = scratch()
    store_word(space + DIVIDEND, dividend)
    store_word(space + DIVISOR, divisor)
    divide_limbs(space, 4)
    return load_word(space + QUOTIENT)


@kernel
def modulo(dividend: Word, divisor: Word) -> Word:
    if is_zero(divisor):
        return divisor
    if dividend < divisor:
        return dividend
    if fits_limb(dividend):
        return word_of_limb(low_limb(dividend) % low_limb(divisor))
    space = scratch()
    store_word(space + DIVIDEND, dividend)
    store_word(space + DIVISOR, divisor)
    divide_limbs(space, 4)
    return load_word(space + DIVIDEND)


@kernel
def add_modulo(left: Word, right: Word, modulus: Word) -> Word:
    if is_zero(modulus):
        return modulus
    total = left + right
    space = scratch()
    store_word(space + DIVIDEND, total)
    store_limb(space + DIVIDEND + 32, ONE if total < left else ZERO)
    store_word(space + DIVISOR, modulus)
    divide_limbs(space, 5)
    return load_word(space + DIVIDEND)


@kernel
def multiply_limbs(target: int, left: int, right: int) -> int:
    """target (8 limbs) = left * right (4 limbs each)."""
    store_word(target, word(0))
    store_word(target + 32, word(0))
    for row in range(4):
        factor = load_limb(left + 8 * row)
        carry = ZERO
        for column in range(4):
            other = load_limb(right + 8 * column)
            product = factor * other
            high = multiply_high(factor, other)
            product += carry
            if product < carry:
                high += ONE
            place = target + 8 * (row + column)
            total = product + load_limb(place)
            if total < product:
                high += ONE
            store_limb(place, total)
            carry = high
        store_limb(target + 8 * (row + 4), carry)
    return 0


@kernel
def multiply_modulo(left: Word, right: Word, modulus: Word) -> Word:
    if is_zero(modulus):
        return modulus
    space = scratch()
    store_word(space + QUOTIENT, left)
    store_word(space + QUOTIENT + 32, right)
    multiply_limbs(space + DIVIDEND, space + QUOTIENT, space + QUOTIENT + 32)
    store_word(space + DIVISOR, modulus)
    divide_limbs(space, 8)
    return load_word(space + DIVIDEND)


@kernel
def power(base: Word, exponent: Word) -> Word:
    result = word(1)
    space = scratch()
    store_word(space, exponent)
    limbs = used_limbs(space, 4)
    for index in range(limbs):
        bits = load_limb(space + 8 * index)
        for _ in range(64):
            if bits & ONE:
                result = result * base
            bits >>= ONE
            if bits == ZERO and index == limbs - 1:
                break
            base = base * base
    return result

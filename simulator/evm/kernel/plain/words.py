"""256-bit words in plain Python: an int that stays in 0..2**256-1."""

from __future__ import annotations

MODULUS = 1 << 256
SIGN = 1 << 255
OFFSET_LIMIT = 1 << 32
_LIMB_MASK = (1 << 64) - 1


class Word(int):
    """An integer modulo 2**256; comparisons are unsigned."""

    __slots__ = ()

    def __add__(self, other: int) -> Word:
        return Word((int(self) + int(other)) % MODULUS)

    def __sub__(self, other: int) -> Word:
        return Word((int(self) - int(other)) % MODULUS)

    def __mul__(self, other: int) -> Word:
        return Word(int(self) * int(other) % MODULUS)

    def __and__(self, other: int) -> Word:
        return Word(int(self) & int(other))

    def __or__(self, other: int) -> Word:
        return Word(int(self) | int(other))

    def __xor__(self, other: int) -> Word:
        return Word(int(self) ^ int(other))


def word(value: int) -> Word:
    """The word of an int64, whose bits are taken as unsigned."""
    return Word(value & _LIMB_MASK)


def bool_word(value: bool) -> Word:
    return Word(value)


def low(value: Word) -> int:
    """The low 64 bits as a signed integer."""
    bits = int(value) & _LIMB_MASK
    return bits - (1 << 64) if bits >> 63 else bits


def saturate(value: Word) -> int:
    """The word as an offset; everything from 2**32 on becomes 2**32, which no memory, code or calldata reaches."""
    return min(int(value), OFFSET_LIMIT)


def is_zero(value: Word) -> bool:
    return value == 0


def complement(value: Word) -> Word:
    return Word(MODULUS - 1 - int(value))


def signed(value: Word) -> int:
    return int(value) - MODULUS if value >= SIGN else int(value)


def less_signed(left: Word, right: Word) -> bool:
    return signed(left) < signed(right)


def shift_left(value: Word, amount: Word) -> Word:
    return Word((int(value) << int(amount)) % MODULUS) if amount < 256 else Word(0)


def shift_right(value: Word, amount: Word) -> Word:
    return Word(int(value) >> int(amount)) if amount < 256 else Word(0)


def shift_right_arithmetic(value: Word, amount: Word) -> Word:
    return Word((signed(value) >> min(int(amount), 255)) % MODULUS)


def byte_of(index: Word, value: Word) -> Word:
    """Byte `index` of the value, counted from the most significant one; 0 from 32 on."""
    return Word(int(value) >> (248 - 8 * int(index)) & 255) if index < 32 else Word(0)


def sign_extend(index: Word, value: Word) -> Word:
    """Extend the sign of byte `index`, counted from the least significant one."""
    if index >= 31:
        return value
    bits = 8 * int(index) + 8
    kept = int(value) & ((1 << bits) - 1)
    return Word((kept - (1 << bits)) % MODULUS) if kept >> (bits - 1) else Word(kept)


def leading_zeros(value: Word) -> int:
    return 256 - int(value).bit_length()


def hash_word(value: Word, salt: int) -> int:
    """A hash of 62 bits for open addressing; the same numbers as the compiled one."""
    limbs = [int(value) >> 64 * index & _LIMB_MASK for index in range(4)]
    mixed = limbs[0] ^ limbs[3] ^ (salt * 0xD6E8FEB86659FD93 & _LIMB_MASK)
    mixed = mixed * 0x9E3779B97F4A7C15 & _LIMB_MASK
    mixed ^= limbs[1] ^ (limbs[2] * 0xC2B2AE3D27D4EB4F & _LIMB_MASK)
    mixed ^= mixed >> 32
    return (mixed * 0xD6E8FEB86659FD93 & _LIMB_MASK) >> 2

# mypy: disable-error-code="import-untyped"
"""Operations on words that have no operator, as LLVM code. The plain twin is `plain/words.py`, which documents them."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from simulator.evm.kernel.compiler.word_type import I1, I64, I128, I256, make_intrinsic, u256

_int64, _uint64, _bool = types.int64, types.uint64, types.boolean
OFFSET_LIMIT = 1 << 32


def _constant(value: int) -> Any:
    return I256(value)


def _saturate(builder: Any, value: Any) -> Any:
    large = builder.icmp_unsigned(">", value, _constant(OFFSET_LIMIT))
    return builder.trunc(builder.select(large, _constant(OFFSET_LIMIT), value), I64)


def _shift(name: str) -> Any:
    def emit(builder: Any, value: Any, amount: Any) -> Any:
        large = builder.icmp_unsigned(">", amount, _constant(255))
        if name == "ashr":
            return builder.ashr(value, builder.select(large, _constant(255), amount))
        shifted = getattr(builder, name)(value, builder.select(large, _constant(0), amount))
        return builder.select(large, _constant(0), shifted)

    return emit


def _byte_of(builder: Any, index: Any, value: Any) -> Any:
    inside = builder.icmp_unsigned("<", index, _constant(32))
    shift = builder.select(inside, builder.sub(_constant(248), builder.shl(index, _constant(3))), _constant(0))
    return builder.select(inside, builder.and_(builder.lshr(value, shift), _constant(255)), _constant(0))


def _sign_extend(builder: Any, index: Any, value: Any) -> Any:
    inside = builder.icmp_unsigned("<", index, _constant(31))
    shift = builder.select(inside, builder.sub(_constant(248), builder.shl(index, _constant(3))), _constant(0))
    return builder.ashr(builder.shl(value, shift), shift)


def _count_leading_zeros(bits: Any) -> Any:
    def emit(builder: Any, value: Any) -> Any:
        kind = ir.FunctionType(bits, [bits, I1])
        count = builder.call(builder.module.declare_intrinsic("llvm.ctlz", [bits], kind), [value, I1(0)])
        return count if bits is I64 else builder.trunc(count, I64)

    return emit


def _multiply_high(builder: Any, left: Any, right: Any) -> Any:
    product = builder.mul(builder.zext(left, I128), builder.zext(right, I128))
    return builder.trunc(builder.lshr(product, I128(64)), I64)


def _hash_word(builder: Any, value: Any, salt: Any) -> Any:
    """Two rounds of multiplication over the four limbs; 62 bits."""
    limbs = [builder.trunc(builder.lshr(value, _constant(64 * index)), I64) for index in range(4)]
    mixed = builder.xor(builder.xor(limbs[0], limbs[3]), builder.mul(salt, I64(0xD6E8FEB86659FD93)))
    mixed = builder.mul(mixed, I64(0x9E3779B97F4A7C15))
    mixed = builder.xor(mixed, builder.xor(limbs[1], builder.mul(limbs[2], I64(0xC2B2AE3D27D4EB4F))))
    mixed = builder.xor(mixed, builder.lshr(mixed, I64(32)))
    mixed = builder.mul(mixed, I64(0xD6E8FEB86659FD93))
    return builder.lshr(mixed, I64(2))


word = make_intrinsic(u256, (_int64,), lambda builder, value: builder.zext(value, I256))
bool_word = make_intrinsic(u256, (_bool,), lambda builder, value: builder.zext(value, I256))
low = make_intrinsic(_int64, (u256,), lambda builder, value: builder.trunc(value, I64))
saturate = make_intrinsic(_int64, (u256,), _saturate)
is_zero = make_intrinsic(_bool, (u256,), lambda builder, value: builder.icmp_unsigned("==", value, _constant(0)))
complement = make_intrinsic(u256, (u256,), lambda builder, value: builder.not_(value))
less_signed = make_intrinsic(_bool, (u256, u256), lambda builder, left, right: builder.icmp_signed("<", left, right))
shift_left = make_intrinsic(u256, (u256, u256), _shift("shl"))
shift_right = make_intrinsic(u256, (u256, u256), _shift("lshr"))
shift_right_arithmetic = make_intrinsic(u256, (u256, u256), _shift("ashr"))
byte_of = make_intrinsic(u256, (u256, u256), _byte_of)
sign_extend = make_intrinsic(u256, (u256, u256), _sign_extend)
leading_zeros = make_intrinsic(_int64, (u256,), _count_leading_zeros(I256))
hash_word = make_intrinsic(_int64, (u256, _int64), _hash_word)

# Limbs: unsigned 64-bit integers, only for division and keccak.
limb = make_intrinsic(_uint64, (_int64,), lambda builder, value: value)
limb_leading_zeros = make_intrinsic(_uint64, (_uint64,), _count_leading_zeros(I64))
multiply_high = make_intrinsic(_uint64, (_uint64, _uint64), _multiply_high)
word_of_limb = make_intrinsic(u256, (_uint64,), lambda builder, value: builder.zext(value, I256))
low_limb = make_intrinsic(_uint64, (u256,), lambda builder, value: builder.trunc(value, I64))

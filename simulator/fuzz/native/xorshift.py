"""The generator's step, xorshift64 (Marsaglia 2003), with a plain twin like everything of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.mode import COMPILING

_MASK = (1 << 64) - 1

if TYPE_CHECKING or not COMPILING:

    def xorshift(state: int) -> int:
        """The state after `state`; both are signed 64-bit integers other than 0."""
        bits = state & _MASK
        bits ^= (bits << 13) & _MASK
        bits ^= bits >> 7
        bits ^= (bits << 17) & _MASK
        return bits - (1 << 64) if bits >> 63 else bits

else:
    from numba import types

    from simulator.evm.kernel.compiler.word_type import I64, make_intrinsic

    def _emit(builder, bits):  # noqa: ANN001, ANN202
        bits = builder.xor(bits, builder.shl(bits, I64(13)))
        bits = builder.xor(bits, builder.lshr(bits, I64(7)))
        return builder.xor(bits, builder.shl(bits, I64(17)))

    xorshift = make_intrinsic(types.int64, (types.int64,), _emit)

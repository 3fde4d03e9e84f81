# mypy: disable-error-code="no-any-return, import-untyped, no-untyped-call"
"""Keccak-256 with its state as five planes, each in a vector register of 512 bits: lane (x, y) stands in place x of
register y, and three places of each register hold nothing.

A round is made such that lanes change places only once. Theta's column sums are the sum of the registers, and two
turned copies of it are all that theta needs. Meanwhile blending puts lane (x, y) into register x - y (modulo 5, as
everything here). Pi moves it to place y of row 2x + 3y, which is 2(x - y): all of a register goes to the same row, and
three turned copies of the register are what chi combines to that row, in order.

The round constant of a round is added at the start of the next one, where nothing waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from simulator.evm.kernel.compiler.word_type import I1, I8, I32, I64, I256, make_intrinsic, u256
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.native.keccak_tables import LANE_BYTES, RATE, ROTATIONS, ROUND_CONSTANTS
from simulator.evm.kernel.words import Word

SIDE = 5
PLANE_BYTES = SIDE * LANE_BYTES
PLACES = 8
PLANE = ir.VectorType(I64, PLACES)
BYTES = ir.VectorType(I8, PLACES * LANE_BYTES)
BYTES_MASK = ir.VectorType(I1, PLACES * LANE_BYTES)
NO_BYTES = ir.Constant(BYTES, [I8(0)] * PLACES * LANE_BYTES)


def _plane(lanes: Sequence[int]) -> Any:
    """Constants in the first places, zeros in the others."""
    return ir.Constant(PLANE, [I64(lane) for lane in (*lanes, *(0,) * (PLACES - len(lanes)))])


# --- a round ----------------------------------------------------------------------------------------------------------


def _rotate(builder: Any, plane: Any, amounts: Any) -> Any:
    kind = ir.FunctionType(PLANE, [PLANE] * 3)
    rotation = cgutils.get_or_insert_function(builder.module, kind, "llvm.fshl.v8i64")
    return builder.call(rotation, [plane, plane, amounts])


def _turn(builder: Any, plane: Any, distance: int) -> Any:
    """Lane x + distance in place x."""
    if distance % SIDE == 0:
        return plane
    places = [*((x + distance) % SIDE for x in range(SIDE)), *range(SIDE, PLACES)]
    order = ir.Constant(ir.VectorType(I32, PLACES), [I32(place) for place in places])
    return builder.shuffle_vector(plane, ir.Constant(PLANE, ir.Undefined), order)


def _add(builder: Any, first: Any, second: Any, third: Any) -> Any:
    return builder.xor(builder.xor(first, second), third)


def _blend(builder: Any, planes: Sequence[Any]) -> list[Any]:
    """Lane (x, y) in place x of register x - y, in steps of 1, 2 and 4 for the bits of x."""
    blended = [planes[-register % SIDE] for register in range(SIDE)]
    for bit in (1, 2, 4):
        chosen = ir.Constant(ir.VectorType(I1, PLACES), [I1(x < SIDE and x & bit != 0) for x in range(PLACES)])
        blended = [builder.select(chosen, blended[k - bit], blended[k]) for k in range(SIDE)]
    return blended


def _round(builder: Any, planes: Sequence[Any], constant: Any) -> list[Any]:
    """Iota of the round before; theta, rho, pi, chi."""
    late = _add(builder, planes[3], planes[4], constant)
    sums = builder.xor(_add(builder, *planes[:3]), late)
    before = _turn(builder, sums, -1)
    behind = _turn(builder, _rotate(builder, sums, _plane([1] * PLACES)), 1)
    result = [None] * SIDE
    for register, lanes in enumerate(_blend(builder, [builder.xor(planes[0], constant), *planes[1:]])):
        amounts = _plane([ROTATIONS[x][(x - register) % SIDE] for x in range(SIDE)])
        lanes = _rotate(builder, _add(builder, lanes, before, behind), amounts)
        row = [_turn(builder, lanes, register + step) for step in range(3)]
        result[2 * register % SIDE] = builder.xor(row[0], builder.and_(builder.not_(row[1]), row[2]))
    return result


# --- the permutation --------------------------------------------------------------------------------------------------


def _constants_table(builder: Any) -> Any:
    """Return the words that each round begins with: the constant of the one before."""
    kind = ir.ArrayType(I64, len(ROUND_CONSTANTS))
    table = ir.GlobalVariable(builder.module, kind, builder.module.get_unique_name("round_constants"))
    table.linkage = "internal"
    table.global_constant = True
    table.initializer = ir.Constant(kind, [I64(value) for value in (0, *ROUND_CONSTANTS[:-1])])
    return table


def _permute(builder: Any, planes: Sequence[Any]) -> list[Any]:
    """Keccak-f[1600]."""
    table = _constants_table(builder)
    before, loop = builder.block, builder.append_basic_block("rounds")
    builder.branch(loop)
    builder.position_at_end(loop)
    index = builder.phi(I64)
    current = [builder.phi(PLANE) for _ in planes]
    constant = builder.load(builder.gep(table, [I64(0), index]))
    following = _round(builder, current, builder.insert_element(_plane([]), constant, I32(0)))
    next_index = builder.add(index, I64(1))
    for value, first, repeated in zip((index, *current), (I64(0), *planes), (next_index, *following), strict=True):
        value.add_incoming(first, before)
        value.add_incoming(repeated, loop)
    done = builder.append_basic_block("rounds_done")
    builder.cbranch(builder.icmp_unsigned("<", next_index, I64(len(ROUND_CONSTANTS))), loop, done)
    builder.position_at_end(done)
    return [builder.xor(following[0], _plane(ROUND_CONSTANTS[-1:])), *following[1:]]


# --- the sponge -------------------------------------------------------------------------------------------------------


def _clamp(builder: Any, value: Any, most: int) -> Any:
    kind = ir.FunctionType(I64, [I64, I64])
    largest = builder.module.declare_intrinsic("llvm.smax", [I64], kind)
    smallest = builder.module.declare_intrinsic("llvm.smin", [I64], kind)
    return builder.call(smallest, [builder.call(largest, [value, I64(0)]), I64(most)])


def _input_plane(builder: Any, address: Any, size: Any, width: int) -> Any:
    """At most `width` bytes from an address on, `size` being what is left there, and the padding's first bit if it
    belongs among them. Nothing behind `size` is touched."""
    count = _clamp(builder, size, width)
    mask = builder.sub(builder.shl(I64(1), count), I64(1))
    kind = ir.FunctionType(BYTES, [I8.as_pointer(), I32, BYTES_MASK, BYTES])
    load = cgutils.get_or_insert_function(builder.module, kind, "llvm.masked.load.v64i8.p0")
    source = builder.inttoptr(address, I8.as_pointer())
    data = builder.call(load, [source, I32(1), builder.bitcast(mask, BYTES_MASK), NO_BYTES])
    ends = builder.zext(builder.icmp_unsigned("<", size, I64(width)), I64)
    end = builder.bitcast(builder.shl(ends, builder.and_(size, I64(63))), BYTES_MASK)
    padding = builder.select(end, ir.Constant(BYTES, [I8(1)] * PLACES * LANE_BYTES), NO_BYTES)
    return builder.bitcast(builder.or_(data, padding), PLANE)


def _absorb(builder: Any, planes: Sequence[Any], address: Any, size: Any, is_last: Any) -> list[Any]:
    """Add the next block of the padded input."""
    absorbed = []
    for y, plane in enumerate(planes):
        offset = y * PLANE_BYTES
        if offset < RATE:
            place, left = builder.add(address, I64(offset)), builder.sub(size, I64(offset))
            plane = builder.xor(plane, _input_plane(builder, place, left, min(PLANE_BYTES, RATE - offset)))
        absorbed.append(plane)
    y, x = divmod(RATE // LANE_BYTES - 1, SIDE)
    last_bit = builder.select(is_last, I64(1 << 63), I64(0))
    absorbed[y] = builder.xor(absorbed[y], builder.insert_element(_plane([]), last_bit, I32(x)))
    return absorbed


def _digest(builder: Any, plane: Any) -> Any:
    """The first four lanes as a word."""
    lanes = ir.Constant(ir.VectorType(I32, 4), [I32(x) for x in range(4)])
    word = builder.bitcast(builder.shuffle_vector(plane, ir.Constant(PLANE, ir.Undefined), lanes), I256)
    return builder.call(builder.module.declare_intrinsic("llvm.bswap", [I256]), [word])


def _emit_keccak(builder: Any, address: Any, size: Any) -> Any:
    before, loop = builder.block, builder.append_basic_block("blocks")
    builder.branch(loop)
    builder.position_at_end(loop)
    place, left = builder.phi(I64), builder.phi(I64)
    planes = [builder.phi(PLANE) for _ in range(SIDE)]
    is_last = builder.icmp_signed("<", left, I64(RATE))
    permuted = _permute(builder, _absorb(builder, planes, place, left, is_last))
    further = (builder.add(place, I64(RATE)), builder.sub(left, I64(RATE)), *permuted)
    first = (address, size, *(_plane([]),) * SIDE)
    for value, start, repeated in zip((place, left, *planes), first, further, strict=True):
        value.add_incoming(start, before)
        value.add_incoming(repeated, builder.block)
    done = builder.append_basic_block("blocks_done")
    builder.cbranch(is_last, done, loop)
    builder.position_at_end(done)
    return _digest(builder, permuted[0])


hash_planes = make_intrinsic(u256, (types.int64, types.int64), _emit_keccak)


@kernel
def keccak(address: int, size: int) -> Word:
    return hash_planes(address, size)

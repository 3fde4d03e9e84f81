# mypy: disable-error-code="no-any-return, import-untyped"
"""Keccak-256 with its state as 25 lanes, for processors without vector registers of 512 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from simulator.evm.kernel.compiler.memory_access import (
    load_limb,
    load_u8,
    load_word_be,
    scratch,
    store_limb,
    zero_memory,
)
from simulator.evm.kernel.compiler.word_type import I64, make_intrinsic
from simulator.evm.kernel.compiler.words import limb
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.native.keccak_tables import LANE_BYTES, RATE, ROTATIONS, ROUND_CONSTANTS, STATE_BYTES
from simulator.evm.kernel.words import Word


def _round(builder: Any, rotate: Any, lanes: list[Any], constant: Any) -> list[Any]:
    """Theta, rho and pi, chi, iota."""
    columns = []
    for x in range(5):
        parity = lanes[x]
        for y in range(1, 5):
            parity = builder.xor(parity, lanes[x + 5 * y])
        columns.append(parity)
    mixes = [builder.xor(columns[(x + 4) % 5], rotate(columns[(x + 1) % 5], 1)) for x in range(5)]
    moved: list[Any] = [None] * 25
    for x in range(5):
        for y in range(5):
            moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(builder.xor(lanes[x + 5 * y], mixes[x]), ROTATIONS[x][y])
    result = []
    for y in range(5):
        for x in range(5):
            beside = builder.and_(builder.not_(moved[(x + 1) % 5 + 5 * y]), moved[(x + 2) % 5 + 5 * y])
            result.append(builder.xor(moved[x + 5 * y], beside))
    result[0] = builder.xor(result[0], constant)
    return result


def _constants_table(builder: Any) -> Any:
    kind = ir.ArrayType(I64, 24)
    table = ir.GlobalVariable(builder.module, kind, builder.module.get_unique_name("round_constants"))
    table.linkage = "internal"
    table.global_constant = True
    table.initializer = ir.Constant(kind, [I64(value) for value in ROUND_CONSTANTS])
    return table


def _emit_permutation(builder: Any, state: Any) -> None:
    """24 rounds as a loop with the lanes in phi nodes: unrolling compiles seven times longer and runs no faster."""
    rotation = builder.module.declare_intrinsic("llvm.fshl", [I64], ir.FunctionType(I64, [I64] * 3))

    def rotate(value: Any, amount: int) -> Any:
        return builder.call(rotation, [value, value, I64(amount)]) if amount else value

    table = _constants_table(builder)
    lanes_pointer = builder.inttoptr(state, I64.as_pointer())
    lanes = [builder.load(builder.gep(lanes_pointer, [I64(index)])) for index in range(25)]
    before = builder.block
    loop = builder.function.append_basic_block("rounds")
    done = builder.function.append_basic_block("rounds_done")
    builder.branch(loop)
    builder.position_at_end(loop)
    index = builder.phi(I64)
    current = [builder.phi(I64) for _ in range(25)]
    index.add_incoming(I64(0), before)
    for lane, first in zip(current, lanes, strict=True):
        lane.add_incoming(first, before)
    following = _round(builder, rotate, current, builder.load(builder.gep(table, [I64(0), index])))
    next_index = builder.add(index, I64(1))
    index.add_incoming(next_index, loop)
    for lane, value in zip(current, following, strict=True):
        lane.add_incoming(value, loop)
    builder.cbranch(builder.icmp_unsigned("<", next_index, I64(24)), loop, done)
    builder.position_at_end(done)
    for position, value in enumerate(following):
        builder.store(value, builder.gep(lanes_pointer, [I64(position)]))


permute = make_intrinsic(types.void, (types.int64,), _emit_permutation)
ONE = np.uint64(1)


@kernel
def absorb_lanes(state: int, source: int, count: int) -> int:
    for index in range(count):
        lane = state + LANE_BYTES * index
        store_limb(lane, load_limb(lane) ^ load_limb(source + LANE_BYTES * index))
    return 0


@kernel
def keccak(address: int, size: int) -> Word:
    state = scratch()
    zero_memory(state, STATE_BYTES)
    while size >= RATE:
        absorb_lanes(state, address, RATE // LANE_BYTES)
        permute(state)
        address += RATE
        size -= RATE
    whole = size >> 3
    absorb_lanes(state, address, whole)
    rest = size & 7
    tail = ONE << limb(8 * rest)
    for index in range(rest):
        tail ^= limb(load_u8(address + LANE_BYTES * whole + index)) << limb(8 * index)
    lane = state + LANE_BYTES * whole
    store_limb(lane, load_limb(lane) ^ tail)
    last = state + RATE - LANE_BYTES
    store_limb(last, load_limb(last) ^ (ONE << np.uint64(63)))
    permute(state)
    return load_word_be(state)

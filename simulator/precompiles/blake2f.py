"""BLAKE2F (0x09): BLAKE2b's compression function F with a chosen number of rounds. EIP-152, RFC 7693 section 3.2."""

from __future__ import annotations

import struct
from collections.abc import Callable, MutableSequence, Sequence
from functools import cache
from typing import cast

from simulator.precompiles.contract import Precompile, PrecompileError, read_number

INPUT_SIZE = 213
ROUNDS_WORTH_COMPILING = 10_000  # well under 0.1 s interpreted; compiling takes most of a second, once a process
MASK = 0xFFFFFFFFFFFFFFFF
INITIALISATION_VECTOR = (
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
)  # fmt: skip
SIGMA = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
LANES = (  # columns, then diagonals
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip

Rounds = Callable[[int, MutableSequence[int], Sequence[int]], None]


def rounds_price(data: bytes) -> int:
    """One gas a round. Another length than 213 bytes fails, whatever the gas."""
    if len(data) != INPUT_SIZE:
        raise PrecompileError(f"BLAKE2F takes {INPUT_SIZE} bytes")
    return read_number(data, 0, 4)


def compress(data: bytes) -> bytes:
    """Input: rounds (4 bytes, big-endian), state (8 words), message block (16 words), offset (2 words), all words of 8
    bytes little-endian, and a byte that is 1 for the last block, else 0. Output: the state after, 64 bytes."""
    if data[-1] > 1:
        raise PrecompileError("the last byte of BLAKE2F's input is 0 or 1")
    rounds = read_number(data, 0, 4)
    state = struct.unpack_from("<8Q", data, 4)
    message = struct.unpack_from("<16Q", data, 68)
    offset = struct.unpack_from("<2Q", data, 196)
    work = [*state, *INITIALISATION_VECTOR]
    work[12] ^= offset[0]
    work[13] ^= offset[1]
    work[14] ^= MASK * data[-1]
    work = _mixed(rounds, work, message)
    return struct.pack("<8Q", *(state[i] ^ work[i] ^ work[i + 8] for i in range(8)))


def _mixed(rounds: int, work: list[int], message: tuple[int, ...]) -> list[int]:
    if rounds < ROUNDS_WORTH_COMPILING:
        mix(rounds, work, message)
        return work
    import numpy as np

    array = np.array(work, dtype=np.uint64)
    _compiled_mix()(rounds, array, np.array(message, dtype=np.uint64))  # type: ignore[arg-type]
    return cast("list[int]", array.tolist())


def mix(rounds: int, work: MutableSequence[int], message: Sequence[int]) -> None:
    """The rounds, in place, on 16 words of 64 bits. Runs interpreted on Python's integers and compiled on uint64."""
    for number in range(rounds):
        order = SIGMA[number % 10]
        for lane in range(8):
            i, j, k, m = LANES[lane]
            a, b, c, d = work[i], work[j], work[k], work[m]
            a = (a + b + message[order[2 * lane]]) & MASK
            d ^= a
            d = (d >> 32) | (d << 32) & MASK
            c = (c + d) & MASK
            b ^= c
            b = (b >> 24) | (b << 40) & MASK
            a = (a + b + message[order[2 * lane + 1]]) & MASK
            d ^= a
            d = (d >> 16) | (d << 48) & MASK
            c = (c + d) & MASK
            b ^= c
            b = (b >> 63) | (b << 1) & MASK
            work[i], work[j], work[k], work[m] = a, b, c, d


@cache
def _compiled_mix() -> Rounds:
    from numba import njit

    return cast("Rounds", njit(nogil=True)(mix))


PRECOMPILES = (Precompile(0x09, "BLAKE2F", "istanbul", rounds_price, compress),)

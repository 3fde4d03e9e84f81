"""0x09: the compression function F of BLAKE2b (EIP-152, RFC 7693)."""

from __future__ import annotations

from simulator.evm.precompiles.result import InvalidInputError, PrecompileResult, paid

INPUT_SIZE = 213
MASK = (1 << 64) - 1
INITIAL = (
    0x6A09E667F3BCC908,
    0xBB67AE8584CAA73B,
    0x3C6EF372FE94F82B,
    0xA54FF53A5F1D36F1,
    0x510E527FADE682D1,
    0x9B05688C2B3E6C1F,
    0x1F83D9ABFB41BD6B,
    0x5BE0CD19137E2179,
)
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
LANES = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def _rotate(value: int, amount: int) -> int:
    return (value >> amount | value << (64 - amount)) & MASK


def _mix(v: list[int], lane: tuple[int, int, int, int], x: int, y: int) -> None:
    a, b, c, d = lane
    v[a] = (v[a] + v[b] + x) & MASK
    v[d] = _rotate(v[d] ^ v[a], 32)
    v[c] = (v[c] + v[d]) & MASK
    v[b] = _rotate(v[b] ^ v[c], 24)
    v[a] = (v[a] + v[b] + y) & MASK
    v[d] = _rotate(v[d] ^ v[a], 16)
    v[c] = (v[c] + v[d]) & MASK
    v[b] = _rotate(v[b] ^ v[c], 63)


def _numbers(data: bytes) -> list[int]:
    return [int.from_bytes(data[index : index + 8], "little") for index in range(0, len(data), 8)]


def _compress(rounds: int, state: list[int], message: list[int], offset: list[int], final: bool) -> list[int]:
    v = [*state, *INITIAL]
    v[12] ^= offset[0]
    v[13] ^= offset[1]
    if final:
        v[14] ^= MASK
    for number in range(rounds):
        schedule = SIGMA[number % 10]
        for index, lane in enumerate(LANES):
            _mix(v, lane, message[schedule[2 * index]], message[schedule[2 * index + 1]])
    return [state[index] ^ v[index] ^ v[index + 8] for index in range(8)]


def _run(data: bytes) -> bytes:
    if len(data) != INPUT_SIZE or data[-1] > 1:
        raise InvalidInputError
    rounds = int.from_bytes(data[:4], "big")
    result = _compress(rounds, _numbers(data[4:68]), _numbers(data[68:196]), _numbers(data[196:212]), data[-1] == 1)
    return b"".join(number.to_bytes(8, "little") for number in result)


def blake2f(data: bytes, gas: int) -> PrecompileResult:
    """0x09: one gas a round."""
    rounds = int.from_bytes(data[:4], "big") if len(data) == INPUT_SIZE else 0
    return paid(gas, rounds, lambda: _run(data))

"""MODEXP (0x05): base ** exponent % modulus on numbers of any length.

Behaviour: EIP-198. Gas: EIP-198 in Istanbul, EIP-2565 from Berlin, EIP-7883 from Osaka, where EIP-7823 also bounds each
length to 1024 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from simulator.precompiles.contract import Precompile, PrecompileError, read_number

HEADER = 96


@dataclass(frozen=True)
class Schedule:
    """Prices of the operation in one fork: complexity(longest operand) * iterations // divisor, at least `minimum`.
    `tail_weight` is what an exponent byte beyond the first 32 adds to the iterations."""

    complexity: Callable[[int], int]
    tail_weight: int
    divisor: int
    minimum: int
    longest: int | None = None


@dataclass(frozen=True)
class Operands:
    """Lengths of the three numbers, in bytes, as the header claims them: up to 2**256 - 1, whatever the input holds."""

    base: int
    exponent: int
    modulus: int

    @property
    def exponent_start(self) -> int:
        return HEADER + self.base

    @property
    def modulus_start(self) -> int:
        return self.exponent_start + self.exponent


def _complexity_eip198(length: int) -> int:
    if length <= 64:
        return length**2
    if length <= 1024:
        return length**2 // 4 + 96 * length - 3072
    return length**2 // 16 + 480 * length - 199680


def _complexity_eip2565(length: int) -> int:
    return ((length + 7) // 8) ** 2


def _complexity_eip7883(length: int) -> int:
    return 16 if length <= 32 else 2 * ((length + 7) // 8) ** 2


EIP198 = Schedule(_complexity_eip198, tail_weight=8, divisor=20, minimum=0)
EIP2565 = Schedule(_complexity_eip2565, tail_weight=8, divisor=3, minimum=200)
EIP7883 = Schedule(_complexity_eip7883, tail_weight=16, divisor=1, minimum=500, longest=1024)


def price(schedule: Schedule, data: bytes) -> int:
    """Gas of an input; `PrecompileError` where a length is over the schedule's bound."""
    operands = _operands(data)
    if schedule.longest is not None and max(operands.base, operands.exponent, operands.modulus) > schedule.longest:
        raise PrecompileError("an operand of MODEXP is longer than the fork allows")
    complexity = schedule.complexity(max(operands.base, operands.modulus))
    gas = complexity * _iterations(schedule, operands, data) // schedule.divisor
    return max(schedule.minimum, gas)


def _iterations(schedule: Schedule, operands: Operands, data: bytes) -> int:
    head = read_number(data, operands.exponent_start, min(32, operands.exponent))
    tail = schedule.tail_weight * max(0, operands.exponent - 32)
    return max(1, tail + max(0, head.bit_length() - 1))


def power(data: bytes) -> bytes:
    """Input: lengths of base, exponent and modulus, a word each, then the three. Output: as long as the modulus; zero
    for a modulus of zero."""
    operands = _operands(data)
    if operands.modulus == 0:  # the price then says nothing about the exponent's length: it must not be read
        return b""
    modulus = read_number(data, operands.modulus_start, operands.modulus)
    if modulus == 0:
        return bytes(operands.modulus)
    base = read_number(data, HEADER, operands.base)
    exponent = read_number(data, operands.exponent_start, operands.exponent)
    return pow(base, exponent, modulus).to_bytes(operands.modulus, "big")


def _operands(data: bytes) -> Operands:
    return Operands(read_number(data, 0), read_number(data, 32), read_number(data, 64))


PRECOMPILES = (
    Precompile(0x05, "MODEXP", "istanbul", partial(price, EIP198), power),
    Precompile(0x05, "MODEXP", "berlin", partial(price, EIP2565), power),
    Precompile(0x05, "MODEXP", "osaka", partial(price, EIP7883), power),
)

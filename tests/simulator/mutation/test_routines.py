"""Arithmetic that mutants bring along computes and panics as Solidity's does."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from simulator.evm.host import Host
from simulator.evm.machine import Machine
from simulator.kernel_loader import load_kernel
from simulator.mutation.mutant import Routine
from simulator.mutation.routines import assemble_routine, assembled, number_type, push

WORD = 1 << 256
ADDRESS = 0xC0DE
RETURN = assembled("0 MSTORE 32 0 RETURN")


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine(load_kernel(), Host)


def computed(machine: Machine, routine: Routine, *numbers: int) -> int | None:
    """What the routine leaves, None for a panic. The caller's label is the byte behind its jump."""
    arguments = b"".join(push(number % WORD, 32) for number in reversed(numbers))
    label = 3 + len(arguments) + 3 + 1
    base = label + 1 + len(RETURN)
    code = push(label, 2) + arguments + push(base, 2) + b"\x56\x5b" + RETURN
    assert len(code) == base
    machine.set_account(ADDRESS, code=code + assemble_routine(routine, base))
    result = machine.transact(sender=1, to=ADDRESS, gas=1_000_000)
    return int.from_bytes(result.output, "big") if result.success else None


def expected(routine: Routine, first: int, second: int) -> int | None:
    signed, bits = number_type(routine.type)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    operator = routine.operator[0]
    if operator in "/%" and second == 0:
        return None if routine.checked else 0
    sign = -1 if (first < 0) != (second < 0) else 1
    value = {
        "+": lambda: first + second,
        "-": lambda: first - second,
        "*": lambda: first * second,
        "/": lambda: sign * (abs(first) // abs(second)),
        "%": lambda: abs(first) % abs(second) * (-1 if first < 0 else 1),
    }[operator]()
    if not low <= value <= high:
        if routine.checked:
            return None
        value = (value - low) % (1 << bits) + low
    return value % WORD


def numbers(type_: str) -> Iterator[int]:
    signed, bits = number_type(type_)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    yield from (low, high, 0, 1, 2, high // 2, high // 2 + 1, 3)
    if signed:
        yield from (-1, -2, low + 1)
    source = random.Random(type_)
    yield from (source.randint(low, high) for _ in range(3))


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("type_", ["uint256", "uint8", "uint136", "int256", "int8", "int136"])
@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "%"])
def test_a_routine_computes_what_the_operator_means(machine: Machine, operator: str, type_: str, checked: bool) -> None:
    """At the ends of each type and between them, with its panics."""
    routine = Routine(operator, type_, checked)
    for first in numbers(type_):
        for second in numbers(type_):
            assert computed(machine, routine, first, second) == expected(routine, first, second), (first, second)


def test_one_more_and_one_less_take_one_number(machine: Machine) -> None:
    """As the helpers of `++` and `--` do."""
    assert computed(machine, Routine("+1", "uint8", True), 7) == 8
    assert computed(machine, Routine("+1", "uint8", True), 255) is None
    assert computed(machine, Routine("-1", "uint8", True), 0) is None
    assert computed(machine, Routine("-1", "uint8", False), 0) == 255


def test_other_bits_of_short_numbers_are_ignored(machine: Machine) -> None:
    """The compiler leaves them as they come."""
    assert computed(machine, Routine("+", "uint8", True), 0x105, 0x203) == 8

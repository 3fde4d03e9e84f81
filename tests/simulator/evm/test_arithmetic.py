"""Arithmetic, comparison and bit instructions against Python's integers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.evm.assembly import assemble
from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine

M = 1 << 256
EDGES = [
    0,
    1,
    2,
    3,
    31,
    32,
    255,
    256,
    2**64 - 1,
    2**64,
    2**128 - 1,
    2**128,
    2**192 + 5,
    2**255 - 1,
    2**255,
    M - 2,
    M - 1,
]
words = st.one_of(st.sampled_from(EDGES), st.integers(0, M - 1), st.integers(0, 2**64), st.integers(0, 2**130))


def signed(x: int) -> int:
    return x - M if x >> 255 else x


def divide_signed(a: int, b: int) -> int:
    a, b = signed(a), signed(b)
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def modulo_signed(a: int, b: int) -> int:
    a, b = signed(a), signed(b)
    return 0 if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


def sign_extend(index: int, value: int) -> int:
    if index >= 31:
        return value
    bits = 8 * index + 8
    low = value % (1 << bits)
    return low - (1 << bits) if low >> (bits - 1) else low


OPERATIONS: dict[str, tuple[int, Callable[..., int]]] = {
    "ADD": (2, lambda a, b: a + b),
    "MUL": (2, lambda a, b: a * b),
    "SUB": (2, lambda a, b: a - b),
    "DIV": (2, lambda a, b: a // b if b else 0),
    "SDIV": (2, divide_signed),
    "MOD": (2, lambda a, b: a % b if b else 0),
    "SMOD": (2, modulo_signed),
    "ADDMOD": (3, lambda a, b, n: (a + b) % n if n else 0),
    "MULMOD": (3, lambda a, b, n: a * b % n if n else 0),
    "EXP": (2, lambda a, b: pow(a, b, M)),
    "SIGNEXTEND": (2, sign_extend),
    "LT": (2, lambda a, b: int(a < b)),
    "GT": (2, lambda a, b: int(a > b)),
    "SLT": (2, lambda a, b: int(signed(a) < signed(b))),
    "SGT": (2, lambda a, b: int(signed(a) > signed(b))),
    "EQ": (2, lambda a, b: int(a == b)),
    "ISZERO": (1, lambda a: int(a == 0)),
    "AND": (2, lambda a, b: a & b),
    "OR": (2, lambda a, b: a | b),
    "XOR": (2, lambda a, b: a ^ b),
    "NOT": (1, lambda a: M - 1 - a),
    "BYTE": (2, lambda i, x: x >> (248 - 8 * i) & 255 if i < 32 else 0),
    "SHL": (2, lambda n, x: x << n if n < 256 else 0),
    "SHR": (2, lambda n, x: x >> n if n < 256 else 0),
    "SAR": (2, lambda n, x: signed(x) >> min(n, 256)),
    "CLZ": (1, lambda a: 256 - a.bit_length()),
}


@pytest.mark.parametrize("name", OPERATIONS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_an_instruction_computes_what_python_computes(
    name: str, compiled: Kernel, plain: Kernel, data: st.DataObject
) -> None:
    """Both kernels give the value of Python's integers, modulo 2**256."""
    count, expected = OPERATIONS[name]
    operands = [data.draw(words) for _ in range(count)]
    code = assemble(" ".join(f"{operand:#x}" for operand in reversed(operands)) + f" {name} 0 MSTORE 32 0 RETURN")
    for kernel in (compiled, plain):
        machine = cached_machine(kernel)
        machine.set_account(0xC0DE, code=code)
        result = machine.transact(sender=1, to=0xC0DE, gas=100_000)
        assert int.from_bytes(result.output, "big") == expected(*operands) % M


_machines: dict[int, Machine] = {}


def cached_machine(kernel: Kernel) -> Machine:
    """One machine per kernel: making one for each example would take most of the time."""
    return _machines.setdefault(id(kernel), Machine(kernel, Host, fork="osaka"))

"""Functions that mutants bring along: arithmetic as the compiler's helpers do it, other operation and all.

On entry the stack holds the return address, the second number and, on top, the first; on return the result. Numbers of
fewer than 256 bits are brought to their range first, since the compiler leaves other bits as they come.
"""

from __future__ import annotations

import re

from simulator.evm.opcodes import OPCODES
from simulator.mutation.mutant import Routine

_BYTES = {opcode.name: opcode.byte for opcode in OPCODES.values()}
_PUSH1, _PUSH2, _JUMPDEST = 0x60, 0x61, 0x5B
_NUMBER_TYPE = re.compile(r"(u?)int(\d+)")
_OVERFLOW, _DIVISION = 0x11, 0x12
_PANIC = 0x4E487B71 << 224
_UNSIGNED = {"+": "ADD", "-": "SUB", "*": "MUL", "/": "DIV", "%": "MOD", "&": "AND", "|": "OR", "^": "XOR"}
_SIGNED = {**_UNSIGNED, "/": "SDIV", "%": "SMOD"}


def number_type(name: str) -> tuple[bool, int]:
    """Return whether a type is signed, and its bits. Raises `ValueError` for what is no number."""
    match = _NUMBER_TYPE.fullmatch(name)
    if match is None:
        raise ValueError(f"{name!r} is no type of numbers")
    return not match[1], int(match[2])


def opcode_of(operator: str, *, signed: bool) -> str | None:
    """The instruction that computes an operator, where one does."""
    return (_SIGNED if signed else _UNSIGNED).get(operator)


def assemble_routine(routine: Routine, base: int) -> bytes:
    """The routine's code, to stand at `base`."""
    signed, bits = number_type(routine.type)
    operator = routine.operator[:1]
    words = ["@entry", *(("1", "SWAP1") if routine.operator.endswith("1") else ())]
    words += [*_in_range(signed, bits), "SWAP1", *_in_range(signed, bits), "SWAP1"]
    opcode = opcode_of(operator, signed=signed)
    assert opcode is not None, "mutants are made of operators that have an instruction"
    if operator in "/%":
        words += ["DUP2", "ISZERO", ">division", "JUMPI"] if routine.checked else []
        if routine.checked and signed and operator == "/":
            lowest = (1 << 256) - (1 << (bits - 1))
            words += ["DUP1", str(lowest), "EQ", "DUP3", str((1 << 256) - 1), "EQ", "AND", ">overflow", "JUMPI"]
        words += [opcode, *(() if routine.checked else _in_range(signed, bits))]
    elif routine.checked and operator in "+-*":
        words += _checked(operator, signed, bits)
    else:
        words += [opcode, *_in_range(signed, bits)]
    words += ["SWAP1", "JUMP"]
    for label, code in (("overflow", _OVERFLOW), ("division", _DIVISION)):
        words += [f"@{label}", str(_PANIC), "0", "MSTORE", str(code), "4", "MSTORE", "36", "0", "REVERT"]
    return _assemble(words, base)


def _in_range(signed: bool, bits: int) -> list[str]:
    """Bring the number on top to the range of its type."""
    if bits == 256:
        return []
    return [str(bits // 8 - 1), "SIGNEXTEND"] if signed else [str((1 << bits) - 1), "AND"]


def _checked(operator: str, signed: bool, bits: int) -> list[str]:
    """From first and second number, the first on top, to the result."""
    words = {
        # Kept below the result: second, first.
        "+": ["DUP2", "DUP2", "ADD"],
        "-": ["DUP2", "DUP2", "SUB"],
        "*": ["DUP2", "DUP2", "MUL"],
    }[operator]
    # The stack: second, first, result.
    if operator == "*":
        divide = "SDIV" if signed else "DIV"
        # No overflow where the first is zero, or result / first is the second; -1 times the lowest divides back to it.
        words += ["DUP2", "ISZERO", "DUP3", "DUP3", divide, "DUP5", "EQ", "OR", "ISZERO", ">overflow", "JUMPI"]
        if signed:
            lowest = (1 << 256) - (1 << 255)
            words += ["DUP2", str((1 << 256) - 1), "EQ", "DUP4", str(lowest), "EQ", "AND", ">overflow", "JUMPI"]
    elif not signed:
        words += ["DUP2", "DUP2", "LT"] if operator == "+" else ["DUP3", "DUP3", "LT"]
        words += [">overflow", "JUMPI"]
    else:
        # Overflow where (second < 0) is not (result < first) for +, not (result > first) for -.
        compare = "SLT" if operator == "+" else "SGT"
        words += ["DUP2", "DUP2", compare, "0", "DUP5", "SLT", "XOR", ">overflow", "JUMPI"]
    if bits < 256:
        words += ["DUP1", *_in_range(signed, bits), "DUP2", "EQ", "ISZERO", ">overflow", "JUMPI"]
    return [*words, "SWAP2", "POP", "POP"]


def _assemble(words: list[str], base: int) -> bytes:
    """Instructions, numbers, `@label` for a JUMPDEST and `>label` for its address."""
    code = bytearray()
    labels: dict[str, int] = {}
    waiting: list[tuple[int, str]] = []
    for word in words:
        if word.startswith("@"):
            labels[word[1:]] = base + len(code)
            code.append(_JUMPDEST)
        elif word.startswith(">"):
            waiting.append((len(code) + 1, word[1:]))
            code += bytes((_PUSH2, 0, 0))
        elif word.isdigit():
            code += push(int(word))
        else:
            code.append(_BYTES[word])
    for place, label in waiting:
        code[place : place + 2] = labels[label].to_bytes(2, "big")
    return bytes(code)


def push(value: int, size: int = 0) -> bytes:
    """The PUSH of a number, in at least `size` bytes of data."""
    size = max(size, (value.bit_length() + 7) // 8, 1)
    return bytes((_PUSH1 + size - 1,)) + value.to_bytes(size, "big")


def assembled(text: str) -> bytes:
    """Instructions without jumps, and numbers, in words."""
    return _assemble(text.split(), 0)

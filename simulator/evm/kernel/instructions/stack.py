"""0x50 and 0x5f to 0x9f: the stack."""

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import duplicate, exchange, instruction
from simulator.evm.kernel.records import Cell
from simulator.evm.kernel.words import Word


@instruction("PUSH")
def push(argument: int) -> Word:
    """All PUSHes, PC and CODESIZE: the argument is the address of the constant."""
    return Cell(argument).word


@instruction("POP")
def pop(value: Word) -> None:
    """The operand is gone."""


@instruction("DUP", depths=range(1, 17))
def dup(depth: int) -> None:
    duplicate(depth)


@instruction("SWAP", depths=range(1, 17))
def swap(depth: int) -> None:
    exchange(depth)

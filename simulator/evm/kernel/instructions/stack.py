"""0x50 and 0x5f to 0x9f: the stack."""

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import instruction
from simulator.evm.kernel.memory_access import load_word, store_word
from simulator.evm.kernel.words import Word


@instruction("PUSH")
def push(argument: int) -> Word:
    """All PUSHes, PC and CODESIZE: the argument is the address of the constant."""
    return load_word(argument)


@instruction("POP")
def pop(sp: int) -> None:
    sp -= 32


@instruction("DUP")
def dup(sp: int, argument: int) -> Word:
    """The argument is the distance of the copied slot from SP, in bytes."""
    return load_word(sp - argument)


@instruction("SWAP")
def swap(sp: int, argument: int) -> None:
    top = load_word(sp - 32)
    store_word(sp - 32, load_word(sp - argument))
    store_word(sp - argument, top)

"""The language of instruction bodies.

A body is a Python function that the generator pastes into the interpreter's loop. Its parameters say what it uses:

* names of `LOCALS` are the interpreter's own variables; assigning to one changes the interpreter's state;
* `argument` and `extra` are the two numbers of the decoded instruction;
* every parameter annotated `Word` is an operand, taken from the stack in order, top first.

`return value` at the end pushes a word. The functions of this file are pasted in the same way. Four of them are known
to the generator itself: `halt`, `jump`, `end_block` and `save_state`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from simulator.evm.kernel.comparisons import append_comparison
from simulator.evm.kernel.coverage import count_new
from simulator.evm.kernel.layout import context
from simulator.evm.kernel.memory import grow
from simulator.evm.kernel.memory_access import load_i64, store_i64
from simulator.evm.kernel.status import OUT_OF_GAS
from simulator.evm.kernel.words import Word

LOCALS = (
    "c",  # address of the context
    "ip",  # address of the decoded instruction
    "sp",  # address of the first free stack slot
    "gas",
    "memory",
    "memory_size",
    "stack",
    "calldata",
    "calldata_size",
    "cells",
    "cell",
    "depth_bit",
    "output",  # where the output of a frame that ends is, and how long
    "output_size",
)

Body = TypeVar("Body", bound=Callable[..., Any])
BODIES: dict[str, Callable[..., Any]] = {}
MACROS: dict[str, Callable[..., Any]] = {}


def instruction(name: str) -> Callable[[Body], Body]:
    """Register a body as the handler of this name."""

    def register(body: Body) -> Body:
        if name in BODIES:
            raise ValueError(f"two bodies for {name}")
        BODIES[name] = body
        return body

    return register


def macro(body: Body) -> Body:
    """Register a function that is pasted where it is called as a statement."""
    MACROS[body.__name__] = body
    return body


def halt(status: int) -> NoReturn:
    """End the frame with this status, or leave the loop with EXIT or FRAME_SWITCHED."""
    raise AssertionError("pasted by the generator")


def jump(target: int) -> NoReturn:
    """Go on at this block header."""
    raise AssertionError("pasted by the generator")


def end_block() -> NoReturn:
    """The instruction was the last of its block: go on at the header behind it."""
    raise AssertionError("pasted by the generator")


def save_state() -> None:
    """Write IP, SP, GAS, MEMORY_SIZE and CELL back to the context, before something that reads them or exits."""
    raise AssertionError("pasted by the generator")


@macro
def charge(gas: int, amount: int) -> None:
    """Take gas."""
    gas -= amount
    if gas < 0:
        halt(OUT_OF_GAS)


@macro
def checked(gas: int) -> None:
    """After a function that returns the gas left or -status: halt with the status."""
    if gas < 0:
        halt(-gas)


@macro
def touch_memory(c: int, gas: int, memory_size: int, end: int) -> None:
    """Make sure that memory reaches to `end`."""
    if end > memory_size:
        save_state()
        gas = grow(c, end, memory_size, gas)
        if gas < 0:
            halt(-gas)
        memory_size = (end + 31) & ~31


@macro
def count_side(c: int, side: int) -> None:
    """Count a hit of one side of a JUMPI."""
    hits = load_i64(side) + 1
    store_i64(side, hits)
    if hits == 1:
        count_new(c)


@macro
def log_comparison(c: int, left: Word, right: Word, pc: int) -> None:
    """Append to the comparison log when it is on."""
    if load_i64(c + context.COMPARISONS_ON):
        append_comparison(c, left, right, pc)

"""The language of instruction bodies.

A body is a Python function that the generator pastes into the interpreter's loop. Its parameters say what it uses:

* names of `LOCALS` are the interpreter's own variables; assigning to one changes the interpreter's state;
* `argument` and `extra` are the two numbers of the decoded instruction;
* every parameter annotated `Word` is an operand, taken from the stack in order, top first.

`return value` at the end pushes a word. The functions of this file are pasted in the same way. The first six are known
to the generator itself, see `pasting.py`.

The stack in memory is up to date for a body that has `sp` among its parameters, and after `save_state()`, as it was
before the instruction. Otherwise its topmost words may be variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn, TypeVar

from simulator.evm.kernel.feedback.comparisons import append_comparison
from simulator.evm.kernel.feedback.coverage import count_new
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.memory.memory import grow
from simulator.evm.kernel.status import OUT_OF_GAS
from simulator.evm.kernel.words import Word

LOCALS = (
    "machine",
    "ip",  # address of the decoded instruction
    "sp",  # first free stack slot: sp[-1] is the top
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

Function = TypeVar("Function", bound=Callable[..., Any])


class Body(NamedTuple):
    """Body of an instruction's handler; `depth` is a number that belongs to its name, as in DUP3."""

    function: Callable[..., Any]
    depth: int = 0


BODIES: dict[str, Body] = {}
MACROS: dict[str, Callable[..., Any]] = {}


def instruction(name: str, depths: Iterable[int] = ()) -> Callable[[Function], Function]:
    """Register a body as the handler of this name. With `depths`, of this name followed by each of them; the body's
    parameter `depth` is that constant."""

    def register(function: Function) -> Function:
        bodies = {f"{name}{depth}": Body(function, depth) for depth in depths} or {name: Body(function)}
        if bodies.keys() & BODIES.keys():
            raise ValueError(f"two bodies for {name}")
        BODIES.update(bodies)
        return function

    return register


def macro(function: Function) -> Function:
    """Register a function that is pasted where it is called as a statement."""
    MACROS[function.__name__] = function
    return function


def halt(status: int) -> NoReturn:
    """End the frame with this status, or leave the loop with EXIT or FRAME_SWITCHED."""
    raise AssertionError("pasted by the generator")


def jump(target: int) -> NoReturn:
    """Continue at this block header."""
    raise AssertionError("pasted by the generator")


def end_block() -> NoReturn:
    """The instruction was the last of its block: continue at the header behind it."""
    raise AssertionError("pasted by the generator")


def save_state() -> None:
    """Write `ip`, `sp`, `gas`, `memory_size` and `cell` back to the context, before something reads them or exits."""
    raise AssertionError("pasted by the generator")


def duplicate(depth: int) -> None:
    """Push a copy of a word of the stack; 1 is the top."""
    raise AssertionError("pasted by the generator")


def exchange(depth: int) -> None:
    """Exchange the top of the stack with the word so far below it."""
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
def touch_memory(machine: Context, gas: int, memory_size: int, end: int) -> None:
    """Make sure that memory reaches to `end`."""
    if end > memory_size:
        save_state()
        gas = grow(machine, end, memory_size, gas)
        if gas < 0:
            halt(-gas)
        memory_size = (end + 31) & ~31


@macro
def count_side(machine: Context, side: CoverageCell) -> None:
    """Count a hit of one side of a JUMPI."""
    machine.last_side = side
    hits = side.bits + 1
    side.bits = hits
    if hits == 1:
        count_new(machine)


@macro
def log_comparison(machine: Context, left: Word, right: Word, pc: int) -> None:
    """Append to the comparison log when it is on."""
    if machine.comparisons_on:
        append_comparison(machine, left, right, pc)

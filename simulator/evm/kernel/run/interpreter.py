"""Writes the interpreter: `run(machine)`, one loop over blocks and, inside, one dense dispatch over the pasted bodies.

`source()` is the text; it is registered with linecache, so tracebacks and debuggers show it, and
`python -m simulator.evm.kernel.run.interpreter` prints it.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import sys
import textwrap
from collections.abc import Callable
from typing import Any, Protocol

from simulator.evm.kernel.calls import resuming
from simulator.evm.kernel.code.superinstructions import JOINT, SEQUENCES
from simulator.evm.kernel.instructions import (
    arithmetic,
    bitwise,
    comparison,
    compiled,
    control,
    data,
    environment,
    macros,
    memory,
    stack,
    storage,
    system,
)
from simulator.evm.kernel.instructions.macros import BODIES
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.records import Words, pointer
from simulator.evm.kernel.run.pasting import Paster

INSTRUCTION_MODULES = (
    arithmetic,
    comparison,
    bitwise,
    stack,
    memory,
    data,
    storage,
    environment,
    control,
    system,
    compiled,
)
"""Every module of instructions, in the order of their handlers' numbers."""
FILE_NAME = "<interpreter>"
_RELOADED = (
    "ip",
    "sp",
    "gas",
    "memory",
    "memory_size",
    "stack",
    "calldata",
    "calldata_size",
    "cells",
    "cell",
    "depth_bit",
)

# Pasted for a debugger that decodes every instruction as a block of its own, see simulator/evm/stepping.py.
_BEFORE_BLOCK = """\
            before_step(machine, ip, sp, gas, memory_size)
"""
_AFTER_INSTRUCTION = """\
            break
        after_step(machine, status, gas)
"""

_TEMPLATE = """
def run(machine: Context) -> int:
    how = machine.resume
    inside = how == RESUME_INSTRUCTION
    result = resume(machine, how)
    if result != FRAME_SWITCHED:
        return result
{reload}
    output = 0
    output_size = 0
    while True:
        status = NEXT_BLOCK
        if inside:
            inside = False
        else:
{before_block}            gas -= Instruction(ip).block_gas
            depth = pointer(sp) - pointer(stack)
            minimum = Instruction(ip).block_minimum
            if gas < 0 or depth < minimum or depth > Instruction(ip).block_maximum or machine.wants_pause:
                status = block_failure(machine, Instruction(ip), gas, depth)
                if status == EXIT:
                    machine.ip = ip
                    machine.sp = sp
                    machine.gas = gas + Instruction(ip).block_gas
                    machine.memory_size = memory_size
                    machine.cell = cell
            else:
                cell = CoverageCell(cells + Instruction(ip).block_cell)
                hits = cell.bits + 1
                cell.bits = hits
                if hits & depth_bit == 0:
                    note_depth(machine, cell, depth_bit)
                ip += Instruction.SIZE
        while status == NEXT_BLOCK:
            handler = Instruction(ip).handler
{handlers}
            else:
                impossible()
                break
{after_instruction}        if status == NEXT_BLOCK:
            continue
        if status == EXIT:
            return EXIT
        if status != FRAME_SWITCHED:
            status = leave(machine, status, gas, output, output_size, cell)
            if status != FRAME_SWITCHED:
                return status
{reload_again}
"""


def handler_names() -> tuple[str, ...]:
    """All handlers; a handler's number is its index."""
    order = {module.__name__: number for number, module in enumerate(INSTRUCTION_MODULES)}
    single = sorted(BODIES, key=lambda name: order[BODIES[name].function.__module__])
    return (*single, *(JOINT.join(sequence) for sequence in SEQUENCES))


def _handler(number: int, name: str) -> list[ast.stmt]:
    """The statements of one handler: an instruction, or a sequence of them."""
    return Paster(str(number)).handler(name.split(JOINT))


def _text(statements: list[ast.stmt], indent: int) -> str:
    module = ast.fix_missing_locations(ast.Module(statements, []))
    return textwrap.indent(ast.unparse(module), " " * indent)


def source(*, stepping: bool = False) -> str:
    """The interpreter's source text; with `stepping`, as `define` needs it for its hooks."""
    chain = []
    for number, name in enumerate(handler_names()):
        chain.append(f"            {'elif' if number else 'if'} handler == {number}:  # {name}")
        chain.append(_text(_handler(number, name), 16))
    reload = "\n".join(f"    {name} = machine.{name}" for name in _RELOADED)
    return _TEMPLATE.format(
        reload=reload,
        handlers="\n".join(chain),
        reload_again=textwrap.indent(reload, "    "),
        before_block=_BEFORE_BLOCK if stepping else "",
        after_instruction=_AFTER_INSTRUCTION if stepping else "",
    )


def namespace() -> dict[str, Any]:
    """The globals of the interpreter: those of all modules whose bodies it contains."""
    from simulator.evm.kernel import memory_access, status
    from simulator.evm.kernel.calls.leaving import leave
    from simulator.evm.kernel.feedback import coverage
    from simulator.evm.kernel.layout.coverage_cell import CoverageCell
    from simulator.evm.kernel.layout.instruction import Instruction

    names: dict[str, Any] = {}
    for module in [*INSTRUCTION_MODULES, macros, resuming, coverage, memory_access, status]:
        names.update({name: value for name, value in vars(module).items() if not name.startswith("_")})
    names.update(Context=Context, CoverageCell=CoverageCell, Instruction=Instruction, leave=leave, pointer=pointer)
    return names


class StepHooks(Protocol):
    """Sees each instruction of a run whose codes have one instruction in each block."""

    def before_step(self, machine: Context, ip: int, sp: Words, gas: int, memory_size: int) -> None:
        """A block is about to be paid for; `ip` is the address of its header."""

    def after_step(self, machine: Context, status: int, gas: int) -> None:
        """The block's instruction has run, or could not, as the status says. Of a call, the context holds the rest."""


def define(decorate: Callable[[Any], Any] = lambda function: function, hooks: StepHooks | None = None) -> Any:
    """The function `run`, passed through `decorate`. With `hooks`, which cannot be compiled, one that can be stepped
    through."""
    text = source(stepping=hooks is not None)
    linecache.cache[FILE_NAME] = (len(text), None, text.splitlines(keepends=True), FILE_NAME)
    names = namespace()
    if hooks is not None:
        names.update(before_step=hooks.before_step, after_step=hooks.after_step)
    program = compile(text, FILE_NAME, "exec", flags=__future__.annotations.compiler_flag)
    exec(program, names)  # noqa: S102 - text made from this package's own functions
    return decorate(names["run"])


if __name__ == "__main__":
    sys.stdout.write(source())

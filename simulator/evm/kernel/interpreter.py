"""Writes the interpreter: `run(c)`, one loop over blocks and, inside, one dense dispatch over the pasted bodies.

`source()` is the text; it is registered with linecache, so tracebacks and debuggers show it, and
`python -m simulator.evm.kernel.interpreter` prints it.
"""

from __future__ import annotations
import __future__

import ast
import importlib
import linecache
import sys
import textwrap
from collections.abc import Callable
from typing import Any, Protocol

from simulator.evm.kernel import resuming
from simulator.evm.kernel.instructions import macros
from simulator.evm.kernel.instructions.macros import BODIES
from simulator.evm.kernel.pasting import Paster
from simulator.evm.kernel.superinstructions import JOINT, SEQUENCES

INSTRUCTION_MODULES = (
    "arithmetic",
    "comparison",
    "bitwise",
    "stack",
    "memory",
    "data",
    "environment",
    "storage",
    "control",
    "system",
    "compiled",
)
FILE_NAME = "<interpreter>"
_RELOADED = {
    "ip": "IP",
    "sp": "SP",
    "gas": "GAS",
    "memory": "MEMORY",
    "memory_size": "MEMORY_SIZE",
    "stack": "STACK",
    "calldata": "CALLDATA",
    "calldata_size": "CALLDATA_SIZE",
    "cells": "CELLS",
    "cell": "CELL",
    "depth_bit": "DEPTH_BIT",
}

# Pasted for a debugger that decodes every instruction as a block of its own, see simulator/evm/stepping.py.
_BEFORE_BLOCK = """\
            before_step(c, ip, sp, gas, memory_size)
"""
_AFTER_INSTRUCTION = """\
            break
        after_step(c, status, gas)
"""

_TEMPLATE = """
def run(c: int) -> int:
    how = load_i64(c + context.RESUME)
    inside = how == RESUME_INSTRUCTION
    result = resume(c, how)
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
{before_block}            gas -= load_i32(ip + instruction.BLOCK_GAS)
            depth = sp - stack
            minimum = load_i32(ip + instruction.BLOCK_MINIMUM)
            if gas < 0 or depth < minimum or depth > load_i32(ip + instruction.BLOCK_MAXIMUM):
                status = block_failure(ip, gas, depth)
            else:
                cell = cells + load_i32(ip + instruction.BLOCK_CELL)
                hits = load_i64(cell) + 1
                store_i64(cell, hits)
                if hits & depth_bit == 0:
                    note_depth(c, cell, depth_bit)
                ip += instruction.SIZE
        while status == NEXT_BLOCK:
            handler = load_i32(ip + instruction.HANDLER)
{handlers}
            else:
                impossible()
                break
{after_instruction}        if status == NEXT_BLOCK:
            continue
        if status == EXIT:
            return EXIT
        if status != FRAME_SWITCHED:
            status = leave(c, status, gas, output, output_size, cell)
            if status != FRAME_SWITCHED:
                return status
{reload_again}
"""


def handler_names() -> tuple[str, ...]:
    """All handlers; a handler's number is its index."""
    for module in INSTRUCTION_MODULES:
        importlib.import_module(f"simulator.evm.kernel.instructions.{module}")
    return (*BODIES, *(JOINT.join(sequence) for sequence in SEQUENCES))


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
    reload = "\n".join(f"    {local} = load_i64(c + context.{field})" for local, field in _RELOADED.items())
    return _TEMPLATE.format(
        reload=reload,
        handlers="\n".join(chain),
        reload_again=textwrap.indent(reload, "    "),
        before_block=_BEFORE_BLOCK if stepping else "",
        after_instruction=_AFTER_INSTRUCTION if stepping else "",
    )


def namespace() -> dict[str, Any]:
    """The globals of the interpreter: those of all modules whose bodies it contains."""
    from simulator.evm.kernel import coverage, memory_access, status
    from simulator.evm.kernel.layout import context, instruction
    from simulator.evm.kernel.leaving import leave

    modules = [sys.modules[f"simulator.evm.kernel.instructions.{name}"] for name in INSTRUCTION_MODULES]
    names: dict[str, Any] = {}
    for module in [*modules, macros, resuming, coverage, memory_access, status]:
        names.update({name: value for name, value in vars(module).items() if not name.startswith("_")})
    names.update(context=context, instruction=instruction, leave=leave)
    return names


class StepHooks(Protocol):
    """Sees each instruction of a run whose codes have one instruction in each block."""

    def before_step(self, c: int, ip: int, sp: int, gas: int, memory_size: int) -> None:
        """A block is about to be paid for; `ip` is the address of its header."""

    def after_step(self, c: int, status: int, gas: int) -> None:
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

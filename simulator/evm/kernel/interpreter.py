"""Writes the interpreter: `run(c)`, one loop over blocks and, inside, one dense dispatch over the pasted bodies.

`source()` is the text; it is registered with linecache, so tracebacks and debuggers show it, and
`python -m simulator.evm.kernel.interpreter` prints it.
"""

from __future__ import annotations
import __future__

import ast
import importlib
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from simulator.evm.kernel import resuming
from simulator.evm.kernel.instructions import macros
from simulator.evm.kernel.instructions.macros import BODIES, LOCALS, MACROS
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
_SAVED = {"ip": "IP", "sp": "SP", "gas": "GAS", "memory_size": "MEMORY_SIZE", "cell": "CELL"}

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


def _function_of(body: Callable[..., Any]) -> ast.FunctionDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(body)))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def _without_docstring(statements: list[ast.stmt]) -> list[ast.stmt]:
    first = statements[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return statements[1:]
    return statements


class _Rename(ast.NodeTransformer):
    """Replace names."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def _assigned_names(statements: list[ast.stmt]) -> set[str]:
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _parse(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


class _Paster:
    """Turns one body into statements of the loop. `suffix` keeps its variables apart from those of other bodies;
    `operands` is the number of words that it takes from the stack; `position` is its place in a sequence."""

    def __init__(self, suffix: str, operands: int, position: int) -> None:
        self._suffix = suffix
        self._operands = operands
        self._position = position
        self._temporaries = 0

    def paste(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [result for statement in statements for result in self._statement(statement)]

    def drop_operands(self) -> list[ast.stmt]:
        return _parse(f"sp -= {32 * self._operands}") if self._operands else []

    def step(self) -> list[ast.stmt]:
        """Go behind the instruction."""
        return _parse(f"ip += {self._position + 1} * instruction.SIZE")

    def _statement(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        if isinstance(statement, ast.If):
            yield ast.If(statement.test, self.paste(statement.body), self.paste(statement.orelse))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from self._call(statement, statement.value)
        elif isinstance(statement, ast.Return):
            yield from self._push(statement)
        else:
            yield statement

    def _push(self, statement: ast.Return) -> Iterator[ast.stmt]:
        assert statement.value is not None, "a body returns a word or nothing"
        value = ast.unparse(statement.value)
        yield from _parse(f"store_word(sp - {32 * self._operands}, {value})")
        if self._operands != 1:
            yield from _parse(f"sp -= {32 * (self._operands - 1)}")

    def _call(self, statement: ast.Expr, call: ast.Call) -> Iterator[ast.stmt]:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name == "halt":
            yield from _parse(f"status = {ast.unparse(call.args[0])}")
            yield ast.Break()
        elif name == "jump":
            yield from self.drop_operands()
            yield from _parse(f"ip = {ast.unparse(call.args[0])}")
            yield ast.Break()
        elif name == "end_block":
            yield from self.drop_operands()
            yield from self.step()
            yield ast.Break()
        elif name == "save_state":
            for local, field in _SAVED.items():
                value = _at(self._position) if local == "ip" else local
                yield from _parse(f"store_i64(c + context.{field}, {value})")
        elif name in MACROS:
            yield from self._macro(MACROS[name], call.args)
        else:
            yield statement

    def _macro(self, body: Callable[..., Any], arguments: list[ast.expr]) -> Iterator[ast.stmt]:
        function = _function_of(body)
        statements = _without_docstring(function.body)
        parameters = [parameter.arg for parameter in function.args.args]
        names = {name: f"{name}_{self._suffix}" for name in _assigned_names(statements) - set(LOCALS)}
        for parameter, argument in zip(parameters, arguments, strict=True):
            if isinstance(argument, ast.Name):
                names[parameter] = argument.id
            else:
                self._temporaries += 1
                names[parameter] = f"{parameter}_{self._suffix}_{self._temporaries}"
                yield from _parse(f"{names[parameter]} = {ast.unparse(argument)}")
        yield from self.paste([_Rename(names).visit(statement) for statement in statements])


def _ends(statements: list[ast.stmt]) -> bool:
    return isinstance(statements[-1], ast.Break)


def _at(position: int) -> str:
    """Address of the instruction at a place of a sequence."""
    return f"ip + {position} * instruction.SIZE" if position else "ip"


def _prologue(operands: list[str], names: dict[str, str], position: int) -> list[ast.stmt]:
    """Load the operands and the numbers of the instruction."""
    result: list[ast.stmt] = []
    for place, operand in enumerate(operands):
        result += _parse(f"{names[operand]} = load_word(sp - {32 * (place + 1)})")
    if "argument" in names:
        result += _parse(f"{names['argument']} = load_i64({_at(position)} + instruction.ARGUMENT)")
    if "extra" in names:
        result += _parse(f"{names['extra']} = load_i32({_at(position)} + instruction.EXTRA)")
    return result


def _body(name: str, position: int, suffix: str, *, last: bool) -> list[ast.stmt]:
    """The statements of one instruction at a place of a sequence; the last one steps to the next instruction."""
    function = _function_of(BODIES[name])
    statements = _without_docstring(function.body)
    kinds = {parameter.arg: ast.unparse(parameter.annotation or ast.Name("int")) for parameter in function.args.args}
    operands = [parameter for parameter, kind in kinds.items() if kind == "Word"]
    local = (_assigned_names(statements) | kinds.keys()) - set(LOCALS)
    names = {parameter: f"{parameter}_{suffix}" for parameter in local}
    paster = _Paster(suffix, len(operands), position)
    pasted = paster.paste([_Rename(names).visit(statement) for statement in statements])
    if not _ends(pasted):
        if not isinstance(statements[-1], ast.Return):
            pasted += paster.drop_operands()
        if last:
            pasted += paster.step()
    return _prologue(operands, names, position) + pasted


def _handler(number: int, name: str) -> list[ast.stmt]:
    """The statements of one handler: an instruction, or a sequence of them."""
    parts = name.split(JOINT)
    if len(parts) == 1:
        return _body(name, 0, name.lower(), last=True)
    result: list[ast.stmt] = []
    for position, part in enumerate(parts):
        suffix = f"{part.lower()}_{number}_{position}"
        result += _body(part, position, suffix, last=position == len(parts) - 1)
    return result


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

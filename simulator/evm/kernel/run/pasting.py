"""Turns the bodies of instructions into statements of the interpreter's loop.

The words that a handler takes and pushes are variables until it ends: only then the stack in memory is brought up to
date. So an instruction of a sequence hands its result to the next one without a store and a load, and most SWAPs, DUPs
and POPs inside of a sequence are nothing at all.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from simulator.evm.kernel.instructions.macros import BODIES, LOCALS, MACROS

_SAVED = ("gas", "memory_size", "cell")


@dataclass
class StackView:
    """The stack relative to `sp` as the handler found it: place -1 is the top, place 0 the first free slot.

    `words` are variables that hold words, `stored` those that stand in memory at their place already.
    """

    height: int = 0
    words: dict[int, str] = field(default_factory=dict)
    stored: dict[int, str] = field(default_factory=dict)

    def copy(self) -> StackView:
        return StackView(self.height, dict(self.words), dict(self.stored))

    def push(self, variable: str) -> None:
        self.words[self.height] = variable
        self.height += 1

    def pending(self) -> list[ast.stmt]:
        """Stores of the words that are not in memory yet."""
        live = sorted(place for place in self.words if place < self.height)
        return [
            statement
            for place in live
            if self.stored.get(place) != self.words[place]
            for statement in parse(f"sp[{place}] = {self.words[place]}")
        ]

    def written_back(self) -> list[ast.stmt]:
        """Bring memory and `sp` up to date."""
        step = parse(f"sp = {above(self.height)}") if self.height else []
        return [*self.pending(), *step]


def above(height: int) -> str:
    """The text of the stack pointer after so many pushes, or pops."""
    return f"sp {'+' if height > 0 else '-'} {abs(height)}" if height else "sp"


def parse(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


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


def ends(statements: list[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], ast.Break)


class Paster:
    """Writes one handler: an instruction, or several that run as one. `prefix` keeps its variables apart from those of
    other handlers."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._variables = 0
        self._position = 0
        self._stack = StackView()
        self._before = StackView()

    def handler(self, names: list[str]) -> list[ast.stmt]:
        """The statements of the instructions of these names, and the step behind them."""
        result: list[ast.stmt] = []
        for self._position, name in enumerate(names):
            result += self._instruction(name)
        if not ends(result):
            result += [*self._stack.written_back(), *self._step()]
        return result

    # --- instructions ------------------------------------------------------------------------------------------------

    def _instruction(self, name: str) -> list[ast.stmt]:
        body = BODIES[name]
        function = _function_of(body.function)
        statements = _without_docstring(function.body)
        kinds = {each.arg: ast.unparse(each.annotation or ast.Name("int")) for each in function.args.args}
        result = self._stack.written_back() if "sp" in kinds else []
        if "sp" in kinds:
            self._stack = StackView()
        self._before = self._stack.copy()
        local = (_assigned_names(statements) | kinds.keys()) - set(LOCALS)
        names = {each: self._variable(each) for each in local}
        if "depth" in kinds:
            names["depth"] = str(body.depth)
        for operand in (each for each, kind in kinds.items() if kind == "Word"):
            names[operand] = self._take(1, result)
            self._stack.height -= 1
        result += self._numbers(names)
        return result + self._paste([_Rename(names).visit(statement) for statement in statements])

    def _numbers(self, names: dict[str, str]) -> list[ast.stmt]:
        """Load the two numbers of the instruction, if its body looks at them."""
        place = f"Instruction({self._address()})"
        result: list[ast.stmt] = []
        if "argument" in names:
            result += parse(f"{names['argument']} = {place}.argument")
        if "extra" in names:
            result += parse(f"{names['extra']} = {place}.extra")
        return result

    def _variable(self, name: str) -> str:
        self._variables += 1
        return f"{name}_{self._prefix}_{self._variables}"

    def _address(self) -> str:
        """Address of the instruction at hand."""
        return f"ip + {self._position} * Instruction.SIZE" if self._position else "ip"

    def _step(self) -> list[ast.stmt]:
        """Go behind the instruction at hand."""
        return parse(f"ip += {self._position + 1} * Instruction.SIZE")

    # --- stack -------------------------------------------------------------------------------------------------------

    def _take(self, depth: int, result: list[ast.stmt]) -> str:
        """The variable that holds a word of the stack, 1 for the top; loaded when it is still in memory."""
        place = self._stack.height - depth
        variable = self._stack.words.get(place)
        if variable is None:
            variable = self._variable("word")
            result += parse(f"{variable} = sp[{place}]")
            self._stack.words[place] = self._stack.stored[place] = variable
        return variable

    def _duplicate(self, depth: int) -> Iterator[ast.stmt]:
        loads: list[ast.stmt] = []
        self._stack.push(self._take(depth, loads))
        yield from loads

    def _exchange(self, depth: int) -> Iterator[ast.stmt]:
        loads: list[ast.stmt] = []
        top, other = self._take(1, loads), self._take(depth + 1, loads)
        self._stack.words[self._stack.height - 1] = other
        self._stack.words[self._stack.height - 1 - depth] = top
        yield from loads

    # --- statements --------------------------------------------------------------------------------------------------

    def _paste(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [result for statement in statements for result in self._statement(statement)]

    def _statement(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        if isinstance(statement, ast.If):
            yield ast.If(statement.test, self._paste(statement.body), self._paste(statement.orelse))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from self._call(statement, statement.value)
        elif isinstance(statement, ast.Return):
            assert statement.value is not None, "a body returns a word or nothing"
            variable = self._variable("word")
            yield from parse(f"{variable} = {ast.unparse(statement.value)}")
            self._stack.push(variable)
        elif not isinstance(statement, ast.Pass):
            yield statement

    def _call(self, statement: ast.Expr, call: ast.Call) -> Iterator[ast.stmt]:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name == "halt":
            yield from parse(f"status = {ast.unparse(call.args[0])}")
            yield ast.Break()
        elif name == "jump":
            yield from self._stack.written_back()
            yield from parse(f"ip = {ast.unparse(call.args[0])}")
            yield ast.Break()
        elif name == "end_block":
            yield from self._stack.written_back()
            yield from self._step()
            yield ast.Break()
        elif name == "save_state":
            yield from self._save_state()
        elif name == "duplicate":
            yield from self._duplicate(_number(call.args[0]))
        elif name == "exchange":
            yield from self._exchange(_number(call.args[0]))
        elif name in MACROS:
            yield from self._macro(MACROS[name], call.args)
        else:
            yield statement

    def _save_state(self) -> Iterator[ast.stmt]:
        """Bring memory and context up to what they are before the instruction at hand, which may run again."""
        yield from self._before.pending()
        # A word that is written here and changes again later is to be written again then.
        for place, variable in self._before.words.items():
            if self._stack.stored.get(place) != variable:
                self._stack.stored.pop(place, None)
        yield from parse(f"machine.sp = {above(self._before.height)}")
        yield from parse(f"machine.ip = {self._address()}")
        for name in _SAVED:
            yield from parse(f"machine.{name} = {name}")

    def _macro(self, body: Callable[..., Any], arguments: list[ast.expr]) -> Iterator[ast.stmt]:
        function = _function_of(body)
        statements = _without_docstring(function.body)
        parameters = [parameter.arg for parameter in function.args.args]
        names = {name: self._variable(name) for name in _assigned_names(statements) - set(LOCALS)}
        for parameter, argument in zip(parameters, arguments, strict=True):
            if isinstance(argument, ast.Name):
                names[parameter] = argument.id
            else:
                names[parameter] = self._variable(parameter)
                yield from parse(f"{names[parameter]} = {ast.unparse(argument)}")
        yield from self._paste([_Rename(names).visit(statement) for statement in statements])


def _number(expression: ast.expr) -> int:
    """The value of `depth`, whose name was replaced by it."""
    assert isinstance(expression, ast.Name)
    return int(expression.id)

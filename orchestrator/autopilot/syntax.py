"""Solidity as far as the autopilot understands it: expressions, statements, and what contracts declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Name:
    text: str


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Text:
    content: bytes


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Member:
    of: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    of: Expression
    key: Expression


@dataclass(frozen=True, slots=True)
class Apply:
    """A call, a conversion or a struct's constructor. `names` are those of named arguments, `value` the ether sent."""

    function: Expression
    arguments: tuple[Expression, ...]
    names: tuple[str, ...] = ()
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class New:
    type: str


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str
    of: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Choice:
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple or an array literal; None where a component is left out."""

    members: tuple[Expression | None, ...]


@dataclass(frozen=True, slots=True)
class Assign:
    """`operator` is that before `=`, empty for a plain one. `++` and `--` are assignments of 1 whose value is the old
    one where `is_postfix`."""

    target: Expression
    operator: str
    value: Expression
    is_postfix: bool = False


Expression: TypeAlias = (
    Name | Number | Text | Truth | Member | Index | Apply | New | Unary | Binary | Choice | Several | Assign
)


@dataclass(frozen=True, slots=True)
class Let:
    """Local variables with their types, None for one left out."""

    variables: tuple[tuple[str, str] | None, ...]
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Do:
    expression: Expression
    line: int


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Statement
    otherwise: Statement | None
    line: int


@dataclass(frozen=True, slots=True)
class Loop:
    first: Statement | None
    condition: Expression | None
    after: Expression | None
    body: Statement
    at_least_once: bool = False


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Leave:
    """`revert`, `break`, `continue` and `_` of a modifier."""

    how: str


@dataclass(frozen=True, slots=True)
class Block:
    statements: tuple[Statement, ...]
    is_unchecked: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """Value that is not understood, such as assembly's: its effects are unknown."""

    text: str


Statement: TypeAlias = Let | Do | If | Loop | Return | Leave | Block | Opaque


@dataclass(frozen=True, slots=True)
class Parameter:
    type: str
    name: str


@dataclass(frozen=True, slots=True)
class FunctionText:
    """`body` is None for one without. Modifiers are their names with arguments."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: tuple[Parameter, ...]
    modifiers: tuple[tuple[str, tuple[Expression, ...]], ...]
    words: frozenset[str]
    body: Block | None
    line: int

    @property
    def is_callable(self) -> bool:
        return bool(self.words & {"external", "public"}) and self.body is not None

    @property
    def is_view(self) -> bool:
        return bool(self.words & {"view", "pure"})


@dataclass(frozen=True, slots=True)
class Variable:
    """A state variable or a constant."""

    name: str
    type: str
    value: Expression | None
    words: frozenset[str]


@dataclass(slots=True)
class ContractText:
    name: str
    bases: tuple[str, ...] = ()
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, list[FunctionText]] = field(default_factory=dict)
    modifiers: dict[str, FunctionText] = field(default_factory=dict)
    structs: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    is_library: bool = False

    def overloads(self) -> Iterator[FunctionText]:
        for each in self.functions.values():
            yield from each


def expressions(statement: Statement | None) -> Iterator[Expression]:
    """All expressions of a statement, the parts of expressions included."""
    match statement:
        case Let(_, value) | Return(value):
            yield from parts(value)
        case Do(expression):
            yield from parts(expression)
        case If(condition, then, otherwise):
            yield from parts(condition)
            yield from expressions(then)
            yield from expressions(otherwise)
        case Loop(first, condition, after, body):
            yield from expressions(first)
            yield from parts(condition)
            yield from parts(after)
            yield from expressions(body)
        case Block(statements):
            for each in statements:
                yield from expressions(each)
        case Leave() | Opaque() | None:
            return


def parts(expression: Expression | None) -> Iterator[Expression]:
    """The expression and all below it."""
    if expression is None:
        return
    yield expression
    for child in _children(expression):
        yield from parts(child)


def _children(expression: Expression) -> tuple[Expression | None, ...]:
    match expression:
        case Member(of, _) | Unary(_, of):
            return (of,)
        case Index(of, key):
            return of, key
        case Apply(function, arguments, _, value):
            return function, *arguments, value
        case Binary(_, left, right):
            return left, right
        case Choice(condition, then, otherwise):
            return condition, then, otherwise
        case Several(members):
            return members
        case Assign(target, _, value):
            return target, value
        case Name() | Number() | Text() | Truth() | New():
            return ()


Contracts: TypeAlias = Mapping[str, ContractText]

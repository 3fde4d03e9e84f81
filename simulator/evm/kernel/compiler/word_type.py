# mypy: disable-error-code="import-untyped, no-untyped-call, misc, unused-ignore, untyped-decorator"
"""The numba type of a 256-bit word: LLVM's i256 with Python's operators, all modulo 2**256 and unsigned."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

I1, I8, I32, I64, I128, I256 = (ir.IntType(bits) for bits in (1, 8, 32, 64, 128, 256))

Emit = Callable[..., Any]


class WordType(types.Type):
    def __init__(self) -> None:
        super().__init__(name="U256")


u256 = WordType()


@register_model(WordType)
class _WordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend: Any) -> None:
        super().__init__(manager, frontend, I256)


def _define_operator(function: Any, emit: Emit, result: Any) -> None:
    case = signature(result, u256, u256)

    @infer_global(function)
    class _Template(ConcreteTemplate):
        cases = [case]  # noqa: RUF012

    @lower_builtin(function, u256, u256)
    def _lower(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return emit(builder, *arguments)


def _arithmetic(name: str) -> Emit:
    return lambda builder, left, right: getattr(builder, name)(left, right)


def _comparison(sign: str) -> Emit:
    return lambda builder, left, right: builder.icmp_unsigned(sign, left, right)


for _function, _name in (
    (operator.add, "add"),
    (operator.sub, "sub"),
    (operator.mul, "mul"),
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
):
    _define_operator(_function, _arithmetic(_name), u256)
for _function, _sign in (
    (operator.lt, "<"),
    (operator.gt, ">"),
    (operator.le, "<="),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _define_operator(_function, _comparison(_sign), types.boolean)


def make_intrinsic(result: Any, arguments: tuple[Any, ...], emit: Emit) -> Any:
    """A function of fixed numba types whose LLVM code `emit(builder, *values)` writes."""
    fixed = signature(result, *arguments)

    def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        value = emit(builder, *values)
        return context.get_dummy_value() if result is types.void else value

    # numba reads the number of parameters from the function's own signature.
    makers: dict[int, Callable[[], Any]] = {
        0: lambda: intrinsic(lambda typing: (fixed, generate)),
        1: lambda: intrinsic(lambda typing, a: (fixed, generate)),
        2: lambda: intrinsic(lambda typing, a, b: (fixed, generate)),
        3: lambda: intrinsic(lambda typing, a, b, c: (fixed, generate)),
    }
    return makers[len(arguments)]()

# mypy: disable-error-code="import-untyped, no-untyped-call, misc, untyped-decorator"
"""Addresses of functions, and calls of functions by their address, as LLVM code. The plain twin documents them."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from simulator.evm.kernel.compiler.word_type import I64, make_intrinsic

_int64 = types.int64


@intrinsic
def address_of(_typing: Any, function: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, _values: Any) -> Any:
        (compiled,) = function.dispatcher.overloads.values()
        context.add_linking_libs([compiled.library])
        return builder.ptrtoint(context.declare_function(builder.module, compiled.fndesc), I64)

    return _int64(function), generate


def _call(builder: Any, function: Any, c: Any, block: Any) -> Any:
    kind = ir.FunctionType(I64, [I64, I64])
    return builder.call(builder.inttoptr(function, kind.as_pointer()), [c, block])


call_compiled = make_intrinsic(_int64, (_int64, _int64, _int64), _call)

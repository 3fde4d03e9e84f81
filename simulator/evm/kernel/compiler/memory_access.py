# mypy: disable-error-code="import-untyped, no-untyped-call"
"""Loads, stores and copies at plain addresses, as LLVM code. The plain twin documents them."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from simulator.evm.kernel.compiler.word_type import I1, I8, I32, I64, I256, make_intrinsic, u256

_int64, _uint64, _void = types.int64, types.uint64, types.void


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _load(builder: Any, address: Any, kind: Any, alignment: int) -> Any:
    value = builder.load(_pointer(builder, address, kind))
    value.align = alignment
    return value


def _store(builder: Any, address: Any, value: Any, alignment: int) -> None:
    builder.store(value, _pointer(builder, address, value.type)).align = alignment


def _swap_bytes(builder: Any, value: Any) -> Any:
    return builder.call(builder.module.declare_intrinsic("llvm.bswap", [value.type]), [value])


def _copy(builder: Any, target: Any, source: Any, size: Any) -> None:
    move = builder.module.declare_intrinsic("llvm.memmove", [I8.as_pointer(), I8.as_pointer(), I64])
    builder.call(move, [_pointer(builder, target, I8), _pointer(builder, source, I8), size, I1(0)])


def _zero(builder: Any, target: Any, size: Any) -> None:
    fill = builder.module.declare_intrinsic("llvm.memset", [I8.as_pointer(), I64])
    builder.call(fill, [_pointer(builder, target, I8), I8(0), size, I1(0)])


def _impossible(builder: Any) -> None:
    assume = builder.module.declare_intrinsic("llvm.assume", (), ir.FunctionType(ir.VoidType(), [I1]))
    builder.call(assume, [I1(0)])


def _scratch(builder: Any) -> Any:
    space = cgutils.alloca_once(builder, ir.ArrayType(I64, 64), name="scratch")
    return builder.ptrtoint(space, I64)


load_word = make_intrinsic(u256, (_int64,), lambda b, address: _load(b, address, I256, 8))
store_word = make_intrinsic(_void, (_int64, u256), lambda b, address, value: _store(b, address, value, 8))
load_word_be = make_intrinsic(u256, (_int64,), lambda b, address: _swap_bytes(b, _load(b, address, I256, 1)))
store_word_be = make_intrinsic(
    _void, (_int64, u256), lambda b, address, value: _store(b, address, _swap_bytes(b, value), 1)
)
load_i64 = make_intrinsic(_int64, (_int64,), lambda b, address: _load(b, address, I64, 1))
load_limb = make_intrinsic(_uint64, (_int64,), lambda b, address: _load(b, address, I64, 1))
store_limb = make_intrinsic(_void, (_int64, _uint64), lambda b, address, value: _store(b, address, value, 1))
load_i32 = make_intrinsic(_int64, (_int64,), lambda b, address: b.sext(_load(b, address, I32, 1), I64))
load_u8 = make_intrinsic(_int64, (_int64,), lambda b, address: b.zext(_load(b, address, I8, 1), I64))
store_u8 = make_intrinsic(_void, (_int64, _int64), lambda b, address, value: _store(b, address, b.trunc(value, I8), 1))
copy_memory = make_intrinsic(_void, (_int64, _int64, _int64), _copy)
zero_memory = make_intrinsic(_void, (_int64, _int64), _zero)
scratch = make_intrinsic(_int64, (), _scratch)
impossible = make_intrinsic(_void, (), _impossible)

# mypy: disable-error-code="import-untyped"
"""Builds the kernel's object code. Run as `python -m simulator.evm.kernel.builder FILE` with MONOTREME_KERNEL_BUILD=1.

Progress goes to stderr, one JSON array `[done, total, name]` a line.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from simulator.errors import KernelError
from simulator.evm.kernel.object_file import KernelObject, undefined_symbols

ALLOWED_SYMBOLS = {"memmove", "memset", "memcpy"}

# A copy of the interpreter's dispatch behind each instruction, which processors foresee better than a single one. LLVM
# does that by itself, but by default for no more than 16 ways in and out. A release without the options ignores them.
DISPATCH_OPTIONS = ("--tail-dup-pred-size=1000", "--tail-dup-succ-size=1000")


def _report(done: int, total: int, name: str) -> None:
    sys.stderr.write(json.dumps([done, total, name]) + "\n")
    sys.stderr.flush()


def _define_entry(table: dict[int, Any]) -> Any:
    """The exported function: a dispatch over all commands."""
    lines = ["def entry(command, c):"]
    names: dict[str, Any] = {}
    for number, function in sorted(table.items()):
        names[f"command_{number}"] = function
        lines.append(f"    if command == {number}:")
        lines.append(f"        return command_{number}(c)")
    lines.append("    return -1")
    exec(compile("\n".join(lines), "<entry>", "exec"), names)  # noqa: S102 - text made of numbers
    return names["entry"]


def build() -> KernelObject:
    """Compile everything. Takes some 20 seconds."""
    import llvmlite.binding as llvm
    from numba import njit, types

    from simulator.evm.kernel import commands, interpreter
    from simulator.evm.kernel.native.compiler import OPTIONS, compile_declared

    for option in DISPATCH_OPTIONS:
        llvm.set_option("builder", option)
    table = commands.command_table()
    compile_declared(_report)
    entry = njit(**OPTIONS)(_define_entry(table))
    entry.compile((types.int64, types.int64))
    result = entry.overloads[(types.int64, types.int64)]
    code = bytes(result.library._get_compiled_object())
    unknown = undefined_symbols(code) - ALLOWED_SYMBOLS
    if unknown:
        raise KernelError(f"the kernel's object code needs symbols that nothing provides: {', '.join(sorted(unknown))}")
    return KernelObject(symbol=result.fndesc.llvm_func_name, handlers=interpreter.handler_names(), code=code)


def main() -> None:
    target = Path(sys.argv[1])
    data = msgspec.msgpack.encode(build())
    temporary = target.with_name(f"{target.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(target)


if __name__ == "__main__":
    main()

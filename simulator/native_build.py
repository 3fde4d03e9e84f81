# mypy: disable-error-code="import-untyped"
"""The native code as a whole, of the EVM's kernel and of the fuzz loop, and the program that builds it.

Run as `python -m simulator.native_build FOLDER KEY` with MONOTREME_KERNEL_BUILD=1.

Progress goes to stderr, one JSON array `[done, total, name]` a line; so does why it could not be built.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.errors import KernelError
from simulator.evm.kernel.commands import command_table, record_of
from simulator.evm.kernel.object_file import KernelObject, kernel_cache, undefined_symbols

EXIT_FAILED = 1
ALLOWED_SYMBOLS = {"memmove", "memset", "memcpy"}

# A copy of the interpreter's dispatch behind each instruction, which processors foresee better than a single one. LLVM
# does that by itself, but by default for at most 16 ways in and out. A release without the options ignores them.
DISPATCH_OPTIONS = ("--tail-dup-pred-size=1000", "--tail-dup-succ-size=1000")


def _report(done: int, total: int, name: str) -> None:
    sys.stderr.write(json.dumps([done, total, name]) + "\n")
    sys.stderr.flush()


def _define_entry(table: dict[int, Any]) -> Any:
    """The exported function: a dispatch over all commands."""
    lines = ["def entry(command, context):"]
    names: dict[str, Any] = {}
    for number, function in sorted(table.items()):
        names[f"command_{number}"] = function
        names[f"Record_{number}"] = record_of(function)
        lines.append(f"    if command == {number}:")
        lines.append(f"        return command_{number}(Record_{number}(context))")
    lines.append("    return -1")
    exec(compile("\n".join(lines), "<entry>", "exec"), names)  # noqa: S102 - text made of numbers
    return names["entry"]


def native_commands() -> dict[int, Callable[..., Any]]:
    """All commands of the exported symbol by number. Importing them declares every kernel function."""
    table = command_table()
    from simulator.fuzz.native import loop, phases

    return {**table, phases.FUZZ_COMMAND: loop.run_fuzz}


def build() -> KernelObject:
    """Compile everything. Takes some 20 seconds."""
    import llvmlite.binding as llvm
    from numba import njit, types

    from simulator.evm.kernel.compiler.declarations import OPTIONS, compile_declared
    from simulator.evm.kernel.run import interpreter

    for option in DISPATCH_OPTIONS:
        llvm.set_option("builder", option)
    table = native_commands()
    compile_declared(_report)
    entry = njit(**OPTIONS)(_define_entry(table))
    entry.compile((types.int64, types.int64))
    result = entry.overloads[(types.int64, types.int64)]
    code = bytes(result.library._get_compiled_object())
    unknown = undefined_symbols(code) - ALLOWED_SYMBOLS
    if unknown:
        raise KernelError(f"the kernel's object code needs symbols that nothing provides: {', '.join(sorted(unknown))}")
    return KernelObject(symbol=result.fndesc.llvm_func_name, handlers=interpreter.handler_names(), code=code)


def main() -> int:
    folder, key = Path(sys.argv[1]), sys.argv[2]
    try:
        kernel_cache(folder).write(key, build())
    except KernelError as error:
        sys.stderr.write(f"{error}\n")
    except OSError as error:
        sys.stderr.write(f"{folder}: cannot be written: {error.strerror or error}\n")
    except MemoryError:
        sys.stderr.write("there is not enough memory\n")
    else:
        return 0
    return EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())

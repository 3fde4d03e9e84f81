"""Compiles one contract in a process of its own: `python -m simulator.evm.compiled.compiler`, request on stdin.

So the worker's memory never holds a compiler, and one that fails costs nothing but its result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from simulator.errors import KernelError
from simulator.evm.compiled.blocks import DecodedCode
from simulator.evm.compiled.contract import TranslatedContract
from simulator.evm.compiled.objects import compile_module
from simulator.evm.compiled.store import CompiledContract, ObjectStore
from simulator.lifetime import die_with_parent

NICENESS = 5
EXIT_FAILED = 1


class CompileRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to compile a code: how often each block has run, and where the result belongs."""

    code: DecodedCode
    hits: tuple[int, ...]
    folder: str
    key: str


def compile_code(code: DecodedCode, hits: Sequence[int] | None = None) -> CompiledContract:
    """Compile in this process. Raises `KernelError`."""
    contract = TranslatedContract(code, hits)
    offsets = tuple(code.blocks[index].instructions[0].offset for index in contract.entries)
    return CompiledContract(offsets, compile_module(contract.write()))


def main() -> int:
    die_with_parent(int(sys.argv[1]), EXIT_FAILED)
    os.nice(NICENESS)
    request = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=CompileRequest)
    try:
        ObjectStore(Path(request.folder)).save(request.key, compile_code(request.code, request.hits))
    except (KernelError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())

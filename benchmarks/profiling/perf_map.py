"""Names of the kernel's functions for `perf`, which finds them in /tmp/perf-PID.map (perf's own convention)."""

from __future__ import annotations

import ctypes
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from simulator.evm.kernel_entry import Kernel
from simulator.kernel_loader import load_object

SYMBOL_TABLE, FUNCTION = 2, 2
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_LENGTH = re.compile(r"[0-9]+")


class Symbol(NamedTuple):
    """A function of the object code: where it begins in its section, how many bytes it has, its mangled name."""

    offset: int
    size: int
    name: str


def function_symbols(code: bytes) -> Iterator[Symbol]:
    """The functions of an ELF object file with 64-bit little-endian structures."""
    (table,) = struct.unpack_from("<Q", code, 0x28)
    entry_size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [_SECTION.unpack_from(code, table + index * entry_size) for index in range(count)]
    for section in sections:
        if section[1] != SYMBOL_TABLE:
            continue
        names = sections[section[6]][4]
        for position in range(section[4], section[4] + section[5], _SYMBOL.size):
            name, kind, _, defined, value, size = _SYMBOL.unpack_from(code, position)
            if kind & 15 == FUNCTION and defined:
                yield Symbol(value, size, code[names + name : code.index(b"\0", names + name)].decode())


def readable_name(mangled: str) -> str:
    """The dotted name below `simulator` of a name mangled by numba (Itanium's length-prefixed parts). The generated
    functions `run` and `entry` have their name alone."""
    parts = list(_parts(mangled.removeprefix("_ZN")))
    return ".".join(part for part in parts if part != "simulator" and not part.startswith("_3c")) or mangled


def _parts(text: str) -> Iterator[str]:
    while match := _LENGTH.match(text):
        end = match.end() + int(match.group())
        yield text[match.end() : end]
        text = text[end:]


def write_perf_map(kernel: Kernel) -> Path:
    """Write this process's map; the file is the caller's to remove."""
    compiled = load_object()
    symbols = list(function_symbols(compiled.code))
    # Nothing else needs to know where the code is, so the loader does not tell.
    native: Any = kernel.entry
    entry = ctypes.cast(native._function, ctypes.c_void_p).value
    assert entry is not None
    base = entry - next(symbol.offset for symbol in symbols if symbol.name == compiled.symbol)
    path = Path("/tmp") / f"perf-{os.getpid()}.map"  # perf looks nowhere else
    path.write_text("".join(f"{base + each.offset:x} {each.size:x} {readable_name(each.name)}\n" for each in symbols))
    return path

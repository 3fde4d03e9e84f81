"""The file that holds a compiled kernel, and what is checked of it."""

from __future__ import annotations

import struct
from pathlib import Path

import msgspec

from simulator.cache.store import Cache, Warn, log_warning

_SYMBOL_TABLE = 2
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBH")
_SYMBOL_SIZE = 24


class KernelObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Relocatable object code (ELF), the name of its one exported function, and the handlers' names by number."""

    symbol: str
    handlers: tuple[str, ...]
    code: bytes


def kernel_cache(folder: Path, warn: Warn = log_warning) -> Cache[KernelObject]:
    """Compiled kernels by the key of their sources; `warn` hears of a damaged one."""
    return Cache(folder, KernelObject, suffix=".bin", warn=warn)


def undefined_symbols(code: bytes) -> set[str]:
    """Names that the object expects from elsewhere. Loading an object with an unknown one gives no error, but calls to
    address zero, so this is checked at build time."""
    if not code.startswith(b"\x7fELF"):
        return set()
    (table,) = struct.unpack_from("<Q", code, 0x28)
    entry_size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [_SECTION.unpack_from(code, table + index * entry_size) for index in range(count)]
    found = set()
    for section in sections:
        if section[1] == _SYMBOL_TABLE:
            names = sections[section[6]][4]
            for index in range(section[5] // _SYMBOL_SIZE):
                name, _, _, defined = _SYMBOL.unpack_from(code, section[4] + index * _SYMBOL_SIZE)
                if name and not defined:
                    found.add(code[names + name : code.index(b"\0", names + name)].decode())
    return found

"""Records for kernel sources; see `plain/records.py`. While building, `pointer` is the compiled one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.mode import COMPILING
from simulator.evm.kernel.plain.records import (
    Bytes,
    Cell,
    Field,
    Flag,
    Inline,
    Int32,
    Int32s,
    Int64,
    Int64s,
    Place,
    Record,
    Records,
    References,
    To,
    Word256,
    Words,
)

if TYPE_CHECKING or not COMPILING:
    from simulator.evm.kernel.plain.records import pointer
else:
    from simulator.evm.kernel.compiler.record_types import pointer

__all__ = [
    "Bytes",
    "Cell",
    "Field",
    "Flag",
    "Inline",
    "Int32",
    "Int32s",
    "Int64",
    "Int64s",
    "Place",
    "Record",
    "Records",
    "References",
    "To",
    "Word256",
    "Words",
    "pointer",
]

"""Loads, stores and copies of bytes for kernel sources: compiled while building, the checked plain twin otherwise.

They are for code, calldata, return data, the EVM's memory and RLP. What the kernel itself keeps is read by the fields
of its records, see `records.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.evm.kernel.mode import COMPILING

if TYPE_CHECKING or not COMPILING:
    from simulator.evm.kernel.plain.memory_access import (
        copy_memory,
        impossible,
        load_i32,
        load_i64,
        load_u8,
        load_word_be,
        store_u8,
        store_word_be,
        zero_memory,
    )
else:
    from simulator.evm.kernel.compiler.memory_access import (
        copy_memory,
        impossible,
        load_i32,
        load_i64,
        load_u8,
        load_word_be,
        store_u8,
        store_word_be,
        zero_memory,
    )

__all__ = [
    "copy_memory",
    "impossible",
    "load_i32",
    "load_i64",
    "load_u8",
    "load_word_be",
    "store_u8",
    "store_word_be",
    "zero_memory",
]

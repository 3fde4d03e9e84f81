"""0x35 to 0x3e: calldata, code and return data."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import checked, halt, instruction, save_state
from simulator.evm.kernel.layout import code, context
from simulator.evm.kernel.memory import copy_padded, copy_to_memory
from simulator.evm.kernel.memory_access import load_i64, load_word_be
from simulator.evm.kernel.status import RETURNDATA_OUT_OF_BOUNDS
from simulator.evm.kernel.words import Word, saturate


@instruction("CALLDATALOAD")
def calldataload(c: int, calldata: int, calldata_size: int, position: Word) -> Word:
    offset = saturate(position)
    source = calldata + offset
    if offset + 32 > calldata_size:
        source = c + context.SCRATCH
        copy_padded(source, calldata, calldata_size, offset, 32)
    return load_word_be(source)


@instruction("CALLDATACOPY")
def calldatacopy(
    c: int, gas: int, memory_size: int, calldata: int, calldata_size: int, target: Word, offset: Word, size: Word
) -> None:
    save_state()
    gas = copy_to_memory(c, saturate(target), calldata, calldata_size, saturate(offset), saturate(size), gas)
    checked(gas)
    memory_size = load_i64(c + context.MEMORY_SIZE)


@instruction("CODECOPY")
def codecopy(c: int, gas: int, memory_size: int, target: Word, offset: Word, size: Word) -> None:
    save_state()
    running = load_i64(c + context.CODE)
    source = load_i64(running + code.BYTES)
    source_size = load_i64(running + code.BYTES_SIZE)
    gas = copy_to_memory(c, saturate(target), source, source_size, saturate(offset), saturate(size), gas)
    checked(gas)
    memory_size = load_i64(c + context.MEMORY_SIZE)


@instruction("RETURNDATACOPY")
def returndatacopy(c: int, gas: int, memory_size: int, target: Word, offset: Word, size: Word) -> None:
    """EIP-211: reading past the end fails, unlike the other copies."""
    source_size = load_i64(c + context.RETURNDATA_SIZE)
    if saturate(offset) + saturate(size) > source_size:
        halt(RETURNDATA_OUT_OF_BOUNDS)
    save_state()
    source = load_i64(c + context.RETURNDATA)
    gas = copy_to_memory(c, saturate(target), source, source_size, saturate(offset), saturate(size), gas)
    checked(gas)
    memory_size = load_i64(c + context.MEMORY_SIZE)

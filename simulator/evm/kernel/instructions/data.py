"""0x35 to 0x3e: calldata, code and return data."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import checked, halt, instruction, save_state
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory.memory import copy_padded, copy_to_memory
from simulator.evm.kernel.memory_access import load_word_be
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.status import RETURNDATA_OUT_OF_BOUNDS
from simulator.evm.kernel.words import Word, saturate


@instruction("CALLDATALOAD")
def calldataload(machine: Context, calldata: int, calldata_size: int, position: Word) -> Word:
    offset = saturate(position)
    source = calldata + offset
    if offset + 32 > calldata_size:
        source = pointer(machine.scratch)
        copy_padded(source, calldata, calldata_size, offset, 32)
    return load_word_be(source)


@instruction("CALLDATACOPY")
def calldatacopy(
    machine: Context,
    gas: int,
    memory_size: int,
    calldata: int,
    calldata_size: int,
    target: Word,
    offset: Word,
    size: Word,
) -> None:
    save_state()
    gas = copy_to_memory(machine, saturate(target), calldata, calldata_size, saturate(offset), saturate(size), gas)
    checked(gas)
    memory_size = machine.memory_size


@instruction("CODECOPY")
def codecopy(machine: Context, gas: int, memory_size: int, target: Word, offset: Word, size: Word) -> None:
    save_state()
    running = machine.code
    source = running.bytes
    source_size = running.bytes_size
    gas = copy_to_memory(machine, saturate(target), source, source_size, saturate(offset), saturate(size), gas)
    checked(gas)
    memory_size = machine.memory_size


@instruction("RETURNDATACOPY")
def returndatacopy(
    machine: Context, gas: int, memory: int, memory_size: int, target: Word, offset: Word, size: Word
) -> None:
    """EIP-211: reading past the end fails, unlike the other copies."""
    source_size = machine.returndata_size
    if saturate(offset) + saturate(size) > source_size:
        halt(RETURNDATA_OUT_OF_BOUNDS)
    save_state()
    source = machine.returndata
    gas = copy_to_memory(machine, saturate(target), source, source_size, saturate(offset), saturate(size), gas)
    checked(gas)
    memory_size = machine.memory_size
    machine.returned_at = memory + saturate(target)

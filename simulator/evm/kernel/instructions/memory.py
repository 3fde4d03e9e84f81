"""0x20, 0x51 to 0x53, 0x59 and 0x5e: memory and hashing."""

from __future__ import annotations

from simulator.evm.kernel.instructions.macros import charge, instruction, touch_memory
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory.keccak import hash_bytes
from simulator.evm.kernel.memory.memory import GAS_COPY_WORD, words_of
from simulator.evm.kernel.memory_access import copy_memory, load_word_be, store_u8, store_word_be
from simulator.evm.kernel.words import Word, low, saturate, word

GAS_HASH_WORD = 6


@instruction("MLOAD")
def mload(machine: Context, gas: int, memory: int, memory_size: int, position: Word) -> Word:
    offset = saturate(position)
    touch_memory(machine, gas, memory_size, offset + 32)
    return load_word_be(memory + offset)


@instruction("MSTORE")
def mstore(machine: Context, gas: int, memory: int, memory_size: int, position: Word, value: Word) -> None:
    offset = saturate(position)
    touch_memory(machine, gas, memory_size, offset + 32)
    store_word_be(memory + offset, value)


@instruction("MSTORE8")
def mstore8(machine: Context, gas: int, memory: int, memory_size: int, position: Word, value: Word) -> None:
    offset = saturate(position)
    touch_memory(machine, gas, memory_size, offset + 1)
    store_u8(memory + offset, low(value))


@instruction("MSIZE")
def msize(memory_size: int) -> Word:
    return word(memory_size)


@instruction("MCOPY")
def mcopy(machine: Context, gas: int, memory: int, memory_size: int, to: Word, source: Word, length: Word) -> None:
    """EIP-5656."""
    target = saturate(to)
    offset = saturate(source)
    size = saturate(length)
    if size:
        charge(gas, GAS_COPY_WORD * words_of(size))
        touch_memory(machine, gas, memory_size, max(target, offset) + size)
        copy_memory(memory + target, memory + offset, size)


@instruction("KECCAK256")
def keccak256(machine: Context, gas: int, memory: int, memory_size: int, position: Word, length: Word) -> Word:
    offset = saturate(position)
    size = saturate(length)
    charge(gas, GAS_HASH_WORD * words_of(size))
    if size:
        touch_memory(machine, gas, memory_size, offset + size)
    return hash_bytes(machine, memory + offset, size)

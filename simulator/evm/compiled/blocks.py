"""The decoded code of a contract as Python objects, read back from where the kernel's decoder wrote it."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.errors import KernelError
from simulator.evm.arenas import read_bytes
from simulator.evm.kernel.code.instruction_writing import CELL_BYTES, STACK_LIMIT
from simulator.evm.kernel.code.superinstructions import JOINT
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.instruction import Instruction as InstructionRecord
from simulator.evm.kernel.records import pointer

_HEADER = struct.Struct("<4i")
_INSTRUCTION = struct.Struct("<iiq")
WORD_BYTES = 32

BRANCHES = frozenset({"JUMP", "JUMPI", "JUMP_STATIC", "JUMPI_STATIC"})
# Instructions that are the last of their block.
ENDINGS = BRANCHES | {
    *("NEXT_BLOCK", "STOP", "RETURN", "REVERT", "INVALID", "UNKNOWN"),
    *("SSTORE", "GAS", "CALL", "CREATE", "SELFDESTRUCT"),
}


@dataclass(frozen=True)
class DecodedInstruction:
    """`offset` is that of the decoded instruction from the code's first one; `constant` what a PUSH pushes, big-endian;
    `target` the block that a static jump enters, None for a bad jump."""

    handler: str
    offset: int
    extra: int
    argument: int
    constant: bytes | None = None
    target: int | None = None

    @property
    def word(self) -> int | None:
        """Return the word that a PUSH pushes."""
        return None if self.constant is None else int.from_bytes(self.constant, "big")


@dataclass(frozen=True)
class Block:
    """`minimum` words must be on the stack, which grows by up to `growth` words; `offset` is that of the header."""

    index: int
    offset: int
    gas: int
    minimum: int
    growth: int
    instructions: tuple[DecodedInstruction, ...]

    @property
    def cell(self) -> int:
        """Offset of the block's coverage cell."""
        return CELL_BYTES * self.index


@dataclass(frozen=True)
class DecodedCode:
    """`entries` are the blocks by the program counters of their JUMPDESTs."""

    blocks: tuple[Block, ...]
    entries: Mapping[int, int]

    @property
    def size(self) -> int:
        """Number of instructions."""
        return sum(len(block.instructions) for block in self.blocks)


def read_code(record: Code, handlers: Mapping[str, int]) -> DecodedCode:
    """The code of a record. Raises `KernelError` when it is not laid out as this module expects."""
    names = {number: _first_instruction(name) for name, number in handlers.items()}
    base, size = record.instructions, record.instructions_size
    data = read_bytes(base, size)
    spans = _spans(data, names)
    by_offset = {start: index for index, (start, _) in enumerate(spans)}
    blocks = tuple(_block(data, index, span, names, base, by_offset) for index, span in enumerate(spans))
    return DecodedCode(blocks, _entries(record, by_offset))


def _first_instruction(handler: str) -> str:
    """DUPs and SWAPs of all depths have one name here: the instruction's argument is the distance."""
    first = handler.split(JOINT)[0]
    return first.rstrip("0123456789") if first.startswith(("DUP", "SWAP")) else first


def _spans(data: bytes, names: Mapping[int, str]) -> list[tuple[int, int]]:
    """Offsets of each block's header and of its end."""
    spans = []
    start = position = InstructionRecord.SIZE
    while position < len(data):
        position += InstructionRecord.SIZE
        if position >= len(data):
            raise KernelError("the last block of a decoded code has no end")
        (handler,) = struct.unpack_from("<i", data, position + InstructionRecord.handler.offset)
        if position > start and names[handler] in ENDINGS:
            spans.append((start, position + InstructionRecord.SIZE))
            start = position = position + InstructionRecord.SIZE
    return spans


def _block(
    data: bytes, index: int, span: tuple[int, int], names: Mapping[int, str], base: int, by_offset: Mapping[int, int]
) -> Block:
    start, end = span
    gas, minimum, maximum, cell = _HEADER.unpack_from(data, start)
    if cell != CELL_BYTES * index:
        raise KernelError("a block of a decoded code is not where it was expected")
    instructions = tuple(
        _instruction(data, offset, names, base, by_offset)
        for offset in range(start + InstructionRecord.SIZE, end, InstructionRecord.SIZE)
    )
    return Block(index, start, gas, minimum // WORD_BYTES, STACK_LIMIT - maximum // WORD_BYTES, instructions)


def _instruction(
    data: bytes, offset: int, names: Mapping[int, str], base: int, by_offset: Mapping[int, int]
) -> DecodedInstruction:
    handler, extra, argument = _INSTRUCTION.unpack_from(data, offset)
    name = names[handler]
    if name == "PUSH":
        return DecodedInstruction(name, offset, extra, 0, constant=read_bytes(argument, WORD_BYTES)[::-1])
    if name in ("JUMP_STATIC", "JUMPI_STATIC"):
        return DecodedInstruction(name, offset, extra, 0, target=by_offset[argument - base] if argument else None)
    return DecodedInstruction(name, offset, extra, argument)


def _entries(record: Code, by_offset: Mapping[int, int]) -> dict[int, int]:
    size = record.bytes_size
    table = struct.unpack(f"<{size}i", read_bytes(pointer(record.jumps), 4 * size))
    return {pc: by_offset[offset] for pc, offset in enumerate(table) if offset}

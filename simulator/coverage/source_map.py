"""solc's compressed source maps, aligned with the instructions of a bytecode.

Format: https://docs.soliditylang.org/en/latest/internals/source_mappings.html. Entries stand in the order of the
instructions; an empty or missing field repeats the one before it. Compilers before 0.6 have no modifier depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from simulator.errors import CompileError

_PUSH1, _PUSH32 = 0x60, 0x7F
NO_FILE = -1


class SourceRange(NamedTuple):
    """Bytes `start <= offset < start + length` of the source with this id; -1 where there is none. `jump` is `i`
    (into a function), `o` (out of one) or `-`."""

    start: int
    length: int
    file: int
    jump: str

    @property
    def end(self) -> int:
        return self.start + self.length


def parse_source_map(text: str) -> list[SourceRange]:
    """One range an instruction. Raises `CompileError` naming the entry that does not have the format."""
    if not text:
        return []
    entries: list[SourceRange] = []
    last = SourceRange(0, 0, NO_FILE, "-")
    for index, entry in enumerate(text.split(";")):
        if entry:
            try:
                last = _next_range(last, entry.split(":"))
            except ValueError:
                raise CompileError(
                    f"source map entry {index} is {entry[:40]!r}; expected start:length:file:jump:depth"
                ) from None
        entries.append(last)
    return entries


def _next_range(last: SourceRange, fields: list[str]) -> SourceRange:
    if len(fields) > 5:
        raise ValueError("too many fields")
    fields = fields + [""] * (4 - len(fields))
    return SourceRange(
        int(fields[0]) if fields[0] else last.start,
        int(fields[1]) if fields[1] else last.length,
        int(fields[2]) if fields[2] else last.file,
        fields[3] or last.jump,
    )


def instruction_offsets(code: bytes) -> Iterator[int]:
    """Program counters of the instructions in order, the data of PUSHes skipped."""
    pc = 0
    while pc < len(code):
        yield pc
        opcode = code[pc]
        pc += opcode - _PUSH1 + 2 if _PUSH1 <= opcode <= _PUSH32 else 1


def align(code: bytes, source_map: str) -> list[tuple[int, SourceRange]]:
    """(pc, range) of every instruction that the map covers; code behind the map, such as metadata, has none."""
    return list(zip(instruction_offsets(code), parse_source_map(source_map), strict=False))

"""One code of a project as mutants are chosen in it: its instructions, where each stands in the sources, and what the
compiler's helpers do that it jumps to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from simulator.coverage.source_map import SourceRange, align
from simulator.evm.opcodes import OPCODES
from simulator.mutation.helpers import Helper, read_helper
from simulator.project import Contract

PUSH0, PUSH1, PUSH32 = 0x5F, 0x60, 0x7F
DUP1, SWAP1 = 0x80, 0x90
JUMP, JUMPI, JUMPDEST = 0x56, 0x57, 0x5B
_ENDS = frozenset((0x00, JUMP, JUMPI, 0xF3, 0xFD, 0xFE, 0xFF))
_PROGRAM_COUNTER = 0x58
HOOK_BYTES = 5
"""PUSH2, JUMP and a JUMPDEST to come back to."""


class CodeStep(NamedTuple):
    """One instruction."""

    pc: int
    opcode: int
    end: int
    source: SourceRange


class CodeView:
    """`code` is the one that creates a contract or the one that is deployed, with its source map."""

    def __init__(self, contract: Contract, *, creation: bool, via_ir: bool = False) -> None:
        self.via_ir = via_ir
        self.name = (contract.full_name, creation)
        self.code = contract.creation_code if creation else contract.runtime_code
        source_map = contract.creation_source_map if creation else contract.runtime_source_map
        self.steps = [
            CodeStep(pc, self.code[pc], pc + 1 + data_size(self.code[pc]), source)
            for pc, source in align(self.code, source_map)
        ]
        self.at = {step.pc: index for index, step in enumerate(self.steps)}
        self.holes = tuple(contract.immutables) if not creation else ()
        self._by_range: dict[tuple[int, int, int], list[int]] = {}
        for index, step in enumerate(self.steps):
            self._by_range.setdefault((step.source.file, step.source.start, step.source.length), []).append(index)
        self._helpers: dict[int, Helper | None] = {}

    @property
    def files(self) -> Collection[int]:
        """Ids of the sources that instructions come from."""
        return {file for file, _, _ in self._by_range}

    def steps_of(self, file: int, start: int, length: int) -> Sequence[int]:
        """Indexes of the instructions whose source is exactly this."""
        return self._by_range.get((file, start, length), ())

    def with_opcode(self, opcode: int) -> Sequence[int]:
        """Indexes of all instructions of a kind."""
        return [index for index, step in enumerate(self.steps) if step.opcode == opcode]

    def pushed(self, index: int) -> int | None:
        """The number that an instruction pushes, None for others than PUSH."""
        if not 0 <= index < len(self.steps):
            return None
        step = self.steps[index]
        if not PUSH0 <= step.opcode <= PUSH32:
            return None
        return int.from_bytes(self.code[step.pc + 1 : step.end], "big")

    def helper_called_at(self, index: int) -> Helper | None:
        """The helper that a JUMP into a function goes to, where a PUSH right before it says so and it is understood."""
        step = self.steps[index]
        target = self.pushed(index - 1)
        if step.opcode != JUMP or step.source.jump != "i" or target is None:
            return None
        if target not in self._helpers:
            self._helpers[target] = read_helper(self.code, self.at, target)
        return self._helpers[target]

    def is_used_once(self, index: int) -> bool:
        """Return whether the number that a PUSH puts on the stack is taken by one instruction of its block, and never
        copied or kept for what comes behind the block."""
        depth = 0
        for at in range(index + 1, len(self.steps)):
            opcode = self.steps[at].opcode
            if opcode == JUMPDEST or opcode not in OPCODES:
                return False
            if DUP1 <= opcode <= SWAP1 - 1:
                if opcode - DUP1 == depth:
                    return False
                depth += 1
            elif SWAP1 <= opcode < SWAP1 + 16:
                other = opcode - SWAP1 + 1
                depth = other if depth == 0 else 0 if depth == other else depth
            elif depth < OPCODES[opcode].pops:
                return True
            else:
                depth += OPCODES[opcode].pushes - OPCODES[opcode].pops
            if opcode in _ENDS:
                return False
        return False

    def block_around(self, index: int) -> tuple[int, int]:
        """First and last index of the instructions that always run together with this one; a JUMPDEST at the beginning
        is not among them."""
        first = last = index
        while first > 0 and self.steps[first].opcode != JUMPDEST and self.steps[first - 1].opcode not in _ENDS:
            first -= 1
        if self.steps[first].opcode == JUMPDEST:
            first += 1
        while (
            last + 1 < len(self.steps)
            and self.steps[last].opcode not in _ENDS
            and self.steps[last + 1].opcode != JUMPDEST
        ):
            last += 1
        return first, last

    def window(self, first: int, last: int) -> tuple[int, int] | None:
        """The instructions from `first` to `last`, and as many beside them as a jump out of the code needs; None where
        the block is too short, or one of them cannot stand elsewhere."""
        low, high = self.block_around(first)
        if last > high or first < low:
            return None
        while self.steps[last].end - self.steps[first].pc < HOOK_BYTES:
            # Those behind first: what comes before has often other edits.
            if last < high:
                last += 1
            elif first > low:
                first -= 1
            else:
                return None
        if any(self.steps[index].opcode == _PROGRAM_COUNTER for index in range(first, last + 1)):
            return None
        return first, last


def data_size(opcode: int) -> int:
    """Bytes of data behind an opcode."""
    return opcode - PUSH1 + 1 if PUSH1 <= opcode <= PUSH32 else 0

"""Mix of the instructions in recorded calls, counted from the coverage cells: exact, and free of sampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.contestants.replay import KernelReplay
from simulator.evm.machine import Machine

HITS = np.uint64((1 << 48) - 1)
PUSH0, PUSH1, PUSH32 = 0x5F, 0x60, 0x7F

GROUPS: tuple[tuple[str, range | tuple[int, ...]], ...] = (
    ("PUSH", range(0x5F, 0x80)),
    ("DUP", range(0x80, 0x90)),
    ("SWAP", range(0x90, 0xA0)),
    ("POP", (0x50,)),
    ("JUMP", (0x56,)),
    ("JUMPI", (0x57,)),
    ("JUMPDEST", (0x5B,)),
    ("ADD, SUB", (0x01, 0x03)),
    ("MUL", (0x02,)),
    ("DIV, MOD", (0x04, 0x05, 0x06, 0x07)),
    ("ADDMOD, MULMOD, EXP", (0x08, 0x09, 0x0A)),
    ("comparisons", range(0x10, 0x16)),
    ("bits", range(0x16, 0x20)),
    ("MLOAD, MSTORE", (0x51, 0x52, 0x53)),
    ("CALLDATALOAD", (0x35,)),
    ("SLOAD", (0x54,)),
    ("SSTORE", (0x55,)),
    ("KECCAK256", (0x20,)),
    ("LOG", range(0xA0, 0xA5)),
    ("calls, creates", (0xF0, 0xF1, 0xF2, 0xF4, 0xF5, 0xFA)),
)
OTHER = "everything else"


@dataclass(frozen=True)
class Mix:
    """Executed instructions by group, and blocks, over all calls. A block that ends in a failure counts whole."""

    groups: Counter[str]
    blocks: int
    calls: int

    @property
    def instructions(self) -> int:
        return self.groups.total()


def measure_mix(machine: Machine, replay: KernelReplay) -> Mix:
    """Run the replay once and count."""
    before = executions(machine)
    replay.run(log_comparisons=False)
    return executed(machine, before, replay.calls)


def executions(machine: Machine) -> list[npt.NDArray[np.uint64]]:
    """Return how often each cell of each code was hit so far."""
    return [covered.cells & HITS for covered in machine.codes]


def executed(machine: Machine, before: Sequence[npt.NDArray[np.uint64]], calls: int) -> Mix:
    """Return what was executed since `before`, by `calls` calls. Codes that came since are counted from their
    beginning, those that no account has are left out, and so is what features put back when a sequence is trimmed."""
    codes = _code_bytes(machine)
    groups: Counter[str] = Counter()
    blocks = 0
    for number, covered in enumerate(machine.codes):
        hits = (covered.cells & HITS).astype(np.int64)
        if number < len(before):
            hits -= before[number].astype(np.int64)
        if number not in codes:
            continue
        for start, end, count in zip(covered.map.block_starts, covered.map.block_ends, hits.tolist(), strict=False):
            if count > 0:
                blocks += count
                for opcode in opcodes(codes[number][start:end]):
                    groups[group_of(opcode)] += count
    return Mix(groups, blocks, calls)


def opcodes(data: bytes) -> Iterator[int]:
    """The opcodes of a stretch of code, without the data of PUSHes."""
    position = 0
    while position < len(data):
        opcode = data[position]
        yield opcode
        position += opcode - PUSH0 + 1 if PUSH1 <= opcode <= PUSH32 else 1


def group_of(opcode: int) -> str:
    return next((name for name, members in GROUPS if opcode in members), OTHER)


def _code_bytes(machine: Machine) -> dict[int, bytes]:
    """Runtime codes of all accounts by coverage identity."""
    found = {}
    for record in machine.accounts.all_records():
        own = record.code
        found[own.id] = machine.code_store.data_of(own)
    return found

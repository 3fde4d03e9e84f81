"""Comparisons of the machine's log as Python sees them: read all at once, each different one made only once."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from simulator.evm.arenas import read_bytes
from simulator.evm.kernel.layout.comparison import Comparison as ComparisonRecord
from simulator.evm.kernel.records import pointer
from simulator.evm.machine import Machine

MAX_REMEMBERED = 1 << 14
_RECORD = struct.Struct(f"<32s32sqq{ComparisonRecord.SIZE - 80}x")


class Comparison(NamedTuple):
    """Two operands that the EVM compared, and where: code id and program counter."""

    left: int
    right: int
    code: int
    program_counter: int


class ComparisonLog:
    """The comparisons that a machine logs. Executions repeat most of them, so that those seen lately are remembered by
    their records."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._known: dict[bytes, Comparison] = {}

    @contextmanager
    def logging(self) -> Iterator[None]:
        """Let whatever is executed log its comparisons; `take` gives them."""
        context = self._machine.context
        context.comparisons_count = 0
        context.comparisons_on = True
        try:
            yield
        finally:
            context.comparisons_on = False

    def take(self, most: int) -> list[Comparison]:
        """The first comparisons logged since the last call of this method, in order, as far as the log holds them."""
        found = self.read(most)
        self._machine.context.comparisons_count = 0
        return found

    def read(self, most: int = 1 << 20) -> list[Comparison]:
        """The comparisons in the log, so many at most."""
        context, size = self._machine.context, ComparisonRecord.SIZE
        count = min(context.comparisons_count, context.comparisons_mask + 1, most)
        data = read_bytes(pointer(context.comparisons), count * size)
        if len(self._known) > MAX_REMEMBERED:
            self._known.clear()
        known = self._known
        return [
            known.get(record) or self._learn(record)
            for record in (data[start : start + size] for start in range(0, len(data), size))
        ]

    def _learn(self, record: bytes) -> Comparison:
        left, right, code, program_counter = _RECORD.unpack(record)
        words = int.from_bytes(left, "little"), int.from_bytes(right, "little")
        found = self._known[record] = Comparison(*words, code, program_counter)
        return found

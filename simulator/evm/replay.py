"""Recorded transactions, executed natively in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.evm.arenas import BumpArena, write_bytes
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel import commands
from simulator.evm.kernel.layout.replay_record import ReplayRecord
from simulator.evm.kernel.records import Records, pointer
from simulator.evm.machine import Machine


@dataclass(frozen=True)
class RecordedCall:
    sender: int
    to: int
    data: bytes
    value: int = 0
    gas: int = 12_500_000


@dataclass(frozen=True)
class ReplayOutcome:
    executed: int
    succeeded: int


class MachineReplay:
    """A list of calls placed in memory once, to be executed many times on one machine."""

    def __init__(self, machine: Machine, calls: Sequence[RecordedCall]) -> None:
        self._machine = machine
        self._count = len(calls)
        size = sum(ReplayRecord.SIZE + len(call.data) + 64 for call in calls) + 64
        self._arena = BumpArena(size, checked=not machine.kernel.compiled)
        self._records = view(Records[ReplayRecord], self._arena.take(ReplayRecord.SIZE * len(calls)))
        for index, call in enumerate(calls):
            self._write(self._records[index], call)

    def run(self) -> ReplayOutcome:
        """Execute all calls one after the other, then roll the state back. Ends early at a call that needs the host."""
        machine = self._machine
        mark = machine.mark()
        machine.context.command_a = pointer(self._records)
        machine.context.command_b = self._count
        succeeded = machine.native(commands.REPLAY)
        executed = machine.context.command_c
        machine.rollback(mark)
        return ReplayOutcome(executed, succeeded)

    def _write(self, record: ReplayRecord, call: RecordedCall) -> None:
        data = self._arena.take(len(call.data) + 32)
        write_bytes(data, call.data)
        record.sender = as_word(call.sender)
        record.value = as_word(call.value)
        record.to = self._machine.accounts.record(call.to)
        record.data = data
        record.data_size = len(call.data)
        record.gas = call.gas

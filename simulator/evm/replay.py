"""Recorded transactions, executed natively in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.evm.arenas import BumpArena, write_bytes, write_int, write_word
from simulator.evm.kernel import commands
from simulator.evm.kernel.layout import context, replay_record
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


class Replay:
    """A list of calls placed in memory once, to be executed many times on one machine."""

    def __init__(self, machine: Machine, calls: Sequence[RecordedCall]) -> None:
        self._machine = machine
        self._count = len(calls)
        size = sum(replay_record.SIZE + len(call.data) + 64 for call in calls) + 64
        self._arena = BumpArena(size, checked=not machine.kernel.compiled)
        self._records = self._arena.take(replay_record.SIZE * len(calls))
        for index, call in enumerate(calls):
            self._write(self._records + index * replay_record.SIZE, call)

    def run(self) -> ReplayOutcome:
        """Execute all calls one after the other, then roll the state back. Ends early at a call that needs the host."""
        machine = self._machine
        mark = machine.mark()
        machine.set(context.COMMAND_A, self._records)
        machine.set(context.COMMAND_B, self._count)
        succeeded = machine.native(commands.REPLAY)
        executed = machine.get(context.COMMAND_C)
        machine.rollback(mark)
        return ReplayOutcome(executed, succeeded)

    def _write(self, record: int, call: RecordedCall) -> None:
        data = self._arena.take(len(call.data) + 32)
        write_bytes(data, call.data)
        write_word(record + replay_record.SENDER, call.sender)
        write_word(record + replay_record.VALUE, call.value)
        for field, value in (
            (replay_record.TO, self._machine.accounts.record(call.to)),
            (replay_record.DATA, data),
            (replay_record.DATA_SIZE, len(call.data)),
            (replay_record.GAS, call.gas),
        ):
            write_int(record + field, value)

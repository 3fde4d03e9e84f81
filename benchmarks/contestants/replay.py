"""Recorded sequences on the kernel: their outcomes once, then their speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.measuring.errors import BenchmarkError
from simulator.evm.machine import Machine
from simulator.evm.replay import MachineReplay, RecordedCall
from simulator.evm.results import Status


@dataclass(frozen=True)
class Outcome:
    """Ending of a call. The output of a halt is empty, as the EVM has it."""

    success: bool
    output: bytes


class KernelReplay:
    """Sequences in native memory. Each starts from the machine's present state, which is rolled back to after each.

    `outcomes` are those of all calls, executed one by one at first: the host then makes room for the storage that they
    touch, which the native replay could not wait for. `recycle` compacts that storage; an engine that uses the machine
    has its own way.
    """

    def __init__(
        self, machine: Machine, sequences: Sequence[Sequence[RecordedCall]], recycle: Callable[[], None]
    ) -> None:
        self._machine = machine
        self._recycle = recycle
        self._replays = [MachineReplay(machine, sequence) for sequence in sequences]
        self.calls = sum(map(len, sequences))
        self.outcomes = [self._play(sequence) for sequence in sequences]

    def run(self, *, log_comparisons: bool = True) -> int:
        """Execute all sequences natively, with coverage; the number of calls that succeeded.

        Raises `BenchmarkError` when a call needs the host, which the replay command does not serve.
        """
        self._machine.context.comparisons_on = log_comparisons
        executed = succeeded = 0
        for replay in self._replays:
            self._make_room()
            outcome = replay.run()
            executed += outcome.executed
            succeeded += outcome.succeeded
        self._machine.context.comparisons_on = False
        if executed != self.calls:
            reason, detail = self._machine.context.exit_reason, self._machine.context.exit_detail
            raise BenchmarkError(
                f"the kernel left {self.calls - executed} of {self.calls} calls to the host (exit {reason}, {detail})"
            )
        return succeeded

    def _make_room(self) -> None:
        """Do between sequences what a campaign does, since the native replay cannot wait for the host to do it."""
        used, capacity = self._machine.context.slots_used, self._machine.context.slots_mask + 1
        if 4 * used > capacity:
            self._recycle()
            if 8 * self._machine.context.slots_used > capacity:
                self._machine.grow_slots()

    def _play(self, sequence: Sequence[RecordedCall]) -> list[Outcome]:
        machine = self._machine
        mark = machine.mark()
        results = [
            machine.transact(sender=call.sender, to=call.to, data=call.data, value=call.value, gas=call.gas)
            for call in sequence
        ]
        machine.rollback(mark)
        return [
            Outcome(each.success, each.output if each.success or each.status is Status.REVERT else b"")
            for each in results
        ]

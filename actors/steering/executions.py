"""One-time executions requested by users, and the callers that wait for the outcome."""

from __future__ import annotations

from actors.runtime.errors import CampaignEnding, CommandRejected, ExecutionLost
from actors.runtime.mailbox import Reply
from actors.steering.call_reader import CallRequestReader
from actors.steering.commands import ExecuteSequence
from simulator.transaction import Sequence
from simulator.worker.commands import Execute
from simulator.worker.reports import Executed

MAX_EXECUTIONS = 16
MAX_TRANSACTIONS = 10_000


class Executions:
    """Executions in progress, owned by the steering desk."""

    def __init__(self, reader: CallRequestReader) -> None:
        self._reader = reader
        self._waiting: dict[int, tuple[int, Sequence, Reply[object]]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def read(self, command: ExecuteSequence) -> Sequence:
        """Parse the sequence to execute. Raises `CommandRejected`."""
        sequence = self._transactions(command)
        if len(self._waiting) >= MAX_EXECUTIONS:
            raise CommandRejected(f"{MAX_EXECUTIONS} executions are under way already; try again")
        return sequence

    def begin(
        self, number: int, worker: int, sequence: Sequence, reply: Reply[object], command: ExecuteSequence
    ) -> Execute:
        """Assign it to this worker; returns the command to send. `reply` gets the outcome when it comes."""
        self._waiting[number] = (worker, sequence, reply)
        return Execute(number, sequence, command.trace, command.trace_depth, command.storage, command.cover)

    def end(self, frame: Executed) -> None:
        """A worker answers."""
        execution = self._waiting.pop(frame.id, None)
        if execution is not None:
            execution[2].set(frame)

    def lose(self, worker: int) -> list[Sequence]:
        """The worker's process is gone. Returns what it did not answer; who waits for that hears of it."""
        left = []
        for number, (index, sequence, reply) in list(self._waiting.items()):
            if index == worker:
                reply.fail(ExecutionLost(f"worker {worker} ended before it had executed the calls"))
                left.append(sequence)
                del self._waiting[number]
        return left

    def close(self) -> None:
        """The campaign ends: notify callers that still wait."""
        for _, _, reply in self._waiting.values():
            reply.fail(CampaignEnding("the campaign ended first"))
        self._waiting.clear()

    def _transactions(self, command: ExecuteSequence) -> Sequence:
        if len(command.transactions) > MAX_TRANSACTIONS:
            raise CommandRejected(f"a sequence has at most {MAX_TRANSACTIONS} transactions")
        if command.transactions and not command.calls:
            return command.transactions
        calls = self._reader.read(command.calls)
        for number, call in enumerate(calls, 1):
            if call.parsed.has_wildcards or call.request.sender is None:
                raise CommandRejected(f"call {number}: what is executed must be without wildcards")
        return (*command.transactions, *self._reader.fill(calls))

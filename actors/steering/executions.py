"""One-time executions requested by users, and the callers that wait for the outcome."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import trio

from actors.runtime.errors import CampaignEnding, CommandRejected, ExecutionLost
from actors.runtime.mailbox import Reply
from actors.steering.call_reader import CallRequestReader
from actors.steering.commands import ExecuteSequence
from simulator.corpus.identity import sequence_hash
from simulator.transaction import Sequence
from simulator.worker.commands import Execute
from simulator.worker.reports import Executed

MAX_EXECUTIONS = 16
MAX_TRANSACTIONS = 10_000
MAX_DEADLY = 64
MAX_DEATHS, DEATHS_WITHIN = 8, 600.0
"""Workers that may die of what is tried, within so many seconds: each death costs the campaign time."""


class DeadlyTrials:
    """Sequences of which workers died when they were tried. Nothing that begins with one is tried again. They are apart
    from the campaign's quarantine: a client that may only look decides nothing about what the campaign executes."""

    def __init__(self) -> None:
        self._known: deque[tuple[int, str]] = deque(maxlen=MAX_DEADLY)
        self._deaths: deque[float] = deque()

    def add(self, sequences: Iterable[Sequence]) -> None:
        """A worker died of one of these."""
        self._deaths.append(trio.current_time())
        for sequence in sequences:
            self._known.append((len(sequence), sequence_hash(sequence)))

    def check(self, sequence: Sequence) -> None:
        """Raise `CommandRejected` where this must not be tried."""
        hashes = {length: sequence_hash(sequence[:length]) for length in {known[0] for known in self._known}}
        for length, digest in self._known:
            if length <= len(sequence) and hashes[length] == digest:
                raise CommandRejected(
                    f"a worker died of the first {length} of these calls when they were tried; they are not tried again"
                )
        while self._deaths and trio.current_time() - self._deaths[0] > DEATHS_WITHIN:
            self._deaths.popleft()
        if len(self._deaths) >= MAX_DEATHS:
            raise CommandRejected(
                f"{MAX_DEATHS} workers died of calls that were tried within {DEATHS_WITHIN:g} s; try again later"
            )


class Executions:
    """Executions in progress, owned by the steering actor."""

    def __init__(self, reader: CallRequestReader) -> None:
        self._reader = reader
        self._waiting: dict[int, tuple[int, Sequence, Reply[object]]] = {}
        self._deadly = DeadlyTrials()
        self._next_id = 1

    def __len__(self) -> int:
        return len(self._waiting)

    def read(self, command: ExecuteSequence) -> Sequence:
        """Parse the sequence to execute. Raises `CommandRejected`."""
        sequence = self._transactions(command)
        self._deadly.check(sequence)
        if len(self._waiting) >= MAX_EXECUTIONS:
            raise CommandRejected(f"{MAX_EXECUTIONS} executions are under way already; try again")
        return sequence

    def begin(self, worker: int, sequence: Sequence, reply: Reply[object], command: ExecuteSequence) -> Execute:
        """Assign it to this worker; returns the command to send. `reply` gets the outcome when it comes."""
        # Numbers of their own: those of steering are told, and are the same in a replay, which executes nothing.
        number, self._next_id = self._next_id, self._next_id + 1
        self._waiting[number] = (worker, sequence, reply)
        return Execute(
            number,
            sequence,
            command.trace,
            command.trace_depth,
            command.storage_changes,
            command.cover,
            command.slots,
        )

    def end(self, frame: Executed) -> None:
        """A worker answers."""
        execution = self._waiting.pop(frame.id, None)
        if execution is not None:
            execution[2].set(frame)

    def is_running(self, worker: int, executed: Sequence) -> bool:
        """Return whether this worker may be executing calls that begin with `executed`."""
        return any(
            index == worker and sequence[: len(executed)] == executed for index, sequence, _ in self._waiting.values()
        )

    def lose(self, worker: int, deadly: Sequence | None = None) -> None:
        """The worker's process is gone; who waits for what it did not answer hears of it. It died of what begins with
        the calls `deadly`; None where it died of something else."""
        lost = [number for number, (index, *_) in self._waiting.items() if index == worker]
        culprits = []
        for number in lost:
            _, sequence, reply = self._waiting.pop(number)
            if deadly is not None and sequence[: len(deadly)] == deadly:
                culprits.append(deadly or sequence)
                of_what = "executing" if deadly else "and may have been executing"
                why = f"worker {worker} died {of_what} these calls, which are not tried again"
            else:
                why = f"worker {worker} ended before it had executed the calls"
            reply.fail(ExecutionLost(why))
        if culprits:
            self._deadly.add(dict.fromkeys(culprits))

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

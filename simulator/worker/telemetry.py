"""Telemetry of a worker: heartbeats, coverage, counts, codes and words."""

from __future__ import annotations

import time

from simulator.fuzz.feedback.features import CellDeltas, Cells
from simulator.fuzz.feedback.function_yield import FunctionYield
from simulator.transaction import Transaction
from simulator.worker.channel import Channel
from simulator.worker.reports import Coverage, FunctionCounts, Heartbeat, NewCode, Words
from simulator.worker.setup import Worker

HEARTBEAT_SECONDS = 0.1
COVERAGE_SECONDS = 1.0
MAX_WORDS = 256
MAX_KNOWN_WORDS = 1 << 16


class Telemetry:
    """Nothing is sent before `start`. Time decides only when something is sent."""

    def __init__(self, worker: Worker, channel: Channel) -> None:
        self._worker = worker
        self._engine = worker.engine
        self._channel = channel
        self._deltas = CellDeltas(lambda: worker.machine.codes)
        self._yield = FunctionYield(lambda: worker.machine.codes)
        self._known_codes = len(worker.machine.codes)
        self._known_words: set[int] = set()
        self._last_heartbeat = 0.0
        self._last_coverage = 0.0
        self.is_started = False

    def start(self) -> None:
        """The supervisor knows the worker from now on."""
        self.is_started = True

    def beat(self) -> None:
        """Send what is due: a heartbeat every tenth of a second, coverage and counters every second."""
        now = time.monotonic()
        if not self.is_started or now - self._last_heartbeat < HEARTBEAT_SECONDS:
            return
        self._last_heartbeat = now
        self._send_heartbeat()
        if now - self._last_coverage >= COVERAGE_SECONDS:
            self._last_coverage = now
            self.send_coverage()

    def send_everything(self) -> None:
        """Work has ended: all figures as they are."""
        self.send_coverage()
        self._send_words()
        self._send_heartbeat()

    def send_coverage(self) -> None:
        """Cells that changed, and counts per function."""
        self.announce_codes()
        for code, cells, counts in self._deltas.take():
            self._channel.send(Coverage(code, cells, counts))
        announced = len(self._worker.functions)
        calls, reverts = self._engine.functions.counts()
        last_new, rarest = self._yield.last_new(announced), self._yield.rarest(announced)
        self._channel.send(FunctionCounts(calls[:announced], reverts[:announced], last_new, rarest))

    def announce_codes(self) -> None:
        """Codes that have appeared, before anything is said of them."""
        codes = self._worker.machine.codes
        for index in range(self._known_codes, len(codes)):
            self._channel.send(NewCode(index, codes[index].map))
        self._known_codes = len(codes)

    def credit(self, last: Transaction, new: dict[int, Cells]) -> None:
        """A sequence that ends with this call has brought these features."""
        target = self._engine.target_of(last)
        if target is not None:
            self._yield.credit(target.index, new, self._engine.calls)

    def know_words(self, words: list[int]) -> None:
        """Words that came from the supervisor need not be told to it."""
        self._known_words.update(words)

    def _send_heartbeat(self) -> None:
        engine = self._engine
        self._channel.send(Heartbeat(engine.calls, engine.sequences, engine.reverted, engine.gas))

    def _send_words(self) -> None:
        new = [word for word in self._engine.words.read() if word not in self._known_words][:MAX_WORDS]
        if new:
            if len(self._known_words) > MAX_KNOWN_WORDS:
                self._known_words.clear()
            self._known_words.update(new)
            self._channel.send(Words(tuple(word.to_bytes(32, "big") for word in new)))

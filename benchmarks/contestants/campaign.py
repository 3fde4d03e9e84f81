"""One worker's campaign in this process: the worker's own code, its frames written to nowhere."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from benchmarks.contestants.targets import CompiledTarget
from benchmarks.measuring.errors import BenchmarkError
from simulator.evm.replay import RecordedCall
from simulator.transaction import Sequence, address_int
from simulator.worker.channel import Channel
from simulator.worker.commands import Fuzz, Setup
from simulator.worker.session import Session
from simulator.worker.setup import build_worker


@dataclass(frozen=True)
class Spent:
    """Cost of some fuzzing; `calls` are transactions of sequences, property calls not among them."""

    calls: int
    seconds: float


class LocalCampaign:
    """A worker that fuzzes on, batch after batch: generation, execution, coverage, oracles, corpus, telemetry."""

    def __init__(self, compiled: CompiledTarget, seed: int) -> None:
        self.compiled = compiled
        self.worker = build_worker(Setup(0, seed, os.fsencode(compiled.project), compiled.settings))
        commands, self._never_written = os.pipe()
        self._session = Session(self.worker, Channel(commands, os.open(os.devnull, os.O_WRONLY)))
        ready = self._session.ready()
        if ready.falsified_at_start:
            raise BenchmarkError(f"{compiled.target.name}: a property fails before any call")

    @property
    def reverted_share(self) -> float:
        """Share of calls that did not succeed, since the start."""
        engine = self.worker.engine
        return engine.reverted / max(engine.calls, 1)

    def fuzz(self, calls: int) -> Spent:
        """Fuzz at least `calls` more calls. Raises `BenchmarkError` when a property fails."""
        engine = self.worker.engine
        before, began = engine.calls, time.perf_counter()
        self._session.fuzz(Fuzz(calls))
        seconds = time.perf_counter() - began
        if engine.calls - before < calls:
            raise BenchmarkError(f"{self.compiled.target.name}: a property was falsified; its rate says nothing")
        return Spent(engine.calls - before, seconds)

    def compile_hot_code(self) -> None:
        """Wait for the code that has become hot, so that what is measured afterwards has it."""
        if self.worker.hot_codes is not None:
            self.worker.hot_codes.wait()

    def record(self, count: int) -> list[list[RecordedCall]]:
        """`count` further sequences as the campaign makes them, each executed once. Delays and waits are left out."""
        engine = self.worker.engine
        recorded: list[list[RecordedCall]] = []
        while len(recorded) < count:
            engine.fuzz(engine.calls + 1)
            calls = recorded_calls(engine.current_sequence(self.worker.settings.sequence_length))
            if calls:
                recorded.append(calls)
        return recorded


def recorded_calls(sequence: Sequence) -> list[RecordedCall]:
    """The calls of a sequence for the replay command."""
    return [
        RecordedCall(address_int(each.sender), address_int(each.to), each.data, each.wei, each.gas)
        for each in sequence
        if not each.is_wait
    ]

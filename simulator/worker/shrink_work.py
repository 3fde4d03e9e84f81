"""Making one failing sequence smaller: the shrinker on a worker's engine, with its telemetry and its interruptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.abi.repair import repair
from simulator.abi.types import AbiType
from simulator.errors import AbiError
from simulator.fuzz.checking.oracles import Check, Oracle
from simulator.fuzz.checking.reasons import failure_reason, optimization_value
from simulator.fuzz.checking.replay import Replayer
from simulator.fuzz.shrinking.knowing import knowledge_of
from simulator.fuzz.shrinking.shrinker import Shrinker, ShrinkResult
from simulator.trace.render import render_trace
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction
from simulator.worker.channel import Channel
from simulator.worker.commands import Shrink
from simulator.worker.reports import Shrunk
from simulator.worker.setup import Worker
from simulator.worker.telemetry import Telemetry


class _Interrupted(Exception):  # noqa: N818  # a jump out of the shrinker, no error
    """A `Stop` or `Interrupt` came between two candidates."""


class ShrinkWork:
    """Only the test in hand is checked meanwhile; the others are again afterwards, and while `obey_steering` acts on
    what came between two candidates."""

    def __init__(
        self,
        worker: Worker,
        channel: Channel,
        telemetry: Telemetry,
        replayer: Replayer,
        obey_steering: Callable[[], bool],
    ) -> None:
        self._worker = worker
        self._engine = worker.engine
        self._channel = channel
        self._telemetry = telemetry
        self._replayer = replayer
        self._obey_steering = obey_steering
        self._set_aside: list[int] = []

    def run(self, work: Shrink) -> bool:
        """Shrink, and report what came of it. False when the work was interrupted."""
        oracle = self._worker.oracles[work.test]
        self._set_aside = self._engine.oracles.open_ids()
        self._check_only(oracle)
        wanted = self._value_to_keep(oracle, work.sequence)
        shrinker = Shrinker(
            work.sequence,
            lambda candidate: self._still_fails(oracle, candidate, wanted),
            self._decode,
            self._worker.settings.senders,
            work.attempts,
            self._is_raw,
            knowledge_of(self._engine, self._worker.settings, self._worker.deployment.contracts, oracle),
            work.variant,
        )
        try:
            self._report(oracle, shrinker.run())
        except _Interrupted:
            self._report(oracle, shrinker.progress())
            return False
        finally:
            self._check_all_but(oracle)
        return True

    def _check_only(self, oracle: Oracle) -> None:
        for other in self._set_aside:
            self._engine.oracles.set_open(other, False)
        self._engine.oracles.set_open(oracle.id, True)

    def _check_all_but(self, oracle: Oracle) -> None:
        self._engine.oracles.set_open(oracle.id, False)
        for other in self._set_aside:
            self._engine.oracles.set_open(other, True)

    def _steer(self, oracle: Oracle) -> None:
        """Between two candidates the other tests are checked for a moment."""
        best = self._engine.oracles.best(oracle.id)
        self._check_all_but(oracle)
        self._obey_steering()
        self._set_aside = self._engine.oracles.open_ids()
        self._check_only(oracle)
        self._engine.oracles.set_best(oracle.id, best)

    def _value_to_keep(self, oracle: Oracle, sequence: Sequence) -> int:
        if oracle.check is not Check.OPTIMIZATION:
            return 0
        return int(optimization_value(self._replayer.replay_for(oracle, sequence).property_result) or 0)

    def _still_fails(self, oracle: Oracle, candidate: Sequence, wanted: int) -> bool:
        if self._channel.is_interrupted():
            raise _Interrupted
        if self._channel.has_steering():
            self._steer(oracle)
        if oracle.check is Check.OPTIMIZATION:
            self._engine.oracles.set_best(oracle.id, wanted - 1)
        executed = self._engine.execute(candidate, check=True, stop_at_failure=True)
        self._telemetry.beat()
        return oracle.id in executed.failures

    def _report(self, oracle: Oracle, result: ShrinkResult) -> None:
        """Execute the result once more and send it with its trace."""
        replayed = self._replayer.replay_for(oracle, result.sequence)
        value = ""
        if oracle.check is Check.OPTIMIZATION:
            value = optimization_value(replayed.property_result)
        self._channel.send(
            Shrunk(
                oracle.id,
                result.sequence,
                result.attempts,
                result.minimal,
                failure_reason(oracle, replayed, self._worker.book.errors),
                render_trace(replayed.calls, self._worker.book),
                value,
            )
        )

    def _is_raw(self, transaction: Transaction) -> bool:
        target = self._engine.target_of(transaction)
        return target is not None and target.is_fallback

    def _decode(self, transaction: Transaction) -> tuple[tuple[AbiType, ...], tuple[Any, ...]] | None:
        target = self._engine.target_of(transaction)
        if target is None or not target.function.inputs.members:
            return None
        types = target.function.inputs.members
        try:
            return types, target.function.decode_call(transaction.data, strict=False)
        except AbiError:
            pass
        try:
            return types, repair(types, transaction.data[SELECTOR_SIZE:])
        except AbiError:
            return None

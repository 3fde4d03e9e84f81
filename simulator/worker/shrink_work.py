"""Making one failing sequence smaller: the shrinker on a worker's engine, with its telemetry and its interruptions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from simulator.abi.codec import repair
from simulator.abi.types import AbiType
from simulator.errors import AbiError
from simulator.fuzz.checking.oracles import Check, Oracle
from simulator.fuzz.checking.reasons import failure_reason, optimization_value
from simulator.fuzz.checking.replay import Replayer
from simulator.fuzz.loop.engine import ExecutedSequence
from simulator.fuzz.shrinking.attempts import Known
from simulator.fuzz.shrinking.knowing import knowledge_of
from simulator.fuzz.shrinking.shrinker import Shrinker, ShrinkResult
from simulator.fuzz.sites.failure_sites import MAX_SITES
from simulator.trace.data import trace_data
from simulator.trace.render import render_trace
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction
from simulator.worker.channel import Channel
from simulator.worker.commands import Shrink
from simulator.worker.harvest import Harvest
from simulator.worker.reports import Shrunk
from simulator.worker.setup import Worker
from simulator.worker.telemetry import Telemetry

MAX_UNFINISHED = 8


class Unfinished:
    """Knowledge of the last shrinks that came in slices, by test, site, variant, and value to keep."""

    def __init__(self) -> None:
        self._known: OrderedDict[object, Known] = OrderedDict()

    def take_up(self, key: object) -> Known:
        """Take up the knowledge of this shrink, which is the last to be forgotten from now on."""
        known = self._known.pop(key, None) or Known()
        self._known[key] = known
        if len(self._known) > MAX_UNFINISHED:
            self._known.popitem(last=False)
        return known

    def forget(self, key: object) -> None:
        """There will be no further slice."""
        self._known.pop(key, None)


class _Interrupted(Exception):  # noqa: N818  # a jump out of the shrinker, no error
    """A `Stop` or `Interrupt` came between two candidates."""


class ShrinkWork:
    """Only the current test is checked meanwhile; the others are again afterwards, and while `obey_steering` acts on
    what came between two candidates."""

    def __init__(
        self,
        worker: Worker,
        channel: Channel,
        telemetry: Telemetry,
        harvest: Harvest,
        replayer: Replayer,
        obey_steering: Callable[[], bool],
        unfinished: Unfinished,
    ) -> None:
        self._unfinished = unfinished
        self._worker = worker
        self._engine = worker.engine
        self._channel = channel
        self._telemetry = telemetry
        self._harvest = harvest
        self._replayer = replayer
        self._obey_steering = obey_steering
        self._set_aside: list[int] = []
        self._test, self._site = 0, ""
        self._was_open = False
        self._keeps_clamps = False

    def run(self, work: Shrink) -> bool:
        """Shrink, and report what came of it. False when the work was interrupted."""
        oracle = self._worker.oracles[work.oracle if work.oracle >= 0 else work.test]
        self._test, self._site = work.test, work.site
        self._set_others_aside(oracle)
        self._check_only(oracle)
        self._keeps_clamps = self._engine.clamps.admits(work.sequence)
        wanted = self._value_to_keep(oracle, work.sequence)
        key = (work.test, work.site, work.variant, wanted)
        shrinker = Shrinker(
            work.sequence,
            lambda candidate: self._still_fails(oracle, candidate, wanted),
            self._decode,
            self._worker.settings.senders,
            work.attempts,
            self._is_raw,
            knowledge_of(self._engine, self._worker.settings, self._worker.deployment.contracts, oracle),
            work.variant,
            self._unfinished.take_up(key),
        )
        try:
            result = shrinker.run()
            if result.minimal:
                self._unfinished.forget(key)
            self._report(oracle, result)
        except _Interrupted:
            self._report(oracle, shrinker.progress())
            return False
        finally:
            self._check_all_but(oracle)
        return True

    def _set_others_aside(self, oracle: Oracle) -> None:
        self._was_open = self._engine.oracles.is_open(oracle.id)
        self._set_aside = [test for test in self._engine.oracles.open_ids() if test != oracle.id]

    def _check_only(self, oracle: Oracle) -> None:
        for other in self._set_aside:
            self._engine.oracles.set_open(other, False)
        self._engine.oracles.set_open(oracle.id, True)
        self._worker.sites.look_for(oracle, self._site)

    def _check_all_but(self, oracle: Oracle) -> None:
        """Check again all but one of the tests that were checked before; of the current test its other sites."""
        self._engine.oracles.set_open(oracle.id, self._was_open)
        self._worker.sites.look_for_new(oracle)
        for other in self._set_aside:
            self._engine.oracles.set_open(other, True)

    def _steer(self, oracle: Oracle) -> None:
        """Between two candidates the other tests are checked for a moment."""
        best = self._engine.oracles.best(oracle.id)
        self._check_all_but(oracle)
        self._obey_steering()
        self._set_others_aside(oracle)
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
        if self._keeps_clamps and not self._engine.clamps.admits(candidate):
            return False
        if oracle.check is Check.OPTIMIZATION:
            self._engine.oracles.set_best(oracle.id, wanted - 1)
        executed = self._engine.execute(candidate, check=True, stop_at_failure=True)
        self._telemetry.beat()
        return oracle.id in executed.failures and self._is_same_site(oracle, executed, candidate)

    def _is_same_site(self, oracle: Oracle, executed: ExecutedSequence, candidate: Sequence) -> bool:
        """Return whether the candidate fails where the finding does. Where it fails elsewhere first, that is told as
        a finding unless it is known, and it is executed past that."""
        sites = self._worker.sites
        for _ in range(MAX_SITES):
            if oracle.id not in executed.failures:
                return False
            keys = executed.keys[oracle.id]
            if oracle.check is Check.OPTIMIZATION or sites.belongs(oracle, self._site, keys):
                return True
            self._replayer.replay_for(oracle, candidate[: executed.failures[oracle.id] + 1])
            failure = sites.failure(oracle, keys)
            if failure.site == self._site:
                sites.note_key(oracle, self._site, failure.keys)
                return True
            self._check_all_but(oracle)
            self._harvest.report_failures(executed, candidate)
            self._set_others_aside(oracle)
            self._check_only(oracle)
            executed = self._engine.execute(candidate, check=True, stop_at_failure=True)
        return False

    def _report(self, oracle: Oracle, result: ShrinkResult) -> None:
        """Execute the result once more and send it with its trace."""
        replayed = self._replayer.replay_for(oracle, result.sequence)
        value = ""
        if oracle.check is Check.OPTIMIZATION:
            value = optimization_value(replayed.property_result)
        self._channel.send(
            Shrunk(
                self._test,
                result.sequence,
                result.attempts,
                result.minimal,
                failure_reason(oracle, replayed, self._worker.book.errors),
                render_trace(replayed.calls, self._worker.book),
                value,
                trace_data(replayed.calls, self._worker.book),
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

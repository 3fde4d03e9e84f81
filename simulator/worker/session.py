"""The worker's work: fuzzing, replaying, shrinking, executing, with its telemetry."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from simulator.errors import ChainUnavailableError, FetchInterruptedError
from simulator.evm.kernel.status import REJECTED_BY_SKIP
from simulator.fuzz.checking.oracles import Check
from simulator.fuzz.checking.reasons import failure_reason, skip_reason
from simulator.fuzz.feedback.features import FeatureSet
from simulator.health.rare_cells import HitCounts
from simulator.health.witness import Witness
from simulator.modes.checks import DEPLOYED
from simulator.transaction import Sequence, Transaction
from simulator.worker.channel import Channel
from simulator.worker.commands import (
    AddWords,
    Adopt,
    Execute,
    Focus,
    Fuzz,
    Inject,
    Replay,
    SetClamps,
    SetTemplates,
    Shrink,
    Steering,
    Together,
)
from simulator.worker.frame import DoneReason
from simulator.worker.harvest import Harvest
from simulator.worker.rejections import RejectionWatch
from simulator.worker.reports import (
    Done,
    Falsified,
    FunctionInfo,
    Injected,
    Obeyed,
    Observed,
    Ready,
    Skipped,
    TestInfo,
    Warn,
)
from simulator.worker.setup import Worker
from simulator.worker.shrink_work import ShrinkWork, Unfinished
from simulator.worker.steered import SteeredWorker
from simulator.worker.telemetry import Telemetry

BATCH_SECONDS = 0.02
FIRST_BATCH = 256
MAX_BATCH = 1 << 20
SEQUENCE_PATIENCE, SOLVING_PATIENCE = 0.1, 0.4
"""Seconds of this process's own time: a sequence, or what follows from new coverage, that takes less once a command is
there is not cut short by it. Where commands take effect is then a place in the course of the calls, not in time."""


class Session:
    """Executes commands on a worker. Time decides only how often telemetry is sent and control is looked at; what is
    executed depends on the seed and the commands alone."""

    def __init__(self, worker: Worker, channel: Channel) -> None:
        self._worker = worker
        self._engine = worker.engine
        self._engine.is_interrupted = self._look_around
        worker.machine.is_stopped = self._is_time_up
        self._engine.on_unavailable = self._report_unavailable
        if worker.chain is not None:
            worker.chain.clock.pulse = self._stay_alive
        self._channel = channel
        self._features = FeatureSet(lambda: worker.machine.codes)
        self._telemetry = Telemetry(worker, channel)
        self._replayer = worker.replayer
        self._witness = Witness(self._engine, worker.oracles, worker.sites, lambda: worker.book.errors)
        self._hits = HitCounts(lambda: worker.machine.codes)
        self._harvest = Harvest(
            worker, channel, self._telemetry, self._features, self._replayer, self._witness, self._hits
        )
        self._steered = SteeredWorker(worker, self._replayer, self._features)
        self._is_fuzzing = False
        self._batch = FIRST_BATCH
        self._wanted_since: float | None = None
        self._unavailable = 0
        self._beside = 0
        self._obeyed = 0
        self._fixed = worker.fixed
        self._rejections = RejectionWatch(worker)
        self._unfinished = Unfinished()
        self._has_finished = False
        self._beyond = 0

    # --- announcements -----------------------------------------------------------------------------------------------

    def ready(self) -> Ready:
        """The target as deployed, its tests checked once before any call."""
        worker = self._worker
        failed_at_start, sites_at_start = self._check_at_start()
        skipped_at_start = tuple(self._skipped_at_start())
        self._features.take_new()
        self._telemetry.start()
        return Ready(
            tests=tuple(TestInfo(o.id, o.name, o.kind, o.contract) for o in worker.oracles),
            functions=tuple(
                FunctionInfo(
                    target.deployed.contract.name,
                    target.function.signature,
                    target.function.selector,
                    target.function.payable,
                )
                for target in worker.functions
            ),
            codes=tuple(code.map for code in worker.machine.codes),
            addresses=worker.deployment.labels(),
            falsified_at_start=failed_at_start,
            skipped_at_start=skipped_at_start,
            left_out=worker.left_out,
            sites_at_start=sites_at_start,
        )

    def _check_at_start(self) -> tuple[tuple[tuple[int, str], ...], tuple[str, ...]]:
        wait = Transaction(sender=self._worker.settings.senders[0], to=b"")
        failed = [(oracle.id, oracle.reason) for oracle in self._worker.oracles if oracle.check is Check.DECIDED]
        places = [""] * len(failed)
        for test, _ in failed:
            self._engine.oracles.set_open(test, False)
        executed = self._engine.execute((wait,), check=True, measure_nearness=True)
        for test in executed.failures:
            oracle = self._worker.oracles[test]
            if oracle.check is Check.OPTIMIZATION:
                continue
            replayed = self._replayer.replay_for(oracle, ())
            failure = self._worker.sites.failure(oracle, executed.keys[test])
            self._worker.sites.settle(oracle, failure.site, failure.keys)
            failed.append((test, failure_reason(oracle, replayed, self._worker.book.errors)))
            places.append(failure.site)
        for oracle in self._worker.oracles:
            if oracle.depth == DEPLOYED:
                self._engine.oracles.set_open(oracle.id, False)
        return tuple(failed), tuple(places)

    def _skipped_at_start(self) -> Iterator[tuple[int, str]]:
        """Tests that want nothing to be checked; they are closed."""
        for oracle in self._worker.oracles:
            if oracle.check is Check.SKIPPED:
                yield oracle.id, oracle.reason
            elif self._engine.oracles.is_skipped(oracle.id):
                self._engine.oracles.set_open(oracle.id, False)
                property_result = self._replayer.replay_for(oracle, ()).property_result
                yield oracle.id, skip_reason(property_result.output if property_result is not None else b"")

    # --- work --------------------------------------------------------------------------------------------------------

    def fuzz(self, work: Fuzz) -> None:
        start = self._engine.calls
        reason: DoneReason = "finished"
        if work.ahead and not self._has_finished:
            self._channel.send(Done(0, "interrupted"))
            return
        goal = start + work.calls - (self._beyond if work.ahead else 0)
        self._execute_fixed()
        if not self._engine.can_fuzz:
            self._finish(start, "exhausted")
            return
        while self._engine.calls < goal:
            if self._channel.is_interrupted():
                reason = "interrupted"
                break
            # In this order, so that what a command leads to does not depend on where batches end.
            if self._obey_steering() or self._solve() or self._fuzz_batch(goal):
                reason = "falsified"
                break
        self._beyond = self._engine.calls - goal
        self._finish(start, reason)

    def drop_ahead(self) -> None:
        """An interrupt came between two pieces of work: those that were given ahead are not begun."""
        while self._channel.take_ahead() is not None:
            self._has_finished = False
            self._channel.send(Done(0, "interrupted"))

    def _execute_fixed(self) -> None:
        """Tests without inputs, once; what they cover is no use for building sequences."""
        fixed, self._fixed = self._fixed, ()
        for sequence in fixed:
            executed = self._engine.execute(sequence, check=True)
            if self._worker.machine.context.rejected == REJECTED_BY_SKIP:
                self._skip(sequence)
            self._harvest.book(replace(executed, last_new=-1, near=None), sequence)
            self._telemetry.beat()
        self._features.take_new()

    def _skip(self, sequence: Sequence) -> None:
        target = self._engine.target_of(sequence[-1])
        signature = target.function.signature if target is not None else ""
        for oracle in self._worker.oracles:
            if (
                oracle.check is Check.FOUNDRY_TEST
                and oracle.name == signature
                and self._engine.oracles.is_open(oracle.id)
            ):
                self._engine.oracles.set_open(oracle.id, False)
                self._channel.send(Skipped(oracle.id, skip_reason(self._worker.machine.output())))

    def replay(self, work: Replay) -> None:
        start = self._engine.calls
        reason: DoneReason = "finished"
        with self._hits.aside():
            for sequence in work.sequences:
                if self._channel.is_interrupted():
                    reason = "interrupted"
                    break
                self._obey_steering()
                clamped = self._engine.clamps.within(sequence)
                executed = self._engine.execute(clamped, check=True)
                self._harvest.book(executed, clamped)
                if work.measure:
                    self._harvest.report_measure(sequence)
                self._telemetry.beat()
        self._finish(start, reason)

    def shrink(self, work: Shrink) -> None:
        start = self._engine.calls
        finished = ShrinkWork(
            self._worker,
            self._channel,
            self._telemetry,
            self._harvest,
            self._replayer,
            self._obey_steering,
            self._unfinished,
        ).run(work)
        self._finish(start, "finished" if finished else "interrupted")

    def adopt(self, news: Adopt) -> None:
        """Take over what others found; its coverage counts as known here from then on."""
        wanted = [sequence for sequence in news.sequences if sequence and not self._harvest.is_held(sequence)]
        if wanted:
            with self._hits.aside():
                self._take_over(wanted)
        self._features.take_new()
        words = [int.from_bytes(word, "big") for word in news.words]
        self._engine.words.add(words)
        self._telemetry.know_words(words)

    def _take_over(self, sequences: list[Sequence]) -> None:
        for sequence in sequences:
            if not self._harvest.is_held(sequence):
                self._engine.execute(sequence, check=False)
                self._harvest.hold(sequence)

    def close_test(self, test: int, site: str) -> None:
        """Others have found that the test fails, at a site or as a whole."""
        self._worker.sites.settle(self._worker.oracles[test], site)

    # --- steering ----------------------------------------------------------------------------------------------------

    def steer(self, command: Steering) -> bool:
        """Act on a steering command, at the deployed state. Returns whether a test was newly falsified."""
        falsified = self._act_on(command)
        self._obeyed += 1
        self._channel.send(Obeyed(self._obeyed, self._engine.calls))
        return falsified

    def _act_on(self, command: Steering) -> bool:
        match command:
            case Focus():
                self._steered.focus(command)
            case AddWords():
                self._steered.add_words_from(command)
            case SetTemplates():
                self._set_templates(command)
            case SetClamps():
                self._steered.set_clamps(command)
            case Execute():
                self._channel.send(self._steered.execute(command))
            case Inject():
                return self._inject(command)
            case Together(commands=commands):
                falsified = [self._act_on(each) for each in commands]
                return any(falsified)
            case _:
                assert_never(command)
        return False

    def _set_templates(self, command: SetTemplates) -> None:
        for problem in self._steered.set_templates(command):
            self._channel.send(Warn(problem))

    def _inject(self, command: Inject) -> bool:
        points = self._features.points
        executed = self._engine.execute(command.sequence, check=True)
        falsified = self._harvest.book(executed, command.sequence)
        if command.sequence and not self._harvest.is_held(command.sequence):
            self._harvest.hold(command.sequence)
        self._telemetry.send_coverage()
        self._channel.send(Injected(command.id, self._features.points > points))
        return falsified

    def _obey_steering(self) -> bool:
        """Act on what `is_interrupted` found. Returns whether a test was newly falsified."""
        falsified = False
        for command in self._channel.take_steering():
            falsified |= self.steer(command)
        return falsified

    # --- inside fuzzing ----------------------------------------------------------------------------------------------

    def _fuzz_batch(self, limit: int) -> bool:
        """One native batch. Returns whether a test was newly falsified (improved optimization values do not count)."""
        if self._worker.hot_codes is not None:
            self._worker.hot_codes.look()
        before, began = self._engine.calls, time.monotonic()
        self._is_fuzzing, self._wanted_since = True, None
        executed = self._engine.fuzz(min(limit, before + self._batch, max(before + 1, self._harvest.next_look)))
        self._is_fuzzing = False
        self._adapt_batch(self._engine.calls - before, time.monotonic() - began)
        falsified = executed is not None and self._harvest.book(executed, None)
        for frame in self._rejections.news():
            self._channel.send(frame)
            falsified |= isinstance(frame, Falsified)
        falsified |= self._solve()
        self._telemetry.beat()
        return falsified

    def _solve(self) -> bool:
        """Work on the comparisons of what came into the corpus lately. Returns whether a test was newly falsified.

        Steering waits until that is done, so that one place in the course of the calls is where it takes effect; calls
        that take so long that people would notice are the exception."""
        falsified = False
        began = time.process_time()
        while self._harvest.has_unsolved and not self._channel.is_interrupted():
            if time.process_time() - began > SOLVING_PATIENCE:
                falsified |= self._obey_steering()
            for found in self._harvest.next_variants():
                variant = self._engine.clamps.within(found)
                executed = self._engine.execute(variant, check=True, measure_nearness=True)
                falsified |= self._harvest.book(executed, variant)
                self._telemetry.beat()
        return falsified

    def _look_around(self) -> bool:
        """Between two calls, and before fetches."""
        self._telemetry.beat()
        return self._is_time_up()

    def _is_time_up(self) -> bool:
        """Return whether to stop the execution in its middle. Sends no sign of life: one that is
        in the same call for too long is given up by its supervisor."""
        wanted = self._channel.is_interrupted() or (self._is_fuzzing and self._channel.has_steering())
        if not wanted:
            self._wanted_since = None
            return False
        if self._wanted_since is None:
            self._wanted_since = time.process_time()
        if self._is_fuzzing:
            self._engine.end_after_sequence()
        return time.process_time() - self._wanted_since > SEQUENCE_PATIENCE

    def _stay_alive(self) -> None:
        """While a fetch from a forked chain takes its time. Raises `FetchInterruptedError` when the work is to end."""
        if not self._telemetry.is_started:
            return
        self._telemetry.beat()
        if self._channel.is_interrupted():
            raise FetchInterruptedError("the work was interrupted")

    def _report_unavailable(self, error: ChainUnavailableError) -> None:
        """Tell the user of calls that were given up: the first, the tenth, the hundredth, ..."""
        if isinstance(error, FetchInterruptedError):
            return
        self._unavailable += 1
        if self._unavailable == 10 ** (len(str(self._unavailable)) - 1):
            calls = "a call was" if self._unavailable == 1 else f"{self._unavailable} calls were"
            self._channel.send(Warn(f"{calls} given up, without a verdict: the forked chain did not answer: {error}"))

    def _adapt_batch(self, calls: int, seconds: float) -> None:
        if seconds > 2 * BATCH_SECONDS:
            self._batch = max(FIRST_BATCH, self._batch // 2)
        elif seconds < BATCH_SECONDS and calls >= self._batch:
            self._batch = min(MAX_BATCH, self._batch * 2)

    def _finish(self, start: int, reason: DoneReason) -> None:
        self._has_finished = reason == "finished"
        self._channel.end_work()
        self._telemetry.send_everything()
        self._channel.send(self._observed())
        beside, self._beside = self._engine.given_calls - self._beside, self._engine.given_calls
        self._channel.send(Done(self._engine.calls - start, reason, beside))

    def _observed(self) -> Observed:
        witness = self._witness
        return Observed(
            self._engine.calls,
            witness.activities(),
            witness.new_reverts(),
            witness.new_operands(),
            witness.growth(),
            self._hits.rare(),
            witness.sequences,
        )

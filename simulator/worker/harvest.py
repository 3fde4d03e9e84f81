"""Harvest of executed sequences: coverage becomes corpus, failures become findings, comparisons become variants."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from simulator.corpus.identity import sequence_hash
from simulator.fuzz.checking.oracles import Check
from simulator.fuzz.checking.reasons import failure_reason, optimization_value
from simulator.fuzz.checking.replay import Replayer
from simulator.fuzz.comparisons.effort import Effort
from simulator.fuzz.comparisons.solving import ComparisonSolver
from simulator.fuzz.feedback.features import Cells, FeatureSet
from simulator.fuzz.feedback.measuring import Measurer, SequenceMeasure
from simulator.fuzz.feedback.open_blocks import OpenBlocks
from simulator.fuzz.feedback.trimming import Trimmer
from simulator.fuzz.loop.engine import ExecutedSequence
from simulator.fuzz.loop.near import Near, NearKind
from simulator.fuzz.sites.failure_sites import MAX_SITES
from simulator.fuzz.targets.discovery import coming_addresses
from simulator.fuzz.waypoints.paring import Paring
from simulator.fuzz.waypoints.signing import Signer
from simulator.fuzz.waypoints.waypoints import Waypoints
from simulator.health.rare_cells import HitCounts
from simulator.health.witness import Witness
from simulator.trace.data import trace_data
from simulator.transaction import Sequence
from simulator.worker.channel import Channel
from simulator.worker.reports import Falsified, Interesting, Measured
from simulator.worker.setup import Worker
from simulator.worker.telemetry import Telemetry


class Harvest:
    """Books what a worker's engine executed, and sends what is worth telling."""

    def __init__(
        self,
        worker: Worker,
        channel: Channel,
        telemetry: Telemetry,
        features: FeatureSet,
        replayer: Replayer,
        witness: Witness,
        hits: HitCounts,
    ) -> None:
        self._worker = worker
        self._engine = worker.engine
        self._channel = channel
        self._telemetry = telemetry
        self._features = features
        self._replayer = replayer
        self._trimmer = Trimmer(worker.engine, features)
        effort = Effort(lambda: worker.engine.gas)
        self._solver = ComparisonSolver(worker.engine, worker.settings, effort, self._notice, witness.compare)
        self._witness = witness
        self._hits = hits
        open_blocks = OpenBlocks(worker.engine.open_blocks, lambda: worker.machine.codes)
        features.on_new = open_blocks.update
        paring = Paring(worker.engine, self._trimmer, effort, open_blocks, worker.oracles)
        signer = Signer(worker.engine, replayer)
        self._waypoints = Waypoints(worker.engine, worker.settings, paring, self._solver, signer, effort, open_blocks)
        self._measurer = Measurer(replayer, lambda: worker.machine.codes)
        self._unsolved: deque[Sequence] = deque()
        self._held: set[Sequence] = set()

    def book(self, executed: ExecutedSequence, given: Sequence | None) -> bool:
        """Report what a sequence brought; `given` is None for the one that the native loop built. Returns whether a
        test was newly falsified (improved optimization values do not count)."""
        whole: Sequence = ()
        if executed.failures or executed.last_new >= 0 or executed.near is not None:
            whole = given if given is not None else self._engine.whole_sequence()
        new = self._features.take_new() if executed.last_new >= 0 or executed.near is not None else {}
        if executed.last_new >= 0:
            self._keep(whole[: executed.last_new + 1], new)
        if executed.near is not None and self._worker.settings.coverage:
            self._waypoints.keep(whole, executed.near, new)
        return self.report_failures(executed, whole)

    def report_failures(self, executed: ExecutedSequence, sequence: Sequence) -> bool:
        """Report the failures of a sequence at sites that are not known, all that it has. Returns whether a test was
        newly falsified."""
        falsified = False
        for _ in range(MAX_SITES):
            if not executed.failures:
                break
            found = [self._report_failure(executed, test, sequence) for test in executed.failures]
            falsified |= any(found)
            executed = self._engine.execute(sequence, check=True)
        return falsified

    def hold(self, sequence: Sequence, measure: SequenceMeasure | None = None) -> None:
        """Build on a sequence from now on."""
        self._held.add(sequence)
        self._engine.add_to_corpus(sequence, measure.numbers() if measure is not None else None)

    def is_held(self, sequence: Sequence) -> bool:
        """The engine builds on this sequence already."""
        return sequence in self._held

    def report_measure(self, sequence: Sequence) -> None:
        """Tell what a sequence covers when executed alone."""
        measure = self._measurer.measure(sequence)
        self._telemetry.announce_codes()
        self._channel.send(Measured(sequence_hash(sequence), measure.features, measure.gas))

    @property
    def has_unsolved(self) -> bool:
        """Sequences came into the corpus, or came nearer to something, whose comparisons are not worked on yet."""
        return bool(self._unsolved) or self._waypoints.has_tasks

    @property
    def next_look(self) -> int:
        """The number of calls after which there is something to work on again."""
        return self._waypoints.next_look

    def next_variants(self) -> Iterator[Sequence]:
        """Variants, to be executed and booked, that meet comparisons of the next such sequence."""
        if self._unsolved:
            return self._solver.variants(self._unsolved.popleft())
        return self._waypoints.next_variants()

    def _notice(self, sequence: Sequence, executed: ExecutedSequence, asked: Sequence) -> None:
        """A sequence was executed to see what it and the properties after it compare, and brought coverage."""
        new = self._features.take_new()
        behind = executed.last_new - len(sequence)
        if behind < 0:
            self._keep(sequence[: executed.last_new + 1], new)
        elif self._worker.settings.coverage:
            for oracle in self._engine.properties.still_open():
                if self._engine.properties.call(oracle) == asked[behind]:
                    self._waypoints.keep(sequence, Near(NearKind.COVERAGE, len(sequence) - 1, oracle.id), new)

    def _keep(self, sequence: Sequence, new: dict[int, Cells]) -> None:
        if not new or not self._worker.settings.coverage:
            return
        with self._hits.aside():
            trimmed = self._trimmer.trim(sequence, new)
        if trimmed is None:
            return
        with self._engine.comparisons.logging():
            measure = self._measurer.measure(trimmed, self._witness.see_call)
        self._witness.see_sequence(self._features.points)
        self.hold(trimmed, measure)
        self._telemetry.credit(trimmed[-1], new)
        if any(self._worker.machine.codes[code].map.kind == "creation" for code in new):
            self._discover(trimmed)
        self._unsolved.append(trimmed)
        self._waypoints.learn(trimmed)
        self._telemetry.announce_codes()
        self._channel.send(
            Interesting(trimmed, self._features.points, self._features.codes, measure.features, measure.gas)
        )

    def _discover(self, sequence: Sequence) -> None:
        """Learn the contracts that a sequence creates: as arguments, and as targets where the plan says so."""
        worker = self._worker
        replayed = self._replayer.replay(sequence, None, trace=True)
        for contract in worker.discovery.created(replayed):
            self._engine.add_address(contract.address)
            worker.book = worker.book.with_addresses(
                {contract.address.to_bytes(20, "big"): contract.contract.full_name}
            )
            self._engine.add_targets(worker.join(contract, len(self._engine.targets)))
        for address in coming_addresses(replayed):
            self._engine.add_address(address)

    def _report_failure(self, executed: ExecutedSequence, test: int, whole: Sequence) -> bool:
        oracle, sequence = self._worker.oracles[test], whole[: executed.failures[test] + 1]
        replayed = self._replayer.replay_for(oracle, sequence)
        value, site = "", ""
        if oracle.check is Check.OPTIMIZATION:
            value = optimization_value(replayed.property_result)
            if not value:  # the replay was given up, and with it what the value is
                return False
            self._waypoints.keep_better(sequence, oracle.id)
        else:
            failure = self._worker.sites.failure(oracle, executed.keys[test])
            is_known, site = self._worker.sites.is_known(oracle, failure), failure.site
            self._worker.sites.settle(oracle, site, failure.keys)
            if is_known:
                return False
        gas = sum(result.gas_used for result in replayed.results if result is not None)
        reason = failure_reason(oracle, replayed, self._worker.book.errors)
        calls = trace_data(replayed.calls, self._worker.book)
        self._channel.send(Falsified(oracle.id, sequence, reason, value, gas, site, calls))
        return oracle.check is not Check.OPTIMIZATION

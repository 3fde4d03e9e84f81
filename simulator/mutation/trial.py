"""One trial: a target deployed with a mutant in it, the corpus replayed, then fuzzed, until a test fails."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from simulator.errors import TargetError
from simulator.evm.code_store import Substitute
from simulator.fuzz.checking.oracle_table import SiteKeys
from simulator.fuzz.checking.oracles import Check
from simulator.fuzz.checking.reasons import failure_reason
from simulator.fuzz.sites.places import SourcePlaces
from simulator.mutation.editing import apply_edits
from simulator.mutation.frames import Kill, Tried
from simulator.mutation.mutant import CodeName, Edit, Mutant, MutantStatus
from simulator.transaction import Sequence as Calls
from simulator.worker.channel import Channel
from simulator.worker.commands import Adopt, Fuzz, Setup, Shrink, Steering
from simulator.worker.reports import Falsified, FromWorker, Shrunk
from simulator.worker.session import Session
from simulator.worker.setup import Worker, build_worker, load_project

_REPLAY_PATIENCE = 10.0
"""A mutant may take so many times as long for the corpus as the code as it is, and at least so many seconds."""


class Ears(Channel):
    """A worker's channel that leads nowhere: it keeps what falsified tests, and ends the work at a deadline, in seconds
    of this process's own processor time: what else the machine does changes no result."""

    def __init__(self) -> None:
        self.falsified: list[Falsified] = []
        self.shrunk: Shrunk | None = None
        self.deadline = float("inf")

    def send(self, frame: FromWorker) -> None:
        if isinstance(frame, Falsified):
            self.falsified.append(frame)
        elif isinstance(frame, Shrunk):
            self.shrunk = frame

    def is_interrupted(self) -> bool:
        return time.process_time() > self.deadline

    def has_steering(self) -> bool:
        return False

    def take_steering(self) -> list[Steering]:
        return []

    def end_work(self) -> None:
        pass


@dataclass(frozen=True)
class TrialLimits:
    """Of the fuzzing of a mutant that survives the corpus, and of shrinking what kills one. `replay` is how long the
    code as it is takes for the corpus. Seconds are those of a processor."""

    calls: int
    seconds: float
    attempts: int
    replay: float = 0.0


@dataclass(frozen=True)
class FailedTest:
    """Failure of a test. `site` is where, as campaigns name it; empty for a test that fails as a whole."""

    sequence: Calls
    reason: str = ""
    site: str = ""


@dataclass
class MutantTrial:
    """One deployed target, and what it has come to. Raises `SimulatorError` when it cannot be deployed."""

    worker: Worker
    ears: Ears = field(default_factory=Ears)

    def __post_init__(self) -> None:
        self.session = Session(self.worker, self.ears)
        self.calls = 0
        self.failed: dict[int, FailedTest] = {}
        for oracle in self.worker.oracles:
            if oracle.check is Check.OPTIMIZATION:
                self.worker.engine.oracles.set_open(oracle.id, False)
        self._at_start = self.session.ready().falsified_at_start

    def name_of(self, oracle: int) -> str:
        """The test's name, which is that of its function."""
        return self.worker.oracles[oracle].name

    def leave_out(self, names: Collection[str]) -> None:
        """Tests with these names are not checked."""
        for oracle in self.worker.oracles:
            if oracle.name in names:
                self.worker.engine.oracles.set_open(oracle.id, False)

    def start(self, known: Collection[str] = ()) -> None:
        """Return the failures before any call, except of the tests that are known to fail."""
        for test, reason in self._at_start:
            if self.name_of(test) not in known and self.worker.oracles[test].check is not Check.OPTIMIZATION:
                self.failed[test] = FailedTest((), reason)

    def replay(self, sequences: Sequence[Calls]) -> bool:
        """Execute sequences, each test until it has failed once. False when time ran out."""
        engine = self.worker.engine
        for sequence in (*self.worker.fixed, *sequences):
            if self.ears.is_interrupted():
                return False
            executed = engine.execute(sequence, check=True)
            self.calls += len(sequence)
            for test, index in executed.failures.items():
                if self.worker.oracles[test].check is Check.OPTIMIZATION:
                    continue
                if test not in self.failed:
                    self.failed[test] = self._located(test, sequence[: index + 1], executed.keys[test])
                engine.oracles.set_open(test, False)
            if not engine.oracles.open_ids():
                break
        return True

    def fuzz(self, sequences: Sequence[Calls], calls: int) -> None:
        """Fuzz, with sequences to build on, until a test fails."""
        self.session.adopt(Adopt(sequences=tuple(sequences)))
        before = self.worker.engine.calls
        self.session.fuzz(Fuzz(calls))
        self.calls += self.worker.engine.calls - before
        for falsified in self.ears.falsified:
            if self.worker.oracles[falsified.test].check is not Check.OPTIMIZATION:
                failed = FailedTest(falsified.sequence, falsified.reason, falsified.site)
                self.failed.setdefault(falsified.test, failed)

    def kills(self, attempts: int) -> tuple[Kill, ...]:
        """The tests that failed, the sequence of the first shrunk."""
        kills = []
        for number, (test, failed) in enumerate(sorted(self.failed.items())):
            sequence, reason = failed.sequence, failed.reason
            if number == 0 and sequence and attempts:
                sequence, reason = self._shrunk(test, failed, attempts)
            kills.append(Kill(self.name_of(test), sequence, reason, failed.sequence))
        return tuple(kills)

    def _located(self, test: int, sequence: Calls, keys: SiteKeys) -> FailedTest:
        oracle = self.worker.oracles[test]
        replayed = self.worker.replayer.replay_for(oracle, sequence)
        site = self.worker.sites.failure(oracle, keys).site
        return FailedTest(sequence, failure_reason(oracle, replayed, self.worker.book.errors), site)

    def _shrunk(self, test: int, failed: FailedTest, attempts: int) -> tuple[Calls, str]:
        self.worker.engine.oracles.set_open(test, True)
        self.ears.shrunk = None
        self.session.shrink(Shrink(test=test, sequence=failed.sequence, attempts=attempts, site=failed.site))
        if self.ears.shrunk is None or not self.ears.shrunk.sequence:
            return failed.sequence, failed.reason
        return self.ears.shrunk.sequence, self.ears.shrunk.reason


def substitute_for(mutant: Mutant) -> Substitute:
    """Return the code that runs instead of the codes that a mutant changes."""
    edits: Mapping[CodeName, tuple[Edit, ...]] = {(one.contract, one.creation): one.edits for one in mutant.codes}

    def substitute(contract: str, code: bytes, creation: bool) -> bytes | None:
        found = edits.get((contract, creation))
        return apply_edits(code, found) if found else None

    return substitute


def try_mutant(
    index: int,
    mutant: Mutant,
    setup: Setup,
    corpus: Sequence[Calls],
    limits: TrialLimits,
    failing: Collection[str],
    places: SourcePlaces | None = None,
) -> Tried:
    """Deploy a mutant, replay, fuzz. Tests whose names are `failing` notice nothing. `places` are those of the code as
    it is."""
    began = time.monotonic()

    def tried(status: MutantStatus, trial: MutantTrial | None, note: str = "", kills: tuple[Kill, ...] = ()) -> Tried:
        return Tried(index, status, kills, trial.calls if trial else 0, note, time.monotonic() - began)

    seed = (setup.seed ^ int(mutant.id[1:], 16)) & ((1 << 63) - 1)
    try:
        seeded = msgspec.structs.replace(setup, seed=seed)
        trial = MutantTrial(build_worker(seeded, substitute=substitute_for(mutant), places=places))
    except TargetError as error:
        return tried("stillborn", None, str(error))
    trial.leave_out(failing)
    trial.start(failing)
    trial.ears.deadline = time.process_time() + max(_REPLAY_PATIENCE, _REPLAY_PATIENCE * limits.replay)
    is_whole = trial.replay(corpus)
    if not trial.failed and is_whole and limits.calls:
        trial.ears.deadline = time.process_time() + limits.seconds
        trial.fuzz(corpus, limits.calls)
        is_whole = not trial.ears.is_interrupted()
    if trial.failed:
        trial.ears.deadline = float("inf")
        return tried("killed", trial, kills=trial.kills(limits.attempts))
    return tried("survived", trial, "" if is_whole else f"its time was over after {trial.calls:,} calls")


@dataclass(frozen=True)
class Original:
    """The code as it is: the worker that it was deployed with, what the corpus comes to, and the places in the sources,
    which are mapped once for all mutants."""

    trial: MutantTrial
    failing: tuple[str, ...]
    seconds: float
    places: SourcePlaces

    @staticmethod
    def deploy(setup: Setup, corpus: Sequence[Calls]) -> Original:
        """Deploy and replay. Raises `SimulatorError`."""
        places = SourcePlaces(load_project(Path(os.fsdecode(setup.project))))
        trial = MutantTrial(build_worker(setup, places=places))
        trial.start()
        began = time.process_time()
        trial.replay(corpus)
        failing = tuple(sorted({trial.name_of(test) for test in trial.failed}))
        seconds = time.process_time() - began
        places.prepare(covered.map for covered in trial.worker.machine.codes)
        return Original(trial, failing, seconds, places)

    def passes(self, test: str, sequence: Calls) -> bool:
        """Return whether a test holds after this sequence without any mutant, at every call of it."""
        if not sequence:
            return test not in self.failing
        worker = self.trial.worker
        oracles = [oracle.id for oracle in worker.oracles if oracle.name == test]
        for oracle in oracles:
            worker.engine.oracles.set_open(oracle, True)
        failures = worker.engine.execute(sequence, check=True).failures
        return not any(oracle in failures for oracle in oracles)

    def reached(self, mutants: Sequence[Mutant]) -> tuple[int, ...]:
        """Indexes of the mutants one of whose places was executed."""
        executed = [
            (covered.map, covered.cells) for covered in self.trial.worker.machine.codes if bool(covered.cells.any())
        ]
        found = []
        for index, mutant in enumerate(mutants):
            edits = {(one.contract, "creation" if one.creation else "runtime"): one.edits for one in mutant.codes}
            for code_map, cells in executed:
                places = edits.get((code_map.contract, code_map.kind), ())
                blocks = (code_map.block_at(each.start) for each in places if not each.aside)
                if any(block is not None and int(cells[block]) for block in blocks):
                    found.append(index)
                    break
        return tuple(found)

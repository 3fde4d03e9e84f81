"""The health of small campaigns: compiled Solidity, one worker in this process, and what actors make of its frames."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from actors.campaign.status import CampaignEnd
from actors.campaign.tests import TestTable
from actors.coverage.report import ReportBuilder
from actors.coverage.tracker import CoverageTracker
from actors.events.types import StopReason
from actors.health.campaign_health import health_notes, health_of
from actors.priorities.manager import PriorityManager
from simulator.compile import CompileOptions, choose_contract, compile_targets
from simulator.health.model import CampaignHealth, HealthPoint
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence
from simulator.worker.commands import Fuzz, Replay, Setup, Steering
from simulator.worker.reports import Coverage, Falsified, FromWorker, FunctionCounts, NewCode, Observed, Ready
from simulator.worker.session import Session
from simulator.worker.setup import Worker, build_worker


class RecordingChannel:
    """A channel that keeps what is sent, and never has a command."""

    def __init__(self) -> None:
        self.frames: list[FromWorker] = []

    def send(self, frame: FromWorker) -> None:
        self.frames.append(frame)

    def is_interrupted(self) -> bool:
        return False

    def has_steering(self) -> bool:
        return False

    def take_steering(self) -> list[Steering]:
        return []

    def end_work(self) -> None:
        pass


class HealthBench:
    """One campaign on a contract of a source."""

    def __init__(self, source: str, folder: Path, contract: str | None = None, **settings: object) -> None:
        path = folder / "Target.sol"
        path.write_text("// SPDX-License-Identifier: Apache-2.0\npragma solidity 0.8.30;\n" + source)
        self._project: Project = compile_targets([path], CompileOptions(solc_version="0.8.30"))
        file = folder / "project.msgpack"
        file.write_bytes(msgspec.msgpack.encode(self._project))
        name = choose_contract(self._project, contract).contract.full_name
        chosen = CampaignSettings(contract=name, **settings)  # type: ignore[arg-type]
        self._worker: Worker = build_worker(Setup(0, 1, os.fsencode(file), chosen))
        self._channel = RecordingChannel()
        self._session = Session(self._worker, self._channel)  # type: ignore[arg-type]
        self._ready: Ready = self._session.ready()
        self._calls = 0

    def fuzz(self, calls: int = 20_000) -> CampaignHealth:
        """The health after so many calls more."""
        goal = self._worker.engine.calls + calls
        while self._worker.engine.calls < goal:
            self._session.fuzz(Fuzz(goal - self._worker.engine.calls))
        return self.health()

    def replay(self, *sequences: Sequence) -> CampaignHealth:
        """The health after these sequences."""
        self._session.replay(Replay(sequences))
        return self.health()

    def health(self, earlier_calls: int = 0) -> CampaignHealth:
        """The health now, in a campaign that an earlier run has made so many calls for."""
        tracker, priorities, tests = CoverageTracker(), PriorityManager(), TestTable(0)
        tracker.begin(0, self._ready.codes, self._ready)
        priorities.introduce(self._ready.functions)
        tests.introduce(self._ready.tests)
        for frame in self._channel.frames:
            match frame:
                case NewCode():
                    tracker.add_code(0, frame.id, frame.code)
                case Coverage():
                    tracker.absorb(0, frame)
                case FunctionCounts():
                    tracker.count_functions(0, frame)
                case Observed():
                    tracker.observe(0, frame)
                case Falsified():
                    tests.falsify(frame)
                case _:
                    pass
        calls = self._worker.engine.calls + earlier_calls
        end = CampaignEnd(StopReason.TEST_LIMIT, calls, 1.0, tests.records, self._ready)
        coverage = ReportBuilder(self._project).codes_files_sites(tracker.snapshot())
        return health_of(end, self._worker.settings, self._project, health_notes(tracker, priorities), coverage)


def points_of(health: CampaignHealth, kind: str) -> dict[str, HealthPoint]:
    """The points of a kind by test or function, else by file and line."""
    found = [point for point in health.points if point.kind == kind]
    return {point.test or point.function or f"{point.file}:{point.line}": point for point in found}

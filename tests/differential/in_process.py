"""Verdicts of our own engine without a supervisor: one worker's session in this process, one contract at a time."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from simulator.compile.projects.foundry_test_config import read_test_config
from simulator.modes.foundry import FOUNDRY
from simulator.project import Project
from simulator.settings import CampaignSettings, in_world
from simulator.worker.channel import Channel
from simulator.worker.commands import Fuzz, Setup
from simulator.worker.reports import Done, Falsified, FromWorker, Presumed, Skipped
from simulator.worker.session import Session
from simulator.worker.setup import build_worker
from tests.differential.verdicts import FAILED, PASSED, SKIPPED, Verdicts

CALLS = 6000


class _Listener(Channel):
    """Keeps what a worker reports; nobody commands it."""

    def __init__(self, silence: int) -> None:
        super().__init__(silence, silence)
        self.frames: list[FromWorker] = []

    def send(self, frame: FromWorker) -> None:
        self.frames.append(frame)


class InProcess:
    """Runs tests of a compiled project. `folder` takes the project as workers read it."""

    def __init__(self, project: Project, folder: Path) -> None:
        self._project = project
        self._config = read_test_config(project)
        self._silence, self._open_end = os.pipe()
        self._file = folder / "project.msgpack"
        self._file.write_bytes(msgspec.msgpack.encode(project))

    def run(self, contract: str) -> Verdicts:
        """Verdicts of a contract's tests by signature."""
        full_name = next(each.full_name for each in self._project.contracts if each.name == contract)
        settings = CampaignSettings(
            contract=full_name,
            test_mode=FOUNDRY.name,
            sequence_length=self._config.numbers["invariant.depth"],
            foundry=self._config.tests,
            compile_hot_code=False,
        )
        settings = in_world(settings, FOUNDRY.world, ())
        listener = _Listener(self._silence)
        session = Session(build_worker(Setup(0, 1, os.fsencode(self._file), settings)), listener)
        ready = session.ready()
        failed = {test for test, _ in ready.falsified_at_start}
        skipped = {test for test, _ in ready.skipped_at_start}
        calls = 0
        while calls < CALLS and len(failed | skipped) < len(ready.tests):
            session.fuzz(Fuzz(CALLS - calls))
            failed |= {frame.test for frame in listener.frames if isinstance(frame, Falsified)}
            skipped |= {frame.test for frame in listener.frames if isinstance(frame, Skipped)}
            end = next(frame for frame in reversed(listener.frames) if isinstance(frame, Done))
            calls += end.calls
            if end.reason == "exhausted":
                break
        verdicts = {test.id: PASSED for test in ready.tests}
        verdicts |= {each.test: each.verdict for each in listener.frames if isinstance(each, Presumed)}
        verdicts |= dict.fromkeys(skipped, SKIPPED) | dict.fromkeys(failed, FAILED)
        return {test.name: verdicts[test.id] for test in ready.tests}

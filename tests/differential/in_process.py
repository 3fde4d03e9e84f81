"""Verdicts of our own engine without a supervisor: one worker's session in this process, one contract at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from orchestrator.configuration.model import Configuration
from orchestrator.configuration.settings_adapter import campaign_settings
from simulator.modes.foundry_settings import FoundrySettings
from simulator.project import Project
from simulator.worker.channel import Channel
from simulator.worker.commands import Fuzz, Setup
from simulator.worker.reports import Falsified, FromWorker
from simulator.worker.session import Session
from simulator.worker.setup import build_worker
from tests.differential.verdicts import FAILED, PASSED, Verdicts

CALLS = 6000
STEP = 500


@dataclass
class _Listener(Channel):
    """Takes what a worker reports; commands nothing."""

    frames: list[FromWorker] = field(default_factory=list)

    def send(self, frame: FromWorker) -> None:
        self.frames.append(frame)

    def is_interrupted(self) -> bool:
        return False

    def has_steering(self) -> bool:
        return False

    def take_steering(self) -> list[object]:  # type: ignore[override]
        return []


class InProcess:
    """Runs tests of a compiled project. `folder` takes the project as workers read it."""

    def __init__(self, project: Project, folder: Path) -> None:
        self._project = project
        self._file = folder / "project.msgpack"
        self._file.write_bytes(msgspec.msgpack.encode(project))

    def run(self, contract: str, strict: tuple[str, ...]) -> Verdicts:
        """Verdicts of a contract's tests by signature; `strict` are the invariants that no handler may revert in."""
        full_name = next(each.full_name for each in self._project.contracts if each.name == contract)
        settings = campaign_settings(Configuration(test_mode="foundry"), full_name)
        settings = msgspec.structs.replace(
            settings, compile_hot_code=False, foundry=FoundrySettings(strict=strict, runs=64, max_rejects=2000)
        )
        listener = _Listener()
        session = Session(build_worker(Setup(0, 1, os.fsencode(self._file), settings)), listener)
        ready = session.ready()
        failed = {test for test, _ in ready.falsified_at_start}
        for _ in range(CALLS // STEP):
            if len(failed) == len(ready.tests):
                break
            session.fuzz(Fuzz(STEP))
            failed |= {frame.test for frame in listener.frames if isinstance(frame, Falsified)}
        return {test.name: FAILED if test.id in failed else PASSED for test in ready.tests}

"""A worker's own code in this process: fuzzing until tests fail, and shrinking what failed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from simulator.settings import CampaignSettings
from simulator.worker.channel import Channel
from simulator.worker.commands import Fuzz, Setup, Shrink
from simulator.worker.reports import Falsified, FromWorker, Shrunk
from simulator.worker.session import Session
from simulator.worker.setup import Worker, build_worker

Frame = TypeVar("Frame")


class FindingSession:
    """One worker on a compiled project (the path of its file). Nobody commands it; what it sends is kept."""

    def __init__(self, project: Path, settings: CampaignSettings, seed: int) -> None:
        self.worker: Worker = build_worker(Setup(0, seed, os.fsencode(project), settings))
        self._frames = _Frames()
        self._session = Session(self.worker, self._frames)
        self._session.ready()

    def fuzz(self, calls: int) -> None:
        """Fuzz until every test has failed, at most for so many calls."""
        self._session.fuzz(Fuzz(calls))

    def failures(self) -> list[Falsified]:
        """The first failure of each test, in order."""
        found: dict[int, Falsified] = {}
        for failure in self._frames.all(Falsified):
            found.setdefault(failure.test, failure)
        return list(found.values())

    def shrink(self, failure: Falsified, attempts: int) -> Shrunk:
        """The simplest sequence found within so many executions."""
        self._session.shrink(Shrink(failure.test, failure.sequence, attempts))
        return list(self._frames.all(Shrunk))[-1]


class _Frames(Channel):
    def __init__(self) -> None:
        reader, self._never_written = os.pipe()
        super().__init__(reader, -1)
        self._sent: list[FromWorker] = []

    def send(self, frame: FromWorker) -> None:
        self._sent.append(frame)

    def all(self, kind: type[Frame]) -> Iterator[Frame]:
        return (frame for frame in self._sent if isinstance(frame, kind))

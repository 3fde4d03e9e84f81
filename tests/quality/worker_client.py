"""A campaign of one real worker process without a supervisor: frames over its pipes, one command at a time.

What it measures depends on the seed alone, so a budget in calls that suffices once suffices always.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence
from simulator.worker.commands import Fuzz, Setup, Shrink, Stop, ToWorker
from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.reports import Done, Failed, Falsified, FromWorker, Ready, Shrunk
from tests.support.patience import PATIENCE

_PIPE_CHUNK = 1 << 20


@dataclass(frozen=True)
class Finding:
    """A falsified test. `calls` were executed when it failed first; `minimal` is what the shrinker says of itself."""

    reason: str
    sequence: Sequence = ()
    calls: int = 0
    minimal: bool = True


@dataclass(frozen=True)
class Outcome:
    """The result of a campaign: every test by name, and the findings among them."""

    tests: tuple[str, ...]
    calls: int
    findings: dict[str, Finding] = field(default_factory=dict)

    @property
    def passed(self) -> set[str]:
        return set(self.tests) - set(self.findings)


class WorkerClient:
    """One worker process, from `Setup` to its end; use it as a context manager.

    Raises `AssertionError` with the worker's own words when it fails or goes away.
    """

    def __init__(self, project: Project, settings: CampaignSettings, folder: Path, seed: int = 1) -> None:
        self._shrink_limit = settings.shrink_limit
        self._decoder: FrameDecoder[FromWorker] = FrameDecoder(FromWorker)  # type: ignore[arg-type]
        project_file = folder / "project.msgpack"
        project_file.write_bytes(msgspec.msgpack.encode(project))
        self._setup = Setup(0, seed, os.fsencode(project_file), settings)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "simulator.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._frames = self._receive()
        self._send(self._setup)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._send(Stop())
        else:
            self._process.kill()
        self._process.communicate(timeout=PATIENCE)

    def fuzz(self, budget: int) -> Outcome:
        """Spend `budget` calls or falsify every test, and shrink each finding as soon as it is made."""
        ready = next(frame for frame in self._frames if isinstance(frame, Ready))
        names = tuple(test.name for test in ready.tests)
        found = {names[test]: Finding(reason) for test, reason in ready.falsified_at_start}
        calls = 0
        while calls < budget and len(found) < len(names):
            failures, done = self._work(Fuzz(budget - calls))
            calls += done.calls
            for failure in failures:
                if names[failure.test] not in found:
                    found[names[failure.test]] = self._shrunk(failure, calls)
        return Outcome(names, calls, found)

    def _shrunk(self, failure: Falsified, calls: int) -> Finding:
        self._send(Shrink(failure.test, failure.sequence, self._shrink_limit, site=failure.site))
        last = Finding(failure.reason, failure.sequence, calls, minimal=False)
        for frame in self._frames:
            if isinstance(frame, Shrunk):
                last = Finding(frame.reason, frame.sequence, calls, frame.minimal)
            if isinstance(frame, Done):
                break
        return last

    def _work(self, command: ToWorker) -> tuple[list[Falsified], Done]:
        self._send(command)
        failures: list[Falsified] = []
        while not isinstance(frame := next(self._frames), Done):
            if isinstance(frame, Falsified):
                failures.append(frame)
        return failures, frame

    def _send(self, command: ToWorker) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(encode_frame(command))
        self._process.stdin.flush()

    def _receive(self) -> Iterator[FromWorker]:
        assert self._process.stdout is not None
        while data := os.read(self._process.stdout.fileno(), _PIPE_CHUNK):
            for frame in self._decoder.feed(data):
                assert not isinstance(frame, Failed), f"{frame.code}: {frame.message}"
                yield frame
        assert self._process.stderr is not None
        raise AssertionError(f"the worker went away: {self._process.stderr.read().decode()[-2000:]}")

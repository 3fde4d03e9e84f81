"""A run between its start and its end, as the process runner keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import trio

from actors.processes.command import ChildCommand, Ending, execute
from actors.processes.limits import CommandLimits
from actors.processes.run_folder import RunFolder
from actors.processes.run_log import RunLog
from actors.processes.run_meta import RunMeta, RunState

STARTED_GRACE = 2.0
_CUT = b"\n[output truncated: the log ends here]\n"


class FinishedRun(msgspec.Struct, frozen=True):
    """Input of a parser after a command has ended. `stdout` is empty for merged streams and cut at `kept` bytes."""

    log: RunLog
    stdout: bytes
    exit_code: int | None
    folder: Path


Conclude = Callable[[FinishedRun], bytes]


class RunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A command for `ProcessRunner.start`. `argv[0]` is an absolute path. `seconds` shortens the wall-clock limit.
    `separate` keeps stdout by itself for a parser; the log has both streams in any case. `conclude` runs in a thread
    when the command has ended; what it returns is stored with the run."""

    tool: str
    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] | None = None
    seconds: float | None = None
    separate: bool = False
    conclude: Conclude | None = None


class LiveRun:
    """Owned by the process runner. `finish` is called once, whatever happens."""

    def __init__(self, meta: RunMeta, folder: RunFolder | None, log_limit: int, clock: Callable[[], float]) -> None:
        self.meta = meta
        self.folder = folder
        self.scope = trio.CancelScope()
        self.done = trio.Event()
        self._log_limit = log_limit
        self._clock = clock
        self._exit_code: int | None = None

    def log(self) -> RunLog | None:
        return RunLog(self.folder.folder, self.folder.index) if self.folder else None

    def begin(self) -> None:
        """Its turn has come. Raises `StorageFailed`."""
        self._update(msgspec.structs.replace(self.meta, state=RunState.RUNNING, started_at=self._clock()))

    def record(self, chunk: bytes) -> bool:
        """Add output to the log, up to its limit; returns whether all of it fitted. Raises `StorageFailed`."""
        if self.folder is None:
            return True
        room = self._log_limit - self.folder.index.total_bytes
        if len(chunk) <= room:
            self.folder.append(chunk)
            return True
        if room > 0:
            self.folder.append(chunk[:room] + _CUT)
        return False

    def ended(self, exit_code: int | None) -> None:
        """The command is gone, with this exit code."""
        self._exit_code = exit_code

    def finish(self, ending: Ending) -> None:
        """Write down how the run ended and wake those who wait. Raises `StorageFailed` after that."""
        index = self.folder.index if self.folder else None
        meta = msgspec.structs.replace(
            self.meta,
            state=ending.state,
            completed_at=self._clock(),
            exit_code=self._exit_code,
            total_lines=index.total_lines if index else 0,
            total_bytes=index.total_bytes if index else 0,
            problem=ending.problem,
            refused=ending.refused,
        )
        self.meta = meta
        try:
            self._update(meta)
        finally:
            if self.folder:
                self.folder.close()
            self.done.set()

    def _update(self, meta: RunMeta) -> None:
        self.meta = meta
        if self.folder:
            self.folder.write_meta(meta)


async def execute_request(
    run: LiveRun, request: RunRequest, environment: Mapping[str, str], limits: CommandLimits
) -> tuple[Ending, bytes]:
    """Run a started run's command into its log. Returns how it ended and what was kept of its stdout."""
    kept = bytearray()

    def sink(stream: str, chunk: bytes) -> bool:
        if request.separate and stream == "stdout" and len(kept) < limits.kept:
            kept.extend(chunk[: limits.kept - len(kept)])
        return run.record(chunk)

    command = ChildCommand(
        argv=request.argv,
        folder=request.folder,
        environment=environment if request.environment is None else request.environment,
        run_id=run.meta.run_id,
        seconds=min(request.seconds or limits.seconds, limits.seconds),
        output=limits.output,
        merged=not request.separate,
        memory=limits.memory,
        grace=STARTED_GRACE,
    )
    return await execute(command, sink, run.ended), bytes(kept)

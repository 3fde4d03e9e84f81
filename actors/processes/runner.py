"""The process runner: commands with limits, a few at a time, and nothing left behind.

Commands are argument lists; no shell is involved. A command has its own session, so that cancelling its caller, its
wall-clock limit, its output limit or its memory limit ends whatever it has started.

There are two ways to run one. `run` belongs to its caller: it returns the output, and ends with the caller. `start`
hands a command over to the actor, which continues when the caller is gone; its run has an id, can be waited for, read
while it runs, and cancelled. With a `RunStore`, both leave a folder behind, readable after a restart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import trio

from actors.processes.captured import CapturedOutput, CommandResult, quietly
from actors.processes.command import ChildCommand, Ending, execute
from actors.processes.environment import KEPT_VARIABLES, scrubbed_environment
from actors.processes.limits import CommandLimits
from actors.processes.live_run import FinishedRun, LiveRun, RunRequest, execute_request
from actors.processes.owner import this_process
from actors.processes.run_log import RunLog
from actors.processes.run_meta import RunMeta, RunState, fresh_run_id
from actors.processes.run_store import RunStore
from actors.runtime.errors import (
    MailboxClosed,
    ProcessLimitExceeded,
    ProcessNotStarted,
    RunnerBusy,
    RunNotFound,
    StorageFailed,
)

__all__ = [
    "KEPT_VARIABLES",
    "CommandLimits",
    "CommandResult",
    "ProcessRunner",
    "RunRequest",
    "RunnerStatistics",
    "scrubbed_environment",
]

RECORDED_OUTPUT = 1 << 20
MAX_UNWRITTEN = 1_000


class RunnerStatistics(msgspec.Struct, frozen=True):
    """Commands `queued` and `running` now; `finished` with any exit code; `failed`: not started, killed at a limit, or
    without room on the disk; `cancelled`."""

    running: int
    finished: int
    failed: int
    queued: int = 0
    cancelled: int = 0


class ProcessRunner:
    """Actor. Runs commands for any number of callers, `at_once` at a time; the others wait for their turn, first come,
    first served. `start` needs `serve` to be running."""

    def __init__(
        self,
        limits: CommandLimits | None = None,
        environment: Mapping[str, str] | None = None,
        store: RunStore | None = None,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._limits = limits or CommandLimits()
        self._environment = dict(scrubbed_environment() if environment is None else environment)
        self._store = store
        self._clock = wall_clock
        self._turns = trio.CapacityLimiter(self._limits.at_once)
        self._live: dict[str, LiveRun] = {}
        # Ends of runs whose folders could not be written: their content is out of date, or they are gone.
        self._unwritten: dict[str, RunMeta] = {}
        self._nursery: trio.Nursery | None = None
        self._finished = 0
        self._failed = 0
        self._cancelled = 0

    @property
    def limits(self) -> CommandLimits:
        return self._limits

    def statistics(self) -> RunnerStatistics:
        states = [run.meta.state for run in self._live.values()]
        running, queued = states.count(RunState.RUNNING), states.count(RunState.QUEUED)
        return RunnerStatistics(running, self._finished, self._failed, queued, self._cancelled)

    # --- commands that belong to their caller ------------------------------------------------------------------------

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        folder: Path,
        seconds: float | None = None,
        on_stderr: Callable[[bytes], None] | None = None,
        tool: str = "command",
        output: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> CommandResult:
        """Run to the end in `folder`. `seconds` shortens the wall-clock limit, for which waiting for a turn does not
        count; `output` lowers the limit of bytes. `on_stderr` gets what the command writes to stderr, in pieces, while
        it runs. `tool` names the run in the store, which keeps the first MiB of the output; a store that cannot be
        written is done without. `environment` stands for the runner's own.

        Raises `ProcessNotStarted`, or `ProcessLimitExceeded` once the whole process group is gone.
        """
        run = self._recorded(tool, argv, folder)
        limit = min(output or self._limits.output, self._limits.output)
        with CapturedOutput(limit, run, on_stderr) as captured:
            code = await self._captured(run, self._command(run, stdin, seconds, limit, environment), captured)
            return CommandResult(code, captured.joined("stdout"), captured.joined("stderr"))

    async def _captured(self, run: LiveRun, command: ChildCommand, captured: CapturedOutput) -> int:
        """Run a command to its end; returns its exit code. Raises as `run`."""
        self._live[run.meta.run_id] = run
        ending = Ending(RunState.CANCELLED, problem=f"{command.argv[0]} was cancelled")
        try:
            with run.scope:
                async with self._turns:
                    quietly(run.begin)
                    ending = await execute(command, captured.add, run.ended)
        except ProcessNotStarted as error:
            ending = Ending(RunState.NOT_STARTED, problem=str(error), refused=error.refused)
            raise
        finally:
            self._close(run, ending)
        if ending.state is not RunState.COMPLETED:
            raise ProcessLimitExceeded(f"{command.argv[0]}: {captured.failure}" if captured.failure else ending.problem)
        assert ending.exit_code is not None
        return ending.exit_code

    def _recorded(self, tool: str, argv: Sequence[str], folder: Path) -> LiveRun:
        meta = self._fresh(tool, tuple(argv), folder)
        try:
            place = self._store.create(meta) if self._store else None
        except StorageFailed:
            place = None
        return LiveRun(meta, place, RECORDED_OUTPUT, self._clock)

    def _command(
        self,
        run: LiveRun,
        stdin: bytes,
        seconds: float | None,
        output: int,
        environment: Mapping[str, str] | None,
    ) -> ChildCommand:
        return ChildCommand(
            argv=run.meta.command,
            folder=Path(run.meta.cwd),
            environment=self._environment if environment is None else environment,
            run_id=run.meta.run_id,
            seconds=min(seconds or self._limits.seconds, self._limits.seconds),
            output=output,
            stdin=stdin,
        )

    # --- commands that belong to the actor ---------------------------------------------------------------------------

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Clear up what earlier servers left, then run what is started, until cancelled; that ends every command.
        Raises nothing of its own: a run folder that cannot be written ends its run only."""
        if self._store is not None:
            await trio.to_thread.run_sync(self._store.clean, self._clock())
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            try:
                await trio.sleep_forever()
            finally:
                self._nursery = None

    def start(self, request: RunRequest) -> RunMeta:
        """Hand a command over; returns at once with its run, queued. Raises `RunnerBusy`, `StorageFailed`, or
        `MailboxClosed` when `serve` is not running."""
        if self._nursery is None or self._store is None:
            raise MailboxClosed("the process runner takes no commands")
        if self.statistics().queued >= self._limits.queue:
            raise RunnerBusy(f"{self._limits.queue} commands are waiting already")
        meta = self._fresh(request.tool, request.argv, request.folder)
        run = LiveRun(meta, self._store.create(meta), self._limits.output, self._clock)
        self._live[meta.run_id] = run
        self._nursery.start_soon(self._perform, run, request, name=f"run:{request.tool}")
        return meta

    async def wait(self, run_id: str, seconds: float) -> RunMeta:
        """The run, once it is over or `seconds` have passed. Raises `RunNotFound`."""
        if run := self._live.get(run_id):
            with trio.move_on_after(seconds):
                await run.done.wait()
            return run.meta
        return await self.get(run_id)

    def cancel(self, run_id: str) -> bool:
        """End a queued or running command with all its processes. False when this runner does not run it."""
        run = self._live.get(run_id)
        if run is None:
            return False
        run.scope.cancel(reason="the run was cancelled on request")
        return True

    async def get(self, run_id: str) -> RunMeta:
        """A run at this moment. Raises `RunNotFound`."""
        if run := self._live.get(run_id):
            return run.meta
        if meta := self._unwritten.get(run_id):
            return meta
        return await trio.to_thread.run_sync(self._stored().get, run_id)

    async def log(self, run_id: str) -> RunLog:
        """The log of a run, which may still grow. Raises `RunNotFound`."""
        if (run := self._live.get(run_id)) and (log := run.log()):
            return log
        await self.get(run_id)
        return await trio.to_thread.run_sync(self._stored().log, run_id)

    async def diagnostics(self, run_id: str) -> bytes | None:
        """Result of `conclude` for a run, None when there is none. Raises `RunNotFound`."""
        await self.get(run_id)
        return await trio.to_thread.run_sync(self._stored().diagnostics, run_id) if self._store else None

    async def runs(self) -> list[RunMeta]:
        """All runs of the store and those without a folder, newest first."""
        stored = await trio.to_thread.run_sync(self._store.every) if self._store else []
        known = {meta.run_id: meta for meta in stored} | self._unwritten
        known |= {key: run.meta for key, run in self._live.items()}
        return sorted(known.values(), key=lambda meta: (meta.queued_at, meta.run_id), reverse=True)

    async def _perform(self, run: LiveRun, request: RunRequest) -> None:
        ending = Ending(RunState.CANCELLED, problem=f"{request.argv[0]} was cancelled")
        try:
            with run.scope:
                async with self._turns:
                    run.begin()
                    ending, kept = await execute_request(run, request, self._environment, self._limits)
                    await self._conclude(run, request, ending, kept)
        except ProcessNotStarted as error:
            ending = Ending(RunState.NOT_STARTED, problem=str(error), refused=error.refused)
        except StorageFailed as error:
            ending = Ending(RunState.STORAGE_FAILED, problem=str(error))
        except BaseExceptionGroup as group:  # what a command writes is recorded in a nursery
            failed, others = group.split(StorageFailed)
            if others is not None or failed is None:
                raise
            ending = Ending(RunState.STORAGE_FAILED, problem=str(_first(failed)))
        finally:
            self._close(run, ending)

    async def _conclude(self, run: LiveRun, request: RunRequest, ending: Ending, kept: bytes) -> None:
        log = run.log()
        if request.conclude is None or run.folder is None or log is None:
            return
        finished = FinishedRun(log, kept, ending.exit_code, request.folder)
        found = await trio.to_thread.run_sync(request.conclude, finished, abandon_on_cancel=True)
        run.folder.write_diagnostics(found)

    # --- both --------------------------------------------------------------------------------------------------------

    def _fresh(self, tool: str, argv: tuple[str, ...], folder: Path) -> RunMeta:
        return RunMeta(
            run_id=fresh_run_id(),
            tool=tool,
            command=argv,
            cwd=str(folder),
            state=RunState.QUEUED,
            owner=this_process(),
            queued_at=self._clock(),
        )

    def _close(self, run: LiveRun, ending: Ending) -> None:
        match ending.state:
            case RunState.COMPLETED:
                self._finished += 1
            case RunState.CANCELLED:
                self._cancelled += 1
            case _:
                self._failed += 1
        try:
            run.finish(ending)
        except StorageFailed:
            self._unwritten[run.meta.run_id] = run.meta
            if len(self._unwritten) > MAX_UNWRITTEN:
                del self._unwritten[next(iter(self._unwritten))]
        del self._live[run.meta.run_id]

    def _stored(self) -> RunStore:
        if self._store is None:
            raise RunNotFound("this process runner keeps no runs")
        return self._store


def _first(group: BaseExceptionGroup[StorageFailed]) -> StorageFailed:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner

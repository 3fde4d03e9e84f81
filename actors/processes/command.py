"""One command from its start to its end, within its limits, with nothing left of it afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil
import trio

from actors.processes.run_meta import RunState
from actors.runtime.errors import ProcessNotStarted

RUN_VARIABLE = "MONOTREME_RUN"
TERMINATE_GRACE = 0.5
PIPE_GRACE = 1.0
KILL_WAIT = 2.0
MEMORY_INTERVAL = 0.5
_CHUNK = 1 << 20

Sink = Callable[[str, bytes], bool]


class ChildCommand(msgspec.Struct, frozen=True):
    """A command and its limits. `run_id` marks its processes, also those that leave its session. `merged`
    puts stderr into stdout, which keeps the order in which lines were written. `memory` None means no limit.
    `output` is the number of bytes that its sink has room for; `grace` is how long it may continue after SIGTERM."""

    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]
    run_id: str
    seconds: float
    output: int
    stdin: bytes = b""
    merged: bool = False
    memory: int | None = None
    grace: float = TERMINATE_GRACE


class Ending(msgspec.Struct, frozen=True):
    """`COMPLETED`, or why not, and then a sentence on it. `refused` says that a permission was missing."""

    state: RunState
    exit_code: int | None = None
    problem: str = ""
    refused: bool = False


async def execute(
    command: ChildCommand, sink: Sink, on_end: Callable[[int | None], None] = lambda code: None
) -> Ending:
    """Run to the end. `sink` gets what is written, with the name of the stream, and answers whether there is room for
    more. Everything the command started is gone afterwards, also when the caller is cancelled or `sink` raises;
    `on_end` gets the exit code in these cases too.

    Raises `ProcessNotStarted`.
    """
    process = await _open(command)
    verdict = _Verdict()
    try:
        with trio.move_on_after(command.seconds) as limit:
            await _converse(process, command, sink, verdict)
        if limit.cancelled_caught:
            verdict.state = RunState.TIMED_OUT
    finally:
        await _end(process, command)
        on_end(process.returncode)
    return Ending(verdict.state, process.returncode, _problem(command, verdict.state))


def _problem(command: ChildCommand, state: RunState) -> str:
    name = command.argv[0]
    match state:
        case RunState.TIMED_OUT:
            return f"{name} did not end within {command.seconds:g} s and was stopped"
        case RunState.OUTPUT_LIMIT:
            return f"{name} wrote more than {command.output} bytes and was stopped"
        case RunState.MEMORY_LIMIT:
            return f"{name} took more than {command.memory} bytes of memory and was stopped"
        case _:
            return ""


class _Verdict:
    def __init__(self) -> None:
        self.state = RunState.COMPLETED


async def _open(command: ChildCommand) -> trio.Process:
    name = command.argv[0]
    try:
        return await trio.lowlevel.open_process(
            list(command.argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if command.merged else subprocess.PIPE,
            cwd=command.folder,
            env={**command.environment, RUN_VARIABLE: command.run_id},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        refused = isinstance(error, PermissionError)
        raise ProcessNotStarted(f"{name} cannot be started: {reason}", refused=refused) from error


async def _converse(process: trio.Process, command: ChildCommand, sink: Sink, verdict: _Verdict) -> None:
    """Feed stdin and read the outputs until they close, or until a limit is reached."""
    assert process.stdin is not None
    assert process.stdout is not None
    async with trio.open_nursery() as talk:

        def stop(state: RunState) -> None:
            verdict.state = state
            talk.cancel_scope.cancel(reason=f"the command is over: {state}")

        talk.start_soon(_feed, process.stdin, command.stdin)
        if command.memory is not None:
            talk.start_soon(_watch_memory, process.pid, command.memory, stop)
        async with trio.open_nursery() as readers:
            talk.start_soon(_close_pipes, process, command, readers.cancel_scope)
            for name, stream in (("stdout", process.stdout), ("stderr", process.stderr)):
                if stream is not None:
                    readers.start_soon(_collect, name, stream, sink, stop)
        await process.wait()
        talk.cancel_scope.cancel(reason="the command has ended")


async def _feed(stream: trio.abc.SendStream, data: bytes) -> None:
    async with stream:
        with suppress(trio.BrokenResourceError):  # a command need not read all of its input
            await stream.send_all(data)


async def _collect(name: str, stream: trio.abc.ReceiveStream, sink: Sink, stop: Callable[[RunState], None]) -> None:
    while chunk := await stream.receive_some(_CHUNK):
        if not sink(name, bytes(chunk)):
            stop(RunState.OUTPUT_LIMIT)
            return


async def _close_pipes(process: trio.Process, command: ChildCommand, readers: trio.CancelScope) -> None:
    """A command that has ended may have left processes that hold its pipes open: they have a moment, then they go."""
    await process.wait()
    await trio.sleep(PIPE_GRACE)
    _signal_group(process.pid, signal.SIGKILL)
    await trio.to_thread.run_sync(kill_marked, command.run_id)
    await trio.sleep(PIPE_GRACE)
    readers.cancel(reason="somebody out of reach holds the command's pipes")


async def _watch_memory(pid: int, limit: int, stop: Callable[[RunState], None]) -> None:
    while True:
        if await trio.to_thread.run_sync(_resident, pid, abandon_on_cancel=True) > limit:
            stop(RunState.MEMORY_LIMIT)
            return
        await trio.sleep(MEMORY_INTERVAL)


def _resident(pid: int) -> int:
    """Bytes in memory, summed over a process and its descendants."""
    total = 0
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                total += process.memory_info().rss
    return total


async def _end(process: trio.Process, command: ChildCommand) -> None:
    """End all processes that the command started, whether it ended by itself or not."""
    with trio.CancelScope(shield=True):
        family: list[psutil.Process] = []
        if process.returncode is None:
            family = await trio.to_thread.run_sync(_descendants, process.pid)
            _signal_group(process.pid, signal.SIGTERM)
            with trio.move_on_after(command.grace):
                await process.wait()
        _signal_group(process.pid, signal.SIGKILL)
        with trio.move_on_after(KILL_WAIT):
            await process.wait()
        await trio.to_thread.run_sync(_kill, family)
        await trio.to_thread.run_sync(kill_marked, command.run_id)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                await trio.aclose_forcefully(stream)


def _descendants(pid: int) -> list[psutil.Process]:
    """Processes started by a process, including those that left its session and cleared their environment."""
    with suppress(psutil.Error):
        return psutil.Process(pid).children(recursive=True)
    return []


def _kill(processes: Sequence[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def kill_marked(run_id: str) -> None:
    """Kill every process of this user that carries the mark of a run: those that left its session and group too.
    One that clears its environment, and whose parents are gone, escapes. Blocks for some milliseconds."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.environ().get(RUN_VARIABLE) == run_id:
                process.kill()

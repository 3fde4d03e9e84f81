"""The process runner: one command at a time for each caller, with limits, and nothing left behind.

Commands are argument lists; no shell is involved. A command has its own session, so that cancelling the caller, its
wall-clock limit or its output limit ends whatever it has started.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import trio

from actors.errors import ProcessLimitExceeded, ProcessNotStarted

KEPT_VARIABLES = (
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "MONOTREME_CACHE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
)
TERMINATE_GRACE = 0.5
_CHUNK = 1 << 20


class CommandLimits(msgspec.Struct, frozen=True):
    """Seconds of wall clock; bytes of stdout and stderr together; commands running at once."""

    seconds: float = 600.0
    output: int = 512 << 20
    at_once: int = 4


class CommandResult(msgspec.Struct, frozen=True):
    """Exit code (negative: killed by that signal) and everything written."""

    returncode: int
    stdout: bytes
    stderr: bytes


class RunnerStatistics(msgspec.Struct, frozen=True):
    """Commands `running` now, `finished` with any exit code, `failed` to start or killed at a limit."""

    running: int
    finished: int
    failed: int


def scrubbed_environment(names: Sequence[str] = KEPT_VARIABLES, **extra: str) -> dict[str, str]:
    """This process's environment reduced to `names`, and `extra`: no tokens, keys or Python paths reach a child."""
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, **extra}


class ProcessRunner:
    """Runs commands for any number of callers, `at_once` at a time; the others wait for their turn."""

    def __init__(self, limits: CommandLimits | None = None, environment: Mapping[str, str] | None = None) -> None:
        self._limits = limits or CommandLimits()
        self._environment = dict(scrubbed_environment() if environment is None else environment)
        self._turns = trio.CapacityLimiter(self._limits.at_once)
        self._running = 0
        self._finished = 0
        self._failed = 0

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        folder: Path,
        seconds: float | None = None,
        on_stderr: Callable[[bytes], None] | None = None,
    ) -> CommandResult:
        """Run to the end in `folder`. `seconds` shortens the wall-clock limit; waiting for a turn is not counted.
        `on_stderr` gets what the command writes to stderr, in pieces, while it runs.

        Raises `ProcessNotStarted`, or `ProcessLimitExceeded` once the whole process group is gone.
        """
        async with self._turns:
            self._running += 1
            try:
                time = min(seconds or self._limits.seconds, self._limits.seconds)
                result = await self._run(argv, stdin, folder, time, on_stderr)
            except (ProcessNotStarted, ProcessLimitExceeded):
                self._failed += 1
                raise
            finally:
                self._running -= 1
            self._finished += 1
            return result

    def statistics(self) -> RunnerStatistics:
        return RunnerStatistics(self._running, self._finished, self._failed)

    async def _run(
        self,
        argv: Sequence[str],
        stdin: bytes,
        folder: Path,
        seconds: float,
        on_stderr: Callable[[bytes], None] | None,
    ) -> CommandResult:
        process = await self._open(argv, folder)
        output = _Output(self._limits.output, on_stderr)
        try:
            with trio.move_on_after(seconds) as limit:
                await _converse(process, stdin, output)
                if not output.overflowed:
                    await process.wait()
        finally:
            await _end_group(process)
        if output.overflowed:
            raise ProcessLimitExceeded(f"{argv[0]} wrote more than {self._limits.output} bytes and was stopped")
        if limit.cancelled_caught:
            raise ProcessLimitExceeded(f"{argv[0]} did not end within {seconds:g} s and was stopped")
        assert process.returncode is not None
        return CommandResult(process.returncode, output.joined("stdout"), output.joined("stderr"))

    async def _open(self, argv: Sequence[str], folder: Path) -> trio.Process:
        try:
            return await trio.lowlevel.open_process(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=self._environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise ProcessNotStarted(f"{argv[0]} cannot be started: {reason}") from error


class _Output:
    """What a command wrote, up to `limit` bytes in all."""

    def __init__(self, limit: int, on_stderr: Callable[[bytes], None] | None) -> None:
        self._left = limit
        self._on_stderr = on_stderr
        self._chunks: dict[str, list[bytes]] = {"stdout": [], "stderr": []}

    @property
    def overflowed(self) -> bool:
        return self._left < 0

    def add(self, stream: str, chunk: bytes) -> None:
        self._left -= len(chunk)
        if not self.overflowed:
            self._chunks[stream].append(chunk)
            if stream == "stderr" and self._on_stderr is not None:
                self._on_stderr(chunk)

    def joined(self, stream: str) -> bytes:
        return b"".join(self._chunks[stream])


async def _converse(process: trio.Process, stdin: bytes, output: _Output) -> None:
    """Feed stdin and read both outputs until they close, or until there is too much of them."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_feed, process.stdin, stdin)
        for name, stream in (("stdout", process.stdout), ("stderr", process.stderr)):
            nursery.start_soon(_collect, name, stream, output, nursery.cancel_scope)


async def _feed(stream: trio.abc.SendStream, data: bytes) -> None:
    async with stream:
        with suppress(trio.BrokenResourceError):  # a command need not read all of its input
            await stream.send_all(data)


async def _collect(name: str, stream: trio.abc.ReceiveStream, output: _Output, talk: trio.CancelScope) -> None:
    while chunk := await stream.receive_some(_CHUNK):
        output.add(name, bytes(chunk))
        if output.overflowed:
            talk.cancel(reason="the command wrote too much")
            return


async def _end_group(process: trio.Process) -> None:
    """Whatever the command started is gone afterwards, whether it ended by itself or not."""
    with trio.CancelScope(shield=True):
        if process.returncode is None:
            _signal_group(process, signal.SIGTERM)
            with trio.move_on_after(TERMINATE_GRACE):
                await process.wait()
        _signal_group(process, signal.SIGKILL)
        with trio.move_on_after(2.0):
            await process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                await trio.aclose_forcefully(stream)


def _signal_group(process: trio.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)

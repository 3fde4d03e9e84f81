"""A worker as an operating-system process: how it is started, spoken to, measured and ended.

`Spawner` is a port. `LocalSpawner` starts real processes; tests and the simulation put fakes over memory streams in its
place. Processes lead a session of their own, so that ending one ends whatever it started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Protocol

import msgspec
import psutil
import trio

from actors.runtime.errors import ProcessNotStarted
from simulator.fuzz.sharing.running_sequence import running_sequence
from simulator.fuzz.sharing.shared_memory import DESCRIPTOR_VARIABLE, make_shared_memory
from simulator.transaction import Sequence as SequenceOfCalls

STDERR_TAIL = 16_384
TERMINATE_GRACE = 0.5
KILL_WAIT = 2.0
NICE = 10
_CHUNK = 65_536


class Usage(msgspec.Struct, frozen=True):
    """Resident memory in bytes; CPU seconds since the start of the process."""

    resident: int
    cpu: float


class WorkerProcess(Protocol):
    """One running worker."""

    @property
    def pid(self) -> int: ...

    @property
    def node(self) -> str:
        """The machine that it runs on, as its executor names it; empty for this one."""

    async def send(self, data: bytes) -> None:
        """Write all of it; blocks while the pipe is full. Raises `trio.BrokenResourceError` when the reader is gone."""

    async def receive(self) -> bytes:
        """Some bytes of its output, b"" at the end of it."""

    async def drain_stderr(self) -> None:
        """Read its stderr until it closes, keeping the tail."""

    def stderr_tail(self) -> str:
        """The last lines it wrote to stderr."""

    async def wait(self) -> int:
        """Wait for the end; the exit code, negative for a signal."""

    async def end(self) -> None:
        """Make sure that neither the process nor anything it started is left. Shielded from cancellation, bounded."""

    def last_executed(self) -> SequenceOfCalls:
        """After `end`: the sequence that it was executing, up to the call that it had come to; empty for none, and
        where it is unknown."""

    def was_cut_off(self) -> bool:
        """After `end`: its machine or the way there was lost, so that its end says nothing about what it did."""

    def usage(self) -> Usage | None:
        """Memory and CPU, None once it is gone."""


class Spawner(Protocol):
    async def __call__(self, worker: int) -> WorkerProcess:
        """Start the process of this worker. Raises `ProcessNotStarted`."""


class LocalSpawner:
    """Starts `argv` with exactly this environment, at lower priority.

    The child is started in trio's own thread: a worker asks the kernel to die with its parent (PR_SET_PDEATHSIG), and
    that signal follows the thread that forked it, not the process.
    """

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._argv = list(argv)
        self._environment = dict(environment)
        self._folder = folder

    async def __call__(self, worker: int) -> WorkerProcess:
        await trio.lowlevel.checkpoint()
        memory = make_shared_memory()
        try:
            popen = self._start(memory)
        except OSError as error:
            if memory is not None:
                os.close(memory)
            raise ProcessNotStarted(f"worker {worker}: {self._argv[0]}: {error.strerror or error}") from error
        return LocalProcess(popen, memory)

    def _start(self, memory: int | None) -> subprocess.Popen[bytes]:
        environment = self._environment
        if memory is not None:
            environment = {**environment, DESCRIPTOR_VARIABLE: str(memory)}
        return subprocess.Popen(  # 0.3 ms, and it must be this thread: see the class
            self._argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=self._folder,
            start_new_session=True,
            pass_fds=() if memory is None else (memory,),
        )


class LocalProcess:
    """A child of this process, its three pipes, a handle to wait for its end, and the descriptor of the memory that it
    shares."""

    def __init__(self, popen: subprocess.Popen[bytes], memory: int | None = None) -> None:
        self._popen = popen
        self._memory = memory
        self._last_executed: SequenceOfCalls = ()
        self._stdin = _adopt(popen.stdin)
        self._stdout = _adopt(popen.stdout)
        self._stderr = _adopt(popen.stderr)
        self._handle = os.pidfd_open(popen.pid)
        self._tail = b""
        self._stderr_closed = trio.Event()
        self._psutil = restrain(popen.pid)
        self._ended = False

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def node(self) -> str:
        return ""

    async def send(self, data: bytes) -> None:
        await self._stdin.send_all(data)

    async def receive(self) -> bytes:
        return bytes(await self._stdout.receive_some(_CHUNK))

    async def drain_stderr(self) -> None:
        try:
            async for chunk in self._stderr:
                self._tail = (self._tail + bytes(chunk))[-STDERR_TAIL:]
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self._stderr_closed.set()

    def stderr_tail(self) -> str:
        return self._tail.decode("utf-8", errors="replace").strip()

    async def wait(self) -> int:
        """The exit code, once stderr has been read to its end as well, as far as it closes soon. The process stays a
        zombie until `end`, so that the number of its group cannot be reused."""
        await trio.lowlevel.wait_readable(self._handle)
        with trio.move_on_after(0.2):
            await self._stderr_closed.wait()
        status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # noqa: ASYNC222  # WNOHANG
        assert status is not None, "the handle is readable only after the end"
        return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status

    async def end(self) -> None:
        if self._ended:
            return
        with trio.CancelScope(shield=True):
            for number, patience in ((signal.SIGTERM, TERMINATE_GRACE), (signal.SIGKILL, KILL_WAIT)):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, number)
                with trio.move_on_after(patience):
                    await trio.lowlevel.wait_readable(self._handle)
            self._popen.poll()
            await self._close()

    def last_executed(self) -> SequenceOfCalls:
        return self._last_executed

    def was_cut_off(self) -> bool:
        return False

    def usage(self) -> Usage | None:
        if self._psutil is None:
            return None
        try:
            with self._psutil.oneshot():
                times = self._psutil.cpu_times()
                return Usage(self._psutil.memory_info().rss, times.user + times.system)
        except psutil.Error:
            return None

    async def _close(self) -> None:
        self._ended = True
        for stream in (self._stdin, self._stdout, self._stderr):
            await trio.aclose_forcefully(stream)
        os.close(self._handle)
        if self._memory is not None:
            self._last_executed = running_sequence(self._memory)
            os.close(self._memory)


def _adopt(pipe: IO[bytes] | None) -> trio.lowlevel.FdStream:
    assert pipe is not None
    stream = trio.lowlevel.FdStream(os.dup(pipe.fileno()))
    pipe.close()
    return stream


def restrain(pid: int) -> psutil.Process | None:
    """Lower priority, so that this program stays responsive with all cores busy, and no core dumps. A lower one than
    that stays as it is. None when the process is gone."""
    try:
        process = psutil.Process(pid)
        process.nice(max(NICE, process.nice()))
        process.rlimit(psutil.RLIMIT_CORE, (0, 0))
    except psutil.Error:
        return None
    return process

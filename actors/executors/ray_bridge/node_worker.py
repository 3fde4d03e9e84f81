"""A worker process on a node: its pipes, usage, stderr and end, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import msgspec
import psutil

from actors.processes.environment import scrubbed_environment
from actors.workers.process import KILL_WAIT, STDERR_TAIL, TERMINATE_GRACE, restrain
from simulator.fuzz.sharing.running_sequence import running_sequence
from simulator.fuzz.sharing.shared_memory import DESCRIPTOR_VARIABLE, make_shared_memory
from simulator.own_process import module_command
from simulator.policy import WORKER_VARIABLES
from simulator.worker.reports import Coverage, Heartbeat, Interesting, NewCode, Words

MAX_HELD = 4 << 20
"""Bytes of output held for the bridge, after which the pipe is not read any more."""
_CHUNK = 1 << 18
_HEAD = 4
_PATIENT = tuple(
    b"\xa4type" + msgspec.msgpack.encode(kind.__struct_config__.tag)
    for kind in (Heartbeat, Coverage, NewCode, Interesting, Words)
)
_PREFIX = 1 + max(map(len, _PATIENT))
"""A frame is a map whose first entry names its kind."""
_COLLECT_SECONDS = 0.05


class NodeWorker:
    """One process. `start` makes it; `news` is set whenever it has something to say."""

    def __init__(self, process: subprocess.Popen[bytes], memory: int | None, news: asyncio.Event) -> None:
        self._process = process
        self._memory = memory
        self._news = news
        self._handle = os.pidfd_open(process.pid)
        self._psutil = restrain(process.pid)
        self._usage: tuple[int, float] | None = None
        self._out = bytearray()
        self._base = 0
        self._scanned = 0
        self._taken = 0
        self._tail = b""
        self._code: int | None = None
        self._output_ended = False
        self._executed = b""
        self._told: tuple[object, ...] = ()
        self._answered = time.monotonic()
        self._room = asyncio.Event()
        self._collected = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._pipes: list[asyncio.ReadTransport] = []
        self.is_urgent = False

    @classmethod
    async def start(cls, argv: tuple[str, ...], folder: Path, news: asyncio.Event) -> NodeWorker:
        """Raises `OSError`."""
        memory = make_shared_memory()
        environment = scrubbed_environment(WORKER_VARIABLES, PYTHONHASHSEED="0")
        if memory is not None:
            environment[DESCRIPTOR_VARIABLE] = str(memory)
        try:
            process = subprocess.Popen(  # noqa: ASYNC220  # this thread must fork: see Host.start
                list(argv) or module_command("simulator.worker"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=folder,
                start_new_session=True,
                pass_fds=() if memory is None else (memory,),
                bufsize=0,
            )
        except OSError:
            if memory is not None:
                os.close(memory)
            raise
        worker = cls(process, memory, news)
        await worker._connect()
        return worker

    @property
    def pid(self) -> int:
        return self._process.pid

    def cannot_wait(self, credit: int) -> bool:
        """There is something that the supervisor waits for: a frame that is no telemetry, or an end."""
        if self._told[:2] != (self._output_ended, self._code) and (self._output_ended or self._code is not None):
            return True
        return self.is_urgent and credit > 0

    def has_news(self, credit: int) -> bool:
        """There is output and room for it, or something else has changed since the last answer."""
        return bool(self._out and credit > 0) or self._told != self._state()

    def seconds_since_answer(self) -> float:
        return time.monotonic() - self._answered

    def confirm(self, offset: int) -> None:
        """The bridge has all bytes before `offset`."""
        if offset > self._base:
            del self._out[: offset - self._base]
            self._base = offset
        if len(self._out) < MAX_HELD:
            self._room.set()

    def answer(self, credit: int) -> tuple[int, bytes, bool, int | None, bytes, int, tuple[int, float] | None]:
        """The form of `Host.poll`, with at most `credit` bytes."""
        data = bytes(self._out[: max(0, credit)])
        is_all = len(data) == len(self._out)
        if is_all:
            self.is_urgent = False
        self._told, self._answered = self._state(), time.monotonic()
        tail = self._tail if self._code is not None else b""
        return (self._base, data, self._output_ended and is_all, self._code, tail, self._written(), self._usage)

    def write(self, offset: int, data: bytes) -> None:
        """Queue input that begins at `offset`; what was queued already is left out."""
        new = data[max(0, self._taken - offset) :]
        self._taken += len(new)
        if new and not self._stdin.is_closing():
            self._stdin.write(new)

    def measure(self) -> None:
        if self._psutil is None:
            return
        try:
            with self._psutil.oneshot():
                times = self._psutil.cpu_times()
                self._usage = (self._psutil.memory_info().rss, times.user + times.system)
        except psutil.Error:
            self._usage = None

    async def end(self) -> bytes:
        """End it and what it started. Returns the sequence that it was executing, as MessagePack."""
        for number, patience in ((signal.SIGTERM, TERMINATE_GRACE), (signal.SIGKILL, KILL_WAIT)):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._collected.wait(), patience)
        for task in self._tasks:
            task.cancel()
        if not self._stdin.is_closing():  # a closed transport cannot be aborted
            self._stdin.abort()
        for pipe in self._pipes:
            pipe.close()
        self._process.poll()
        with contextlib.suppress(ValueError, OSError):
            asyncio.get_running_loop().remove_reader(self._handle)
        os.close(self._handle)
        if self._memory is not None:
            self._executed = msgspec.msgpack.encode(running_sequence(self._memory))
            os.close(self._memory)
            self._memory = None
        return self._executed

    # --- its pipes ---------------------------------------------------------------------------------------------------

    async def _connect(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        loop = asyncio.get_running_loop()
        output, errors = asyncio.StreamReader(limit=_CHUNK), asyncio.StreamReader(limit=_CHUNK)
        for reader, pipe in ((output, self._process.stdout), (errors, self._process.stderr)):
            transport, _ = await loop.connect_read_pipe(partial(asyncio.StreamReaderProtocol, reader), pipe)
            self._pipes.append(transport)
        self._stdin, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._process.stdin)
        loop.add_reader(self._handle, self._exited)
        self._tasks = [asyncio.create_task(self._read(output)), asyncio.create_task(self._drain(errors))]

    async def _read(self, output: asyncio.StreamReader) -> None:
        while chunk := await output.read(_CHUNK):
            self._out += chunk
            self._look_for_urgent_frames()
            self._news.set()
            while len(self._out) >= MAX_HELD:
                self._room.clear()
                await self._room.wait()
        self._output_ended = self.is_urgent = True
        self._news.set()

    async def _drain(self, errors: asyncio.StreamReader) -> None:
        while chunk := await errors.read(_CHUNK):
            self._tail = (self._tail + chunk)[-STDERR_TAIL:]

    def _look_for_urgent_frames(self) -> None:
        """Walk over the heads of frames. One that is not telemetry is waited for."""
        end = self._base + len(self._out)
        while self._scanned + _HEAD <= end:
            at = self._scanned - self._base
            size = int.from_bytes(self._out[at : at + _HEAD], "little")
            body = bytes(self._out[at + _HEAD : at + _HEAD + min(size, _PREFIX)])
            if len(body) < min(size, _PREFIX):
                return
            if not body[1:].startswith(_PATIENT):
                self.is_urgent = True
            self._scanned += _HEAD + size

    def _exited(self) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._handle)
        loop.call_later(_COLLECT_SECONDS, self._collect)

    def _collect(self) -> None:
        """Take the exit code. The process stays a zombie until `end`, so that the number of its group is not reused."""
        status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is not None:
            self._code = status.si_status if status.si_code == os.CLD_EXITED else -status.si_status
        self.is_urgent = True
        self._collected.set()
        self._news.set()

    def _written(self) -> int:
        return self._taken - self._stdin.get_write_buffer_size()

    def _state(self) -> tuple[object, ...]:
        return (self._output_ended, self._code, self._written(), self._usage)

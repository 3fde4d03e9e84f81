"""A worker process behind a link: the `WorkerProcess` port over messages instead of pipes."""

from __future__ import annotations

from collections.abc import Callable

import trio

from actors.executors.messages import (
    WINDOW,
    Consumed,
    End,
    Ended,
    Exited,
    OutputEnded,
    ProcessMeasured,
    ProcessOutput,
    Send,
    Started,
    ToBridge,
    Written,
)
from actors.workers.process import Usage
from simulator.transaction import Sequence

END_SECONDS = 5.0
LOST = -9
"""Exit code of a process whose link is gone: what ended it is not known."""
_CHUNK = 65_536


class RemoteProcess:
    """One incarnation. `post` queues a message for the bridge and never waits. `lose` makes it end at once."""

    def __init__(self, started: Started, post: Callable[[ToBridge], None]) -> None:
        self.key = started.key
        self.node = started.node
        self._pid = started.pid
        self._post = post
        self._buffer = bytearray()
        self._taken = self._confirmed = 0
        self._sent = self._written = 0
        self._output_ended = False
        self._code: int | None = None
        self._stderr = b""
        self._usage: Usage | None = None
        self._executed: Sequence = ()
        self._news = trio.Event()
        self._room = trio.Event()
        self._exited = trio.Event()
        self._ended = trio.Event()
        self._asked_to_end = False
        self._cut_off = False

    # --- what the bridge says ----------------------------------------------------------------------------------------

    def hear(self, message: ProcessOutput | Written | ProcessMeasured | OutputEnded | Exited | Ended) -> None:
        match message:
            case ProcessOutput(data=data):
                self._buffer += data
                self._news.set()
            case Written(total=total):
                self._written = max(self._written, min(total, self._sent))
                self._room.set()
            case ProcessMeasured(resident=resident, cpu=cpu):
                self._usage = Usage(resident, cpu)
            case OutputEnded():
                self._output_ended = True
                self._news.set()
            case Exited(code=code, stderr=stderr, cut_off=cut_off):
                self._cut_off |= cut_off
                self._exit(code, stderr)
            case Ended(executed=executed, cut_off=cut_off):
                self._cut_off |= cut_off
                self._executed = executed or self._executed
                self._exit(LOST, b"")
                self._ended.set()

    def abandon(self) -> None:
        """End it without waiting: nobody asked for it any more when it had started."""
        self._asked_to_end = True
        self._post(End(self.key))

    def lose(self, reason: str) -> None:
        """The link is gone, and the process with it."""
        self._cut_off |= self._code is None
        self._output_ended = True
        self._news.set()
        self._exit(LOST, reason.encode())
        self._ended.set()

    def _exit(self, code: int, stderr: bytes) -> None:
        if self._code is None:
            self._code, self._stderr, self._usage = code, stderr, None
        self._exited.set()
        self._room.set()

    # --- the port ----------------------------------------------------------------------------------------------------

    @property
    def pid(self) -> int:
        return self._pid

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        for start in range(0, len(data), WINDOW):
            await self._send_piece(data[start : start + WINDOW])

    async def _send_piece(self, piece: bytes) -> None:
        while self._code is None and self._sent - self._written > WINDOW:
            self._room = trio.Event()
            await self._room.wait()
        if self._code is not None or self._asked_to_end:
            raise trio.BrokenResourceError(f"{self.node}: the process is gone")
        self._sent += len(piece)
        self._post(Send(self.key, piece))

    async def receive(self) -> bytes:
        while not self._buffer:
            if self._output_ended:
                await trio.lowlevel.checkpoint()
                return b""
            self._news = trio.Event()
            await self._news.wait()
        await trio.lowlevel.checkpoint()
        data = bytes(self._buffer[:_CHUNK])
        del self._buffer[:_CHUNK]
        self._taken += len(data)
        if self._taken - self._confirmed >= WINDOW // 4:
            self._confirmed = self._taken
            self._post(Consumed(self.key, self._taken))
        return data

    async def drain_stderr(self) -> None:
        await self._exited.wait()

    def stderr_tail(self) -> str:
        return self._stderr.decode("utf-8", errors="replace").strip()

    async def wait(self) -> int:
        await self._exited.wait()
        assert self._code is not None
        return self._code

    async def end(self) -> None:
        if not self._asked_to_end:
            self._asked_to_end = True
            self._post(End(self.key))
        with trio.CancelScope(shield=True), trio.move_on_after(END_SECONDS) as patience:
            await self._ended.wait()
        self._cut_off |= patience.cancelled_caught  # a node that can be reached answers sooner

    def last_executed(self) -> Sequence:
        return self._executed

    def was_cut_off(self) -> bool:
        return self._cut_off

    def usage(self) -> Usage | None:
        return self._usage

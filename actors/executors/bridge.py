"""The bridge process, as its supervisor sees it: started, spoken to, ended, and started again by the next worker.

A cluster's client library can end the process that holds it. So it lives in a process of its own, and what ends with
it are the workers behind it: their actors hear the end of their output, and ask for others.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import trio

from actors.executors.messages import (
    ClusterRefused,
    Connect,
    Connected,
    Ended,
    FromBridge,
    Node,
    Nodes,
    NotStarted,
    Said,
    Start,
    Started,
    ToBridge,
)
from actors.executors.remote_process import RemoteProcess
from actors.runtime.errors import ProcessNotStarted
from simulator.errors import FrameError
from simulator.worker.framing import FrameDecoder, encode_frame

START_SECONDS = 900.0
"""A node that joins builds the kernel before its first worker, and a cluster that grows takes minutes."""
CLOSE_SECONDS = 10.0
_CHUNK = 1 << 20
_STDERR_TAIL = 4_096


class BridgeStream(Protocol):
    """The pipes of a bridge process."""

    async def send_all(self, data: bytes) -> None: ...

    async def receive_some(self) -> bytes: ...

    async def end(self, patience: float) -> str:
        """End the process, which has so many seconds to do so itself. Returns the end of its stderr."""


class BridgeLost(ProcessNotStarted):
    """The bridge has ended, or there is no cluster; the message says why."""

    code = "E_BRIDGE_LOST"


class Bridge:
    """One bridge process and the workers behind it. `run` it in a nursery."""

    def __init__(self, stream: BridgeStream, say: Callable[[str], None], on_nodes: Callable[[], None]) -> None:
        self._stream = stream
        self._say = say
        self._on_nodes = on_nodes
        self._outbox, self._queue = trio.open_memory_channel[ToBridge](1 << 16)
        self._processes: dict[str, RemoteProcess] = {}
        self._starting: dict[str, _Starting] = {}
        self.connected = trio.Event()
        self.nodes: tuple[Node, ...] = ()
        self.lost: str | None = None

    async def run(
        self, connect: Connect, task_status: trio.TaskStatus[trio.CancelScope] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Serve until the bridge ends; never raises for that. Cancelling ends it; so does the scope that it starts
        with."""
        reason, refusal = "the bridge to the cluster has ended", ""
        try:
            async with trio.open_nursery() as nursery:
                task_status.started(nursery.cancel_scope)
                self.post(connect)
                nursery.start_soon(self._write)
                refusal = await self._read()
                nursery.cancel_scope.cancel()
        except* (trio.BrokenResourceError, trio.ClosedResourceError, FrameError) as group:
            reason = f"{reason}: {group.exceptions[0]}"
        finally:
            with trio.CancelScope(shield=True):
                tail = await self._stream.end(CLOSE_SECONDS if self.connected.is_set() else 0.0)
            # Lines of the cluster's library begin with a bracket and help no user.
            words = [line for line in tail.splitlines() if line and not line.startswith(("[", "\x1b", " "))]
            self._lose(refusal or (f"{reason}: {words[-1]}" if words else reason))

    def post(self, message: ToBridge) -> None:
        """Queue a message; what does not fit means that the bridge hangs, and ends it."""
        if self.lost is not None:
            return
        try:
            self._outbox.send_nowait(message)
        except (trio.WouldBlock, trio.BrokenResourceError):
            self._outbox.close()

    async def start(self, key: str, worker: int) -> RemoteProcess:
        """Raises `ProcessNotStarted`."""
        if self.lost is not None:
            raise BridgeLost(f"worker {worker}: {self.lost}")
        starting = self._starting[key] = _Starting()
        self.post(Start(key, worker))
        try:
            with trio.fail_after(START_SECONDS):
                await starting.answered.wait()
        except trio.TooSlowError:
            raise ProcessNotStarted(f"worker {worker}: no node took it within {START_SECONDS:g} s") from None
        finally:
            del self._starting[key]
        if starting.process is None:
            raise ProcessNotStarted(f"worker {worker}: {starting.reason}")
        return starting.process

    async def _write(self) -> None:
        async for message in self._queue:
            frames = [encode_frame(message)]
            with contextlib.suppress(trio.WouldBlock, trio.EndOfChannel):
                while True:
                    frames.append(encode_frame(self._queue.receive_nowait()))
            await self._stream.send_all(b"".join(frames))
        raise trio.BrokenResourceError("it takes no messages")

    async def _read(self) -> str:
        decoder: FrameDecoder[FromBridge] = FrameDecoder(FromBridge)  # type: ignore[arg-type]  # a union
        while data := await self._stream.receive_some():
            for message in decoder.feed(data):
                if isinstance(message, ClusterRefused):
                    return message.reason
                self._hear(message)
        return ""

    def _hear(self, message: FromBridge) -> None:
        match message:
            case Connected():
                self.connected.set()
            case Nodes(nodes=nodes):
                self.nodes = nodes
                self._on_nodes()
            case Said(text=text):
                self._say(text)
            case Started() | NotStarted():
                self._answer(message)
            case ClusterRefused():
                pass
            case _:
                if (process := self._processes.get(message.key)) is not None:
                    process.hear(message)
                if isinstance(message, Ended):
                    self._processes.pop(message.key, None)

    def _answer(self, message: Started | NotStarted) -> None:
        starting = self._starting.get(message.key)
        if isinstance(message, Started):
            process = RemoteProcess(message, self.post)
            self._processes[message.key] = process
            if starting is None:  # nobody waits for it any more
                process.abandon()
            else:
                starting.process = process
        elif starting is not None:
            starting.reason = message.reason
        if starting is not None:
            starting.answered.set()

    def _lose(self, reason: str) -> None:
        self.lost = reason
        self.connected.set()
        for process in self._processes.values():
            process.lose(reason)
        self._processes.clear()
        for starting in self._starting.values():
            starting.reason = reason
            starting.answered.set()


class _Starting:
    """A worker process that was asked for."""

    def __init__(self) -> None:
        self.answered = trio.Event()
        self.process: RemoteProcess | None = None
        self.reason = ""


class ProcessStream:
    """A bridge process and its pipes. It ends when its stdin is closed, and so with this process."""

    def __init__(self, process: trio.Process, nursery: trio.Nursery) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin, self._stdout = process.stdin, process.stdout
        self._tail = b""
        self._tail_read = trio.Event()
        nursery.start_soon(self._drain)

    @staticmethod
    async def start(argv: Sequence[str], environment: Mapping[str, str], nursery: trio.Nursery) -> ProcessStream:
        """Raises `OSError`."""
        process = await trio.lowlevel.open_process(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
        return ProcessStream(process, nursery)

    async def send_all(self, data: bytes) -> None:
        await self._stdin.send_all(data)

    async def receive_some(self) -> bytes:
        return bytes(await self._stdout.receive_some(_CHUNK))

    async def end(self, patience: float) -> str:
        await self._stdin.aclose()
        with trio.move_on_after(patience):
            await self._process.wait()
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        with trio.move_on_after(1.0):
            await self._tail_read.wait()
        await self._stdout.aclose()
        return self._tail.decode("utf-8", errors="replace").strip()

    async def _drain(self) -> None:
        assert self._process.stderr is not None
        try:
            async for chunk in self._process.stderr:
                self._tail = (self._tail + bytes(chunk))[-_STDERR_TAIL:]
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self._tail_read.set()

"""An executor over plain TCP: proof that the port is an executor's, not Ray's. `python -m tests.support.tcp_executor
COMMAND...` serves on a port of 127.0.0.1 that it prints: each connection is one worker process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import trio

from actors.runtime.errors import ProcessNotStarted
from actors.workers.process import Usage
from simulator.transaction import Sequence

_CHUNK = 65_536


class TcpProcess:
    """The `WorkerProcess` port over one connection. Its exit code, memory and last sequence stay on the other side."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._over = trio.Event()

    @property
    def pid(self) -> int:
        return 0

    @property
    def node(self) -> str:
        return ""

    async def send(self, data: bytes) -> None:
        await self._stream.send_all(data)

    async def receive(self) -> bytes:
        try:
            data = bytes(await self._stream.receive_some(_CHUNK))
        except trio.BrokenResourceError:
            data = b""
        if not data:
            self._over.set()
        return data

    async def drain_stderr(self) -> None:
        await self._over.wait()

    def stderr_tail(self) -> str:
        return ""

    async def wait(self) -> int:
        await self._over.wait()
        return -9

    async def end(self) -> None:
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(self._stream)
        self._over.set()

    def last_executed(self) -> Sequence:
        return ()

    def was_cut_off(self) -> bool:
        return False  # a connection that ends looks the same for a worker that died

    def usage(self) -> Usage | None:
        return None


class TcpSpawner:
    """Starts workers behind `port` of this machine."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __call__(self, worker: int) -> TcpProcess:
        try:
            return TcpProcess(await trio.open_tcp_stream("127.0.0.1", self._port))
        except OSError as error:
            raise ProcessNotStarted(f"worker {worker}: {error}") from error


async def _serve(command: list[str]) -> None:
    async def one(stream: trio.SocketStream) -> None:
        worker = subprocess.Popen(  # noqa: ASYNC220  # workers die with the thread that started them
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        output, entry = trio.lowlevel.FdStream(os.dup(worker.stdout.fileno())), worker.stdin
        sink = trio.lowlevel.FdStream(os.dup(entry.fileno()))
        entry.close()
        worker.stdout.close()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_copy, stream, sink, nursery.cancel_scope)
                nursery.start_soon(_copy, output, stream, nursery.cancel_scope)
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    sys.stdout.write(f"{listeners[0].socket.getsockname()[1]}\n")
    sys.stdout.flush()
    await trio.serve_listeners(one, listeners)


async def _copy(source: trio.abc.ReceiveStream, sink: trio.abc.SendStream, scope: trio.CancelScope) -> None:
    try:
        while data := await source.receive_some(_CHUNK):
            await sink.send_all(data)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    scope.cancel()


if __name__ == "__main__":
    trio.run(_serve, sys.argv[1:])

"""`python -m benchmarks.executors.fake_workers RECORDING`: workers that say what a real one says, as often, and do
nothing. Each connection to the port of 127.0.0.1 that is printed is one of them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.executors.recorded_frames import Recording, heartbeat
from simulator.worker.commands import Fuzz, Interrupt, Replay, Setup, Shrink, Stop, ToWorker
from simulator.worker.frame import PROTOCOL_VERSION, DoneReason
from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.reports import Done, Hello
from simulator.worker.telemetry import COVERAGE_SECONDS, HEARTBEAT_SECONDS

_READ = 1 << 16


class FakeWorker:
    """One connection."""

    def __init__(self, recording: Recording, writer: asyncio.StreamWriter) -> None:
        self._recording = recording
        self._writer = writer
        self._calls = 0
        self._said_more = 0.0
        self._work: deque[Fuzz] = deque()
        self._given = asyncio.Event()
        self._interrupted = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader) -> None:
        union: Any = ToWorker
        decoder: FrameDecoder[ToWorker] = FrameDecoder(union)
        self._writer.write(encode_frame(Hello(1, PROTOCOL_VERSION)))
        working = asyncio.create_task(self._fuzz())
        with suppress(ConnectionError):
            while data := await reader.read(_READ):
                for command in decoder.feed(data):
                    self._obey(command)
        working.cancel()
        self._writer.close()

    def _obey(self, command: ToWorker) -> None:
        match command:
            case Setup():
                self._writer.write(self._recording.ready)
            case Fuzz():
                self._work.append(command)
                self._given.set()
            case Replay() | Shrink():
                self._writer.write(encode_frame(Done(0, "finished")))
            case Interrupt():
                self._interrupted.set()
            case Stop():
                self._writer.close()

    async def _fuzz(self) -> None:
        while True:
            while not self._work:
                self._given.clear()
                await self._given.wait()
            self._interrupted.clear()
            await self._fuzz_piece(self._work.popleft().calls)
            if self._interrupted.is_set():
                for _ in range(len(self._work)):
                    self._writer.write(encode_frame(Done(0, "interrupted")))
                self._work.clear()

    async def _fuzz_piece(self, calls: int) -> None:
        now = asyncio.get_running_loop().time
        began, before = now(), self._calls
        while (left := calls / self._recording.rate - (now() - began)) > 0 and not self._interrupted.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._interrupted.wait(), min(left, HEARTBEAT_SECONDS))
            made = min(calls, int((now() - began) * self._recording.rate))
            self._calls = before + made
            more = b""
            if now() - self._said_more >= COVERAGE_SECONDS:
                self._said_more, more = now(), self._recording.second
            self._writer.write(heartbeat(self._calls) + more)
        made = self._calls - before
        reason: DoneReason = "interrupted" if self._interrupted.is_set() else "finished"
        done = encode_frame(Done(made, reason))
        self._writer.write(self._recording.end + heartbeat(self._calls) + done)


async def _main(recording: Recording) -> None:
    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await FakeWorker(recording, writer).serve(reader)

    server = await asyncio.start_server(one, "127.0.0.1", 0, backlog=1_024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    stdin = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    await stdin.read()  # ends with the process that started it
    os._exit(0)  # connections that are open would complain


if __name__ == "__main__":
    asyncio.run(_main(msgspec.msgpack.decode(Path(sys.argv[1]).read_bytes(), type=Recording)))

"""`python -m benchmarks.executors.fake_workers RECORDING`: workers that say what a real one says, as often, and do
nothing. Each connection to the port of 127.0.0.1 that is printed is one of them.

With `--finding` one of them, another each time, finds a sequence twice a second. At the end a line of JSON says after
how many seconds each of these had reached all others."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.executors.recorded_frames import Recording, heartbeat
from simulator.transaction import Transaction
from simulator.worker.commands import Adopt, Fuzz, Interrupt, Replay, Setup, Shrink, Stop, ToWorker
from simulator.worker.frame import PROTOCOL_VERSION, DoneReason
from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.reports import Done, Hello, Interesting
from simulator.worker.telemetry import COVERAGE_SECONDS, HEARTBEAT_SECONDS

FINDING_SECONDS = 0.5
_READ = 1 << 16


class Findings:
    """Sequences that fakes found, and who has them. Each has its number for calldata."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._found: dict[bytes, float] = {}
        self._reached: dict[bytes, int] = {}

    async def find(self, workers: list[FakeWorker]) -> None:
        """Until cancelled."""
        for number in itertools.count():
            await asyncio.sleep(FINDING_SECONDS)
            if len(workers) > 1 and all(worker.is_fuzzing for worker in workers):
                name = number.to_bytes(32, "big")
                self._found[name] = asyncio.get_running_loop().time()
                workers[number % len(workers)].find(Transaction(bytes(20), bytes(20), name))

    def reach(self, name: bytes, others: int) -> None:
        """Another one has it."""
        if name in self._found:
            self._reached[name] = self._reached.get(name, 0) + 1
            if self._reached[name] == others:
                self.seconds.append(asyncio.get_running_loop().time() - self._found[name])


class FakeWorker:
    """One connection."""

    def __init__(
        self, recording: Recording, writer: asyncio.StreamWriter, findings: Findings, workers: list[FakeWorker]
    ) -> None:
        self._findings = findings
        self._workers = workers
        self.is_fuzzing = False
        self._recording = recording
        self._writer = writer
        self._calls = 0
        self._said_more = 0.0
        self._work: deque[Fuzz | Adopt] = deque()
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
            case Fuzz() | Adopt():
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
            work = self._work.popleft()
            if isinstance(work, Adopt):
                self._adopt(work)
                continue
            self._interrupted.clear()
            self.is_fuzzing = True
            await self._fuzz_piece(work.calls)
            if self._interrupted.is_set():
                for left in self._work:
                    if isinstance(left, Fuzz):
                        self._writer.write(encode_frame(Done(0, "interrupted")))
                self._work.clear()

    def find(self, transaction: Transaction) -> None:
        self._writer.write(encode_frame(Interesting((transaction,), 1, 1)))

    def _adopt(self, command: Adopt) -> None:
        """As a worker does it: in its turn among the pieces."""
        for sequence in command.sequences:
            self._findings.reach(sequence[0].data, len(self._workers) - 1)

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


async def _main(recording: Recording, is_finding: bool) -> None:
    findings, workers = Findings(), list[FakeWorker]()

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        workers.append(worker := FakeWorker(recording, writer, findings, workers))
        await worker.serve(reader)
        workers.remove(worker)

    server = await asyncio.start_server(one, "127.0.0.1", 0, backlog=1_024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    stdin = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    finding = asyncio.create_task(findings.find(workers)) if is_finding else None
    await stdin.read()  # ends with the process that started it
    if finding is not None:
        sys.stdout.write(f"{json.dumps(findings.seconds)}\n")
        sys.stdout.flush()
    os._exit(0)  # connections that are open would complain


if __name__ == "__main__":
    recorded = msgspec.msgpack.decode(Path(sys.argv[1]).read_bytes(), type=Recording)
    asyncio.run(_main(recorded, "--finding" in sys.argv[2:]))

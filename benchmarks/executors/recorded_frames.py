"""Frames of a real worker, for fakes that say the same at the same pace."""

from __future__ import annotations

import os
import subprocess
import time
from typing import Any

import msgspec

from benchmarks.contestants.targets import CompiledTarget
from benchmarks.measuring.errors import BenchmarkError
from orchestrator.assembly.wiring import WORKER_COMMAND
from simulator.worker.commands import Fuzz, Setup
from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.reports import Coverage, Done, Falsified, FromWorker, FunctionCounts, Heartbeat, Observed, Ready

PIECE_SECONDS = 0.3
_FIRST_PIECE = 20_000
_READ = 1 << 16


class Recording(msgspec.Struct, frozen=True):
    """`ready` is the first frame after the greeting. `second` is what a worker says every second besides heartbeats,
    `end` what it says at the end of a piece before its last heartbeat and `Done`. All are encoded. `rate` is calls a
    second, `frames` and `size` are frames and bytes of one worker in a second."""

    ready: bytes
    second: bytes
    end: bytes
    rate: int
    frames: float
    size: float


def record(compiled: CompiledTarget, seconds: float) -> Recording:
    """Fuzz for so long, in pieces of the usual length, and keep what the last of them said. Raises `BenchmarkError`."""
    with subprocess.Popen(WORKER_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            return _record(process, compiled, seconds)
        finally:
            process.kill()


def _record(process: subprocess.Popen[bytes], compiled: CompiledTarget, seconds: float) -> Recording:
    union: Any = FromWorker
    decoder: FrameDecoder[FromWorker] = FrameDecoder(union)
    assert process.stdin is not None
    assert process.stdout is not None

    def until(kind: type[FromWorker]) -> list[FromWorker]:
        frames: list[FromWorker] = []
        while not frames or not isinstance(frames[-1], kind):
            data = os.read(process.stdout.fileno(), _READ)  # type: ignore[union-attr]  # asserted above
            if not data:
                raise BenchmarkError("the worker ended early")
            frames += decoder.feed(data)
        return frames

    def send(command: Setup | Fuzz) -> None:
        process.stdin.write(encode_frame(command))  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]

    send(Setup(0, 1, os.fsencode(compiled.project), compiled.settings))
    ready = encode_frame(until(Ready)[-1])
    piece, calls, frames, size, last = _FIRST_PIECE, 0, 0, 0, []
    began = now = time.monotonic()
    while now - began < seconds:
        send(Fuzz(piece))
        last = until(Done)
        done, before, now = last[-1], now, time.monotonic()
        assert isinstance(done, Done)
        calls, frames, size = calls + done.calls, frames + len(last), size + sum(map(len, map(encode_frame, last)))
        piece = max(1_000, int(done.calls / (now - before) * PIECE_SECONDS))
        if any(isinstance(frame, Falsified) for frame in last):
            raise BenchmarkError("the target of a recording must hold")
    passed = now - began
    counts = [frame for frame in last if isinstance(frame, Coverage | FunctionCounts)]
    seen = [frame for frame in last if isinstance(frame, Observed)]
    second = b"".join(map(encode_frame, counts[-2:]))
    end = b"".join(map(encode_frame, (*counts[-2:], *seen[-1:])))
    return Recording(ready, second, end, int(calls / passed), frames / passed, size / passed)


def heartbeat(calls: int) -> bytes:
    """As a worker says it after so many calls."""
    return encode_frame(Heartbeat(calls, calls // 100, calls // 10, calls * 30_000))

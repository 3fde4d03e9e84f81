"""The supervisor's end of one worker process."""

from __future__ import annotations

import os
import subprocess
import sys

from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.reports import FromWorker


class WorkerPeer:
    """A worker process, and the frames that it has sent."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "simulator.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._decoder: FrameDecoder[FromWorker] = FrameDecoder(FromWorker)  # type: ignore[arg-type]
        self._frames: list[FromWorker] = []

    def close(self) -> None:
        with self.process:
            self.process.kill()

    def send(self, *frames: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(encode_frame, frames)))
        self.process.stdin.flush()

    def until(self, kind: type) -> list[FromWorker]:
        """All frames up to and including the next one of a kind; those before it too."""
        assert self.process.stdout is not None
        while not any(isinstance(frame, kind) for frame in self._frames):
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, f"the worker ended with {self.process.wait()}"
            self._frames += self._decoder.feed(data)
        index = next(i for i, frame in enumerate(self._frames) if isinstance(frame, kind))
        seen, self._frames = self._frames[: index + 1], self._frames[index + 1 :]
        return seen

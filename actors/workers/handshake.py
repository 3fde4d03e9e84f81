"""Handshake between a worker process and its actor: greeting, setup, and description of the target."""

from __future__ import annotations

from contextlib import suppress

import trio

from actors.runtime.errors import WorkerLost
from actors.workers.frames import FrameReader
from actors.workers.process import WorkerProcess
from actors.workers.router import FrameRouter
from actors.workers.services import WorkerLimits
from simulator.errors import FrameError
from simulator.worker.commands import Setup
from simulator.worker.frame import PROTOCOL_VERSION
from simulator.worker.framing import encode_frame
from simulator.worker.reports import Failed, FromWorker, Heartbeat, Hello, Ready, Warn


async def greet(process: WorkerProcess, frames: FrameReader, limits: WorkerLimits, index: int) -> None:
    """Await the process's first frame. Raises `WorkerStuck`, and `WorkerLost` for one of another protocol."""
    hello = await frames.expect(Hello, limits.hello)
    if hello.protocol != PROTOCOL_VERSION:
        raise WorkerLost(f"worker {index} speaks protocol {hello.protocol}, not {PROTOCOL_VERSION}")


async def set_up(
    process: WorkerProcess, frames: FrameReader, limits: WorkerLimits, setup: Setup, router: FrameRouter
) -> Ready:
    """Have the process deploy the target. Raises as `FrameReader.expect`, `WorkerRefused` for a target that it refuses,
    and `FrameError`."""

    async def before_ready(frame: FromWorker) -> None:
        match frame:
            case Warn(message=message):
                await router.warn(message)
            case Failed():
                router.fail(frame)
            case Heartbeat():
                pass
            case _:
                raise FrameError(f"{type(frame).__name__} before Ready")

    await send(process, encode_frame(setup))
    return await frames.expect(Ready, limits.deploy, before_ready)


async def send(process: WorkerProcess, data: bytes) -> None:
    """A broken pipe is left to the reader, which sees the end of the process and can say how it ended, and to the
    watch, when the process has closed its input alone."""
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await process.send(data)

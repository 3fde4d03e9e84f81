"""How a worker process and its actor come to know each other: greeting, setup, and what the target is."""

from __future__ import annotations

from contextlib import suppress

import trio

from actors.errors import WorkerLost
from actors.frame_router import FrameRouter
from actors.worker_frames import FrameReader
from actors.worker_process import WorkerProcess
from actors.worker_services import WorkerLimits
from simulator.errors import FrameError
from simulator.worker.framing import encode_frame
from simulator.worker.protocol import PROTOCOL_VERSION, Failed, FromWorker, Heartbeat, Hello, Ready, Setup, Warn


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

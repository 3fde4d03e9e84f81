"""The bridge program: messages of the supervisor on stdin, answers on stdout. It ends when stdin does.

Ray prints to stdout and can end the process that holds it. Here neither harms anybody: what Ray prints goes to stderr,
and the supervisor hears the end of a pipe.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from actors.executors.messages import ClusterRefused, Connect, Connected, FromBridge, ToBridge
from simulator.errors import FrameError
from simulator.printable import one_line
from simulator.worker.framing import FrameDecoder, encode_frame

if TYPE_CHECKING:
    from actors.executors.ray_bridge.cluster import Cluster

_CHUNK = 1 << 20
_MAX_QUEUED = 64 << 20
_SECOND_CAUSE = " (one with token authentication needs its RAY_AUTH_MODE and RAY_AUTH_TOKEN here too)"


async def _main(reader: int, writer: int) -> None:
    loop = asyncio.get_running_loop()
    stdin = asyncio.StreamReader(limit=_CHUNK)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), os.fdopen(reader, "rb", 0))
    stdout, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(writer, "wb", 0))

    gathered = bytearray()

    def tell(message: FromBridge) -> None:
        """All that one answer of a node causes leaves in one piece, so that the supervisor wakes once."""
        if not gathered:
            loop.call_soon(flush)
        gathered.extend(encode_frame(message))

    def flush() -> None:
        if stdout.get_write_buffer_size() > _MAX_QUEUED:
            os._exit(4)  # the supervisor hangs; credit keeps a live one far below this
        stdout.write(bytes(gathered))
        gathered.clear()

    async def _watch(cluster: Cluster) -> None:
        try:
            await cluster.watch()
        except Exception as error:  # the process boundary: without a cluster there is no bridge
            sys.stderr.write(f"the cluster is gone: {type(error).__name__}: {error}\n")
            sys.stderr.flush()
            os._exit(5)

    decoder: FrameDecoder[ToBridge] = FrameDecoder(ToBridge)  # type: ignore[arg-type]  # a union
    cluster: Cluster | None = None
    watching: asyncio.Task[None] | None = None
    try:
        while data := await stdin.read(_CHUNK):
            for message in decoder.feed(data):
                if cluster is not None:
                    cluster.obey(message)
                elif isinstance(message, Connect):
                    if problem := await asyncio.to_thread(_connect, message.address):
                        tell(ClusterRefused(problem))
                        break
                    from actors.executors.ray_bridge.cluster import Cluster

                    try:
                        cluster = Cluster(message, tell)
                    except OSError as error:
                        tell(ClusterRefused(f"the project cannot be read: {error.strerror}"))
                        break
                    tell(Connected())
                    watching = asyncio.create_task(_watch(cluster))
    except FrameError as error:
        sys.stderr.write(f"{error}\n")
    if watching is not None:
        watching.cancel()
    if cluster is not None:
        cluster.close()
    flush()
    while stdout.get_write_buffer_size():  # noqa: ASYNC110  # transports of pipes tell nobody that they are empty
        await asyncio.sleep(0.01)


def _connect(address: str) -> str:
    """Connect to the cluster. Empty when that worked, else the reason."""
    import ray

    try:
        ray.init(
            address=address,
            log_to_driver=False,
            configure_logging=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:  # the process boundary: whatever a cluster answers must reach the user as a line
        text = str(error).strip()
        reason = one_line(text.splitlines()[0]) if text else type(error).__name__
        return f"the Ray cluster refuses: {reason}{_SECOND_CAUSE if isinstance(error, ConnectionError) else ''}"
    return ""


def main() -> int:
    reader, writer = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    with suppress(BrokenPipeError, ConnectionResetError):
        asyncio.run(_main(reader, writer))
    sys.stderr.flush()
    os._exit(0)  # Ray's own end can take long, or abort


if __name__ == "__main__":
    sys.exit(main())

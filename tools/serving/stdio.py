"""MCP over stdin and stdout on trio, without threads, so that it can be cancelled at any moment.

The SDK's own stdio server reads in a thread that trio cannot abandon. While this one serves, file descriptor 0 is
/dev/null and 1 is stderr, so that neither a stray `print` nor a child process can disturb the protocol.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
import trio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

LONGEST_LINE = 8 << 20
FLUSH_SECONDS = 0.5
PIPE_BYTES = 1 << 20
"""What a pipe to the client may hold, so that a long answer is one write and not a turn of both sides for each 64 KiB,
which takes long where every core is busy. The most that Linux allows everybody."""
Received = SessionMessage | Exception


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until it closes its end. May be cancelled."""
    async with stdio_streams() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options(NotificationOptions()))


@asynccontextmanager
async def stdio_streams(
    longest_line: int = LONGEST_LINE,
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Received], MemoryObjectSendStream[SessionMessage]]]:
    """The process's stdin and stdout as streams of messages. Lines that are no messages arrive as exceptions; one
    longer than `longest_line` bytes ends the connection."""
    wire_in, wire_out = _taken_over()
    into, incoming = anyio.create_memory_object_stream[Received](0)
    outgoing, out_of = anyio.create_memory_object_stream[SessionMessage](0)
    reader, writer = trio.lowlevel.FdStream(wire_in), trio.lowlevel.FdStream(wire_out)
    unanswered = _Unanswered()
    async with reader, writer, trio.open_nursery() as nursery:
        nursery.start_soon(_read, reader, into, longest_line, unanswered)
        nursery.start_soon(_write, writer, out_of, unanswered)
        try:
            yield incoming, outgoing
        finally:
            outgoing.close()
            nursery.cancel_scope.deadline = trio.current_time() + FLUSH_SECONDS


class _Unanswered:
    """Requests that have not been answered. The SDK cancels them at the end of input, so that it is held back for a
    moment: what was piped in gets its answers."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._none = trio.Event()

    def note_incoming(self, message: Received) -> None:
        if isinstance(message, SessionMessage) and isinstance(message.message, types.JSONRPCRequest):
            self._ids.add(message.message.id)

    def note_outgoing(self, message: SessionMessage) -> None:
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError) and message.message.id is not None:
            self._ids.discard(message.message.id)
            if not self._ids:
                self._none.set()

    async def wait_for_none(self) -> None:
        """Until everything is answered, but not long."""
        with trio.move_on_after(FLUSH_SECONDS):
            while self._ids:
                self._none = trio.Event()
                await self._none.wait()


def _taken_over() -> tuple[int, int]:
    wire_in, wire_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    with suppress(OSError):  # what is no pipe stays as it is
        fcntl.fcntl(wire_out, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return wire_in, wire_out


async def _read(
    reader: trio.abc.ReceiveStream, into: MemoryObjectSendStream[Received], longest_line: int, unanswered: _Unanswered
) -> None:
    async with into:
        async with aclosing(_lines(reader, longest_line)) as lines:
            async for line in lines:
                message = _parsed(line)
                unanswered.note_incoming(message)
                await into.send(message)
        await unanswered.wait_for_none()


async def _lines(reader: trio.abc.ReceiveStream, longest_line: int) -> AsyncGenerator[bytes, None]:
    """Lines that are not empty; ends with the input, or at one that is too long."""
    pending = bytearray()
    async for chunk in reader:
        start = len(pending)
        pending += chunk
        while (end := pending.find(b"\n", start)) >= 0:
            line = bytes(pending[:end])
            del pending[: end + 1]
            start = 0
            if line.strip():
                yield line
        if len(pending) > longest_line:
            return


def _parsed(line: bytes) -> Received:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValidationError as error:
        return error


async def _write(
    writer: trio.abc.SendStream, out_of: MemoryObjectReceiveStream[SessionMessage], unanswered: _Unanswered
) -> None:
    async with out_of:
        async for message in out_of:
            line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await writer.send_all(line.encode() + b"\n")
            except trio.BrokenResourceError:
                return
            unanswered.note_outgoing(message)

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

from tools.serving.json_lines import MAX_LINE_LENGTH, LineRefusal, LineTooLong, lines_of, parsed, rendered
from tools.serving.library_logs import take_over_library_logs

FLUSH_SECONDS = 0.5
PIPE_BYTES = 1 << 20
"""What a pipe to the client may hold, so that a long answer is one write and not a turn of both sides for each 64 KiB,
which takes long where every core is busy. The most that Linux allows everybody."""
MAX_UNREAD = 64
"""Answers that wait for the client to read; while there are as many, nothing more is read from it."""
Received = SessionMessage | Exception


async def serve_stdio(server: Server[Any], flush_seconds: float = FLUSH_SECONDS) -> None:
    """Serve one client until it closes its end; what it has asked then has `flush_seconds` to be answered. May be
    cancelled."""
    take_over_library_logs()
    async with stdio_streams(flush_seconds=flush_seconds) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options(NotificationOptions()))


@asynccontextmanager
async def stdio_streams(
    longest_line: int = MAX_LINE_LENGTH, flush_seconds: float = FLUSH_SECONDS
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Received], MemoryObjectSendStream[SessionMessage]]]:
    """The process's stdin and stdout as streams of messages. A line that is no message, or longer than `longest_line`
    bytes, is answered with an error here and goes no further."""
    wire_in, wire_out = _taken_over()
    into, incoming = anyio.create_memory_object_stream[Received](0)
    outgoing, out_of = anyio.create_memory_object_stream[SessionMessage](0)
    reader, writer = trio.lowlevel.FdStream(wire_in), trio.lowlevel.FdStream(wire_out)
    unanswered, backlog = _Unanswered(flush_seconds), _Backlog(outgoing.clone())
    async with reader, writer, trio.open_nursery() as nursery:
        nursery.start_soon(_read, lines_of(reader, longest_line), into, backlog, unanswered)
        nursery.start_soon(_write, writer, out_of, backlog, unanswered)
        try:
            yield incoming, outgoing
        finally:
            outgoing.close()
            nursery.cancel_scope.deadline = trio.current_time() + flush_seconds


class _Unanswered:
    """Requests that have not been answered. The SDK cancels them at the end of input, so that it is held back for a
    moment: what was piped in gets its answers."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ids: set[str | int] = set()
        self._none = trio.Event()

    def note_incoming(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)

    def note_outgoing(self, message: SessionMessage) -> None:
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError) and message.message.id is not None:
            self._ids.discard(message.message.id)
            if not self._ids:
                self._none.set()

    async def wait_for_none(self) -> None:
        """Until everything is answered, but not long."""
        with trio.move_on_after(self._seconds):
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
    lines: AsyncGenerator[bytes | LineTooLong, None],
    into: MemoryObjectSendStream[Received],
    backlog: _Backlog,
    unanswered: _Unanswered,
) -> None:
    async with into, backlog:
        async with aclosing(lines):
            async for line in lines:
                await backlog.wait_for_room()
                message = parsed(line)
                if isinstance(message, LineRefusal):
                    await backlog.answer(message)
                else:
                    unanswered.note_incoming(message)
                    await into.send(SessionMessage(message))
        await unanswered.wait_for_none()


class _Backlog:
    """Answers that the client has not read yet."""

    def __init__(self, outgoing: MemoryObjectSendStream[SessionMessage]) -> None:
        self._outgoing = outgoing
        self._written = trio.Event()

    async def __aenter__(self) -> _Backlog:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._outgoing.close()

    async def answer(self, refusal: LineRefusal) -> None:
        """Answer in the place of the SDK."""
        with suppress(anyio.BrokenResourceError):  # the reader is gone
            await self._outgoing.send(SessionMessage(refusal.answer))

    async def wait_for_room(self) -> None:
        """Until the client has read most of its answers."""
        while self._outgoing.statistics().tasks_waiting_send >= MAX_UNREAD:
            await self._written.wait()

    def note_written(self) -> None:
        self._written.set()
        self._written = trio.Event()


async def _write(
    writer: trio.abc.SendStream,
    out_of: MemoryObjectReceiveStream[SessionMessage],
    backlog: _Backlog,
    unanswered: _Unanswered,
) -> None:
    try:
        async with out_of:
            async for message in out_of:
                try:
                    await writer.send_all(rendered(message.message) + b"\n")
                except trio.BrokenResourceError:
                    return
                unanswered.note_outgoing(message)
                backlog.note_written()
    finally:
        backlog.note_written()

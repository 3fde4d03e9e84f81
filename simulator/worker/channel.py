"""A worker's side of its pipes: whole frames out, commands in, without waiting where that is asked for."""

from __future__ import annotations

import os
import select
from collections import deque
from typing import Any

from simulator.worker.commands import Fuzz, Interrupt, Steering, Stop, ToWorker
from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.reports import FromWorker

READ_SIZE = 1 << 16


class Channel:
    """Frames over two file descriptors. Raises `FrameError` when the peer does not keep to the protocol."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader = reader
        self._writer = writer
        union: Any = ToWorker
        self._decoder: FrameDecoder[ToWorker] = FrameDecoder(union)
        self._pending: deque[ToWorker] = deque()
        self._ahead: deque[Fuzz] = deque()
        self._closed = False

    def send(self, frame: FromWorker) -> None:
        """Write one frame; blocks while the pipe is full. Raises `BrokenPipeError` when the peer is gone."""
        data = memoryview(encode_frame(frame))
        while data:
            data = data[os.write(self._writer, data) :]

    def next_command(self) -> ToWorker | None:
        """The next command, waiting for it; None at the end of the stream. Work that was given ahead comes last."""
        while not self._pending:
            if (ahead := self.take_ahead()) is not None:
                return ahead
            if self._closed:
                return None
            self._read()
        return self._pending.popleft()

    def take_ahead(self) -> Fuzz | None:
        """Take the work that was given ahead first, if there is any; it is not among the next commands then. There are
        two while commands are obeyed between two pieces."""
        return self._ahead.popleft() if self._ahead else None

    def is_interrupted(self) -> bool:
        """Without waiting: whether a `Stop`, an `Interrupt` or the end of the stream asks to end the current work.
        Once true, it stays true until `end_work`."""
        while not self._closed and select.select([self._reader], [], [], 0)[0]:
            self._read()
        return self._closed or any(isinstance(command, Stop | Interrupt) for command in self._pending)

    def has_waiting(self) -> bool:
        """Without waiting: whether there is a command, or the end of the stream, read or not. Work given ahead does
        not count once it is read. Any thread may ask."""
        return self._closed or bool(self._pending) or bool(select.select([self._reader], [], [], 0)[0])

    def has_steering(self) -> bool:
        """Without waiting for any: whether a command is there that acts before the current work ends. Only what
        `is_interrupted` has read counts."""
        return any(isinstance(command, Steering) for command in self._pending)

    def take_steering(self) -> list[Steering]:
        """Take the steering commands, in order; they are not among the next commands then."""
        taken = [command for command in self._pending if isinstance(command, Steering)]
        if taken:
            self._pending = deque(command for command in self._pending if not isinstance(command, Steering))
        return taken

    def end_work(self) -> None:
        """The current work has ended, and with it the interrupts that were meant for it. One stays as long as work
        that was given ahead is still to hear of it."""
        kept: deque[ToWorker] = deque(each for each in self._pending if not isinstance(each, Interrupt))
        if self._ahead and len(kept) < len(self._pending):
            kept.appendleft(Interrupt())
        self._pending = kept

    def _read(self) -> None:
        data = os.read(self._reader, READ_SIZE)
        if not data:
            self._closed = True
        for command in self._decoder.feed(data):
            if isinstance(command, Fuzz) and command.ahead:
                self._ahead.append(command)
            else:
                self._pending.append(command)

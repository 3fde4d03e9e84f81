"""Single keys from a terminal, which is put back as it was on every way out.

The terminal's driver still makes signals of Ctrl-C and Ctrl-Z. Whatever program shares the terminal, such as a shell,
has its modes back while the program is stopped. In the background nothing is read and nothing is set: both would stop
the program.
"""

from __future__ import annotations

import os
import re
import signal
import termios
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import trio

from orchestrator.interrupts import at_sudden_end

_FROM_BACKGROUND: Final = (signal.SIGTTIN, signal.SIGTTOU)
_BACKGROUND_SECONDS: Final = 1.0
_LOCAL_MODES: Final = 3
_MAX_KEYS: Final = 64
_SEQUENCE: Final = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~])")
SHOW_CURSOR: Final = b"\x1b[?25h"
HIDE_CURSOR: Final = b"\x1b[?25l"


class Keyboard:
    """The terminal behind a descriptor, of which keys come one by one while it is `open`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before: list[Any] | None = None
        self._is_open = False

    @property
    def in_foreground(self) -> bool:
        """Return whether the terminal listens to this program's group of processes."""
        try:
            return os.tcgetpgrp(self._descriptor) == os.getpgrp()
        except OSError:
            return False

    @contextmanager
    def open(self) -> Iterator[None]:
        """Take keys without their echo and without waiting for the end of a line, until the block ends."""
        self._is_open = True
        with at_sudden_end(self.give_back):
            try:
                self.take()
                yield
            finally:
                # A key that is read meanwhile no longer takes the terminal.
                self._is_open = False
                self.give_back()

    def take(self) -> None:
        """Set the modes, unless they are set, the program is in the background, or the terminal is not `open`."""
        if self._before is not None or not self._is_open or not self.in_foreground:
            return
        with suppress(termios.error, OSError), _not_stopped():
            modes = termios.tcgetattr(self._descriptor)
            # Known before they change: a signal that ends the program at once may come between any two steps.
            self._before = termios.tcgetattr(self._descriptor)
            modes[_LOCAL_MODES] &= ~(termios.ICANON | termios.ECHO)
            modes[-1][termios.VMIN], modes[-1][termios.VTIME] = 1, 0
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, modes)

    def give_back(self) -> None:
        """Set the modes as they were."""
        if self._before is not None:
            # Unread keys are dropped: they were meant for this program, and the shell would run them.
            with suppress(termios.error, OSError), _not_stopped():
                termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, self._before)
            self._before = None

    async def keys(self) -> AsyncIterator[str]:
        """Keys until the terminal is gone. What arrow and function keys send is dropped."""
        while True:
            if not self.in_foreground:
                await trio.sleep(_BACKGROUND_SECONDS)
                continue
            self.take()
            with trio.move_on_after(_BACKGROUND_SECONDS) as waiting:
                await trio.lowlevel.wait_readable(self._descriptor)
            if waiting.cancelled_caught or not self.in_foreground:
                continue
            try:
                with _not_stopped():
                    data = os.read(self._descriptor, _MAX_KEYS)
            except OSError:
                return
            if not data:
                return
            for key in _plain_keys(data):
                yield key

    async def follow_stops(self, output: int, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Give the terminal back while the program is stopped by Ctrl-Z, and take it again when it continues. `output`
        is the descriptor that the picture is drawn on. Start it before the terminal is `open`."""
        with trio.open_signal_receiver(signal.SIGTSTP, signal.SIGCONT) as signals:
            task_status.started()
            async for number in signals:
                if number == signal.SIGCONT:
                    self.take()
                    _write(output, HIDE_CURSOR)
                else:
                    self.give_back()
                    _write(output, SHOW_CURSOR + b"\r\n")
                    os.kill(os.getpid(), signal.SIGSTOP)


def _plain_keys(data: bytes) -> str:
    return _SEQUENCE.sub(b"", data).decode("ascii", "ignore")


def _write(descriptor: int, data: bytes) -> None:
    with suppress(OSError):
        os.write(descriptor, data)


@contextmanager
def _not_stopped() -> Iterator[None]:
    """Let what only the foreground may do fail in the background, which would stop the program otherwise."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _FROM_BACKGROUND)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

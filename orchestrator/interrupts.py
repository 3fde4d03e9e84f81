"""SIGINT, SIGTERM and SIGHUP: from the first line of the program to the last, each leads to a documented exit code.

The program is always in one phase. A phase hands a number of signals to its listener; one more ends the process at
once. `main` installs the handlers, which stay until the process has ended. Nothing raises `KeyboardInterrupt`, so no
library is interrupted in the middle of its work. This module is loaded before all others and imports nothing heavy.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn, TypeVar

INTERRUPTED = 130
MAX_SIGNALS = 3
"""Signals that a listener gets in its time."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SHOW_CURSOR = b"\x1b[?25h"
Result = TypeVar("Result")


def _nothing() -> None:
    """The listener of a phase in which a signal is held."""


@dataclass
class _Phase:
    """`left` signals go to `listener`; one more ends the process with what `exit_code` returns."""

    left: int = 0
    listener: Callable[[], None] = _nothing
    exit_code: Callable[[], int] = lambda: INTERRUPTED

    def receive(self) -> None:
        if not self.left:
            end_at_once(self.exit_code())
        self.left -= 1
        self.listener()


# The last phase is current. The first is that of the program outside any `listening` block.
_phases = [_Phase()]
_last_acts: list[Callable[[], None]] = []


def handled_signals() -> tuple[signal.Signals, ...]:
    """SIGINT, SIGTERM and SIGHUP; the last one not where `nohup` or the like has it ignored."""
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return tuple(number for number in _SIGNALS if number is not signal.SIGHUP or not is_ignored)


def install() -> None:
    """Handle the signals until the process ends. Before a campaign or server listens, the first ends the process."""
    for number in handled_signals():
        signal.signal(number, _handle)


def _handle(_number: int, _frame: FrameType | None) -> None:
    _phases[-1].receive()


@contextmanager
def listening(
    listener: Callable[[], None], *, signals: int = MAX_SIGNALS, exit_code: Callable[[], int] = lambda: INTERRUPTED
) -> Iterator[None]:
    """Hand the next `signals` to `listener`, which is called between two bytecodes of the main thread. One more ends
    the process at once with `exit_code()`. Where `install` was not called, the handlers are there for the block only.
    Outside of the main thread, which alone may handle signals, nothing is handed over."""
    phase = _Phase(signals, listener, exit_code)
    with _handlers():
        _phases.append(phase)
        try:
            yield
        finally:
            _phases.remove(phase)


@contextmanager
def _handlers() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in handled_signals()}
    for number in before:
        signal.signal(number, _handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def at_sudden_end(callback: Callable[[], None]) -> Iterator[None]:
    """Within the block, call this before the process ends at once, such as to put a terminal back."""
    _last_acts.append(callback)
    try:
        yield
    finally:
        _last_acts.remove(callback)


def conclude(exit_code: int) -> None:
    """The exit code is decided, and what remains is to write the result. The next signal is held; one more ends the
    process at once with this code."""
    _phases[0] = _Phase(1, exit_code=lambda: exit_code)


def leave(exit_code: int) -> NoReturn:
    """End the process as Python does, but with signals handled to the very end: its own finalization puts the default
    actions back long before the process is gone. Both streams must be flushed."""
    conclude(exit_code)
    import atexit

    atexit._run_exitfuncs()
    os._exit(exit_code)


def end_at_once(exit_code: int) -> NoReturn:
    """End this process and all that it has started, whatever it is doing."""
    # Whatever fails here, the process ends with its code.
    for act in _last_acts:
        with suppress(Exception):
            act()
    with suppress(Exception):
        _say_interrupted()
    with suppress(Exception):
        _kill_descendants()
    os._exit(exit_code)


def _say_interrupted() -> None:
    import select

    # A full pipe may have no reader.
    if select.select([], [2], [], 0)[1]:
        os.write(2, _SHOW_CURSOR + b"interrupted\n" if os.isatty(2) else b"interrupted\n")


def _kill_descendants() -> None:
    import psutil

    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            process.kill()


def run_native(function: Callable[[], Result]) -> Result:
    """Call a function that stays in compiled code for long, in another thread: Python handles signals in the main
    thread only, between bytecodes. The compiled code must release the interpreter lock."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        # Raised again below, in the thread of the caller.
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]

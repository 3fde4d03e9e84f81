"""The worker program. Frames come on stdin and go to stdout; the program ends with its parent."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from contextlib import suppress
from typing import assert_never

from simulator.errors import CallStoppedError, SimulatorError
from simulator.fuzz.sharing.shared_memory import inherited_memory
from simulator.lifetime import die_with_parent
from simulator.worker.channel import Channel
from simulator.worker.commands import (
    AddWords,
    Adopt,
    CloseTest,
    Execute,
    Focus,
    Fuzz,
    Inject,
    Interrupt,
    Replay,
    SetClamps,
    SetTemplates,
    Setup,
    Shrink,
    Stop,
    Together,
    ToWorker,
)
from simulator.worker.frame import PROTOCOL_VERSION
from simulator.worker.pauses import PauseTimer
from simulator.worker.reports import Failed, Hello, Warn
from simulator.worker.session import Session
from simulator.worker.setup import build_worker

EXIT_OK, EXIT_FAILED = 0, 3


def main() -> int:
    """Serve one campaign until told to stop. Returns the exit code."""
    parent = os.getppid()
    die_with_parent(parent, EXIT_FAILED)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = _open_channel()
    try:
        channel.send(Hello(os.getpid(), PROTOCOL_VERSION))
        with PauseTimer(channel) as pauses:
            return _serve(channel, pauses)
    except (BrokenPipeError, CallStoppedError):  # the latter where nothing but leaving can follow, as in a constructor
        return EXIT_OK
    except SimulatorError as error:
        return _fail(channel, error.code, str(error))
    except Exception as error:  # the process boundary: a bug must reach the supervisor as a frame
        traceback.print_exc()
        return _fail(channel, "E_BUG", f"{type(error).__name__}: {error}")


def _serve(channel: Channel, pauses: PauseTimer) -> int:
    session: Session | None = None
    memory = inherited_memory()
    while (command := channel.next_command()) is not None:
        if isinstance(command, Stop):
            break
        if isinstance(command, Setup):
            worker = build_worker(command, lambda text: channel.send(Warn(text)), memory, watch=pauses.watch)
            session = Session(worker, channel)
            channel.send(session.ready())
        elif session is not None:
            _obey(session, command)
        else:
            return _fail(channel, "E_FRAME", f"{type(command).__name__} before Setup")
    return EXIT_OK


def _obey(session: Session, command: ToWorker) -> None:
    match command:
        case Fuzz():
            session.fuzz(command)
        case Replay():
            session.replay(command)
        case Shrink():
            session.shrink(command)
        case Execute() | Inject() | Focus() | AddWords() | SetTemplates() | SetClamps() | Together():
            session.steer(command)
        case Adopt():
            session.adopt(command)
        case CloseTest(test=test, site=site):
            session.close_test(test, site)
        case Interrupt():
            session.drop_ahead()
        case Setup() | Stop():
            pass
        case _:
            assert_never(command)


def _open_channel() -> Channel:
    """Take stdin and stdout for frames; stray prints then go to stderr and cannot corrupt the stream."""
    reader, writer = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return Channel(reader, writer)


def _fail(channel: Channel, code: str, message: str) -> int:
    with suppress(OSError):
        channel.send(Failed(code, message))
    return EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())

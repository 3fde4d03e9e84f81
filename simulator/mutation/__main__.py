"""The program that tries mutants, each in a process forked from one that has everything loaded. Frames come on stdin
and go to stdout; the program ends with its parent."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any

import msgspec

from simulator.encoding import encode_msgpack
from simulator.errors import SimulatorError
from simulator.lifetime import die_with_parent
from simulator.mutation.frames import Begin, Begun, FromTrier, Kill, TargetRefused, TestName, ToTrier, Tried, Try
from simulator.mutation.mutant import Mutant
from simulator.mutation.trial import Original, TrialLimits, try_mutant
from simulator.transaction import Sequence
from simulator.worker.framing import FrameDecoder, encode_frame

EXIT_OK, EXIT_FAILED = 0, 3
READ_SIZE = 1 << 16
MAX_RETRIES = 8
"""Trials of one mutant, each without a test more that fails on the code as it is."""
GRACE, SHARE = 60.0, 20.0
"""A trial has its own ends, in processor time. This bounds one that does not keep them, by the clock, on a machine that
gives it one part of so many."""


def main() -> int:
    """Serve until the end of stdin. Returns the exit code."""
    die_with_parent(os.getppid(), EXIT_FAILED)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reader, writer = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    try:
        _serve(reader, writer)
    except BrokenPipeError:
        return EXIT_OK
    except SimulatorError as error:
        return _fail(writer, error.code, str(error))
    except Exception as error:  # the process boundary: a bug must reach the supervisor as a frame
        traceback.print_exc()
        return _fail(writer, "E_BUG", f"{type(error).__name__}: {error}")
    return EXIT_OK


def _serve(reader: int, writer: int) -> None:
    trier: _Trier | None = None
    for frame in _frames(reader):
        if isinstance(frame, Begin):
            trier = _Trier(frame)
            _send(writer, trier.begun())
        elif trier is not None:
            _send(writer, trier.attempt(frame))


def _frames(reader: int) -> Iterator[ToTrier]:
    union: Any = ToTrier
    decoder: FrameDecoder[ToTrier] = FrameDecoder(union)
    while data := os.read(reader, READ_SIZE):
        yield from decoder.feed(data)


class _Trier:
    def __init__(self, begin: Begin) -> None:
        self._setup = begin.setup
        self._mutants = msgspec.msgpack.decode(_read(begin.mutants), type=tuple[Mutant, ...])
        self._corpus = msgspec.msgpack.decode(_read(begin.corpus), type=tuple[Sequence, ...])
        self._original = Original.deploy(begin.setup, self._corpus)
        self._failing = set(self._original.failing)
        self._limits = TrialLimits(begin.calls, begin.seconds, begin.attempts, self._original.seconds)

    def begun(self) -> Begun:
        original = self._original
        return Begun(
            tuple(TestName(oracle.name, oracle.contract) for oracle in original.trial.worker.oracles),
            original.failing,
            original.reached(self._mutants),
            original.trial.calls,
            original.seconds,
            original.trial.worker.deployment.labels(),
        )

    def attempt(self, command: Try) -> Tried:
        """Try a mutant. Where a test would have failed without it, it is tried again without that test."""
        left_out = set(self._failing)
        for _ in range(MAX_RETRIES):
            tried = self._fork(command.index, frozenset(left_out))
            anyway = {kill.test for kill in tried.kills if not self._original.passes(kill.test, kill.found)}
            if not anyway:
                return msgspec.structs.replace(tried, kills=tuple(map(self._settled, tried.kills)))
            left_out |= anyway
        return msgspec.structs.replace(tried, status="survived", kills=(), note="tests that fail anyway are too many")

    def _settled(self, kill: Kill) -> Kill:
        """The kill with a sequence that the code as it is passes: the shrunk one, unless that fails there too."""
        is_good = kill.sequence == kill.found or self._original.passes(kill.test, kill.sequence)
        return Kill(kill.test, kill.sequence if is_good else kill.found, kill.reason)

    def _fork(self, index: int, failing: frozenset[str]) -> Tried:
        """One trial in a process of its own, which leaves nothing behind."""
        reader, writer = os.pipe()
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            os.close(reader)
            with suppress(BaseException):
                die_with_parent(parent, EXIT_FAILED)
                self._try_here(index, failing, writer)
            os._exit(0)
        os.close(writer)
        try:
            return self._await(index, reader, child)
        finally:
            os.close(reader)
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def _try_here(self, index: int, failing: frozenset[str], writer: int) -> None:
        try:
            mutant, places = self._mutants[index], self._original.places
            tried = try_mutant(index, mutant, self._setup, self._corpus, self._limits, failing, places)
        except SimulatorError as error:
            tried = Tried(index, "survived", (), 0, f"its trial failed: {error}")
        with os.fdopen(writer, "wb") as file:
            file.write(encode_msgpack(tried))

    def _await(self, index: int, reader: int, child: int) -> Tried:
        limits = self._limits
        deadline = time.monotonic() + GRACE + SHARE * (limits.seconds + 20 * max(limits.replay, 1.0))
        answer = b""
        while (left := deadline - time.monotonic()) > 0 and select([reader], [], [], left)[0]:
            data = os.read(reader, READ_SIZE)
            if not data:
                break
            answer += data
        else:
            return Tried(index, "survived", (), 0, "its trial did not end and was given up")
        try:
            return msgspec.msgpack.decode(answer, type=Tried)
        except msgspec.DecodeError:
            return Tried(index, "survived", (), 0, "its trial ended without an answer")


def _read(path: bytes) -> bytes:
    return Path(os.fsdecode(path)).read_bytes()


def _send(writer: int, frame: FromTrier) -> None:
    data = memoryview(encode_frame(frame))
    while data:
        data = data[os.write(writer, data) :]


def _fail(writer: int, code: str, message: str) -> int:
    with suppress(OSError):
        _send(writer, TargetRefused(code, message))
    return EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())

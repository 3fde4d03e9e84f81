"""Runs files of state tests in processes, one file at a time in each."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import msgspec

from simulator.evm.kernel_entry import Kernel
from simulator.evm.statetest.cases import StateTestError
from simulator.evm.statetest.runner import CaseResult, run_file
from simulator.evm.statetest.values import NoTestError
from simulator.lifetime import die_with_parent

Load = Callable[[], Kernel]
_CONTEXT = multiprocessing.get_context("spawn")


class FileResult(msgspec.Struct, frozen=True):
    """Results of the cases of a file. `refused` says why it is not a state test, `died` what broke while it ran;
    what came before still counts. With `is_foreign`, what was refused is no test at all."""

    path: Path
    results: tuple[CaseResult, ...] = ()
    refused: str = ""
    died: str = ""
    is_foreign: bool = False


def run_files(files: Sequence[Path], fork: str | None, workers: int, load: Load) -> Generator[FileResult]:
    """Run every file, in as many processes as given, at most one a file; results come as they are ready.

    `load` gives each process its kernel. A process that dies costs the file that it ran, and is replaced. Closing
    the generator ends the processes at once.
    """
    waiting = list(reversed(files))
    busy: dict[Connection, _Worker] = {}
    idle = [_Worker(fork, load) for _ in range(min(workers, len(files)))]
    everyone = list(idle)
    try:
        while waiting or busy:
            while idle and waiting:
                worker = idle.pop()
                worker.begin(waiting.pop())
                busy[worker.connection] = worker
            for connection in wait(list(busy)):
                worker = busy.pop(connection)  # type: ignore[call-overload]
                result = worker.result()
                if not worker.is_alive:
                    worker = _Worker(fork, load)
                    everyone.append(worker)
                idle.append(worker)
                yield result
    finally:
        for worker in everyone:
            worker.end()


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, fork: str | None, load: Load) -> None:
        self.connection, theirs = _CONTEXT.Pipe()
        self._path = Path()
        self._process: BaseProcess = _CONTEXT.Process(
            target=_serve, args=(theirs, fork, load, os.getpid()), daemon=True
        )
        # Ctrl-C goes to every process of a terminal, and this one must not hear it, not even while it loads modules.
        # The tracker, which multiprocessing starts with the first process, would unblock the signal.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.is_alive = True
        theirs.close()

    def begin(self, path: Path) -> None:
        self._path = path
        # A process that has died is noticed when its result is asked for.
        with suppress(OSError):
            self.connection.send(path)

    def result(self) -> FileResult:
        try:
            answer: FileResult = self.connection.recv()
        except (EOFError, OSError):
            self.is_alive = False
            self._process.join()
            return FileResult(self._path, died=f"the process that ran it ended with {self._process.exitcode}")
        return answer

    def end(self) -> None:
        self.connection.close()
        self._process.terminate()
        self._process.join()


def _serve(connection: Connection, fork: str | None, load: Load, parent: int) -> None:
    """The process: run each file whose path comes, until the pipe closes. Interrupts are its parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent, 0)
    kernel = load()
    with suppress(EOFError, OSError):
        while True:
            connection.send(_run(kernel, connection.recv(), fork))


def _run(kernel: Kernel, path: Path, fork: str | None) -> FileResult:
    results: list[CaseResult] = []
    refused = died = ""
    is_foreign = False
    try:
        for result in run_file(kernel, path, fork):
            results.append(result)  # noqa: PERF402 - what came before an error counts
    except StateTestError as error:
        refused, is_foreign = str(error), isinstance(error, NoTestError)
    # A bug that one case brings to light must not hide what the other files come to.
    except Exception as error:
        died = f"internal error: {type(error).__name__}: {error}"
    return FileResult(path, tuple(results), refused, died, is_foreign)

"""The port through which compilers, npm and forge are started, and its default over `subprocess`."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from simulator.errors import CompileError

MAX_OUTPUT = 512 * 2**20
_CHUNK = 1 << 20


class ProcessResult(msgspec.Struct, frozen=True):
    """How a process ended and everything it wrote."""

    returncode: int
    stdout: bytes
    stderr: bytes


class ProcessError(CompileError):
    """A process could not be started, ran over its time, or wrote more than is accepted."""


class Runner(Protocol):
    """Runs one process to its end, without a shell, and blocks meanwhile.

    Raises `ProcessError` when it cannot be started or breaks a limit. An implementation may raise anything else to
    cancel the compilation it is called from; nothing here catches that.
    """

    def __call__(self, argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float) -> ProcessResult: ...


def run_process(argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float) -> ProcessResult:
    """The `Runner` over `subprocess`: at most `timeout` seconds and `MAX_OUTPUT` bytes, then the whole process group
    is killed."""
    with tempfile.TemporaryFile() as source:
        source.write(stdin)
        source.seek(0)
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                start_new_session=True,
            )
        except OSError as error:
            raise ProcessError(f"{argv[0]} cannot be started: {error.strerror}") from error
    with process:
        try:
            return _collect(process, argv[0], time.monotonic() + timeout)
        except BaseException:
            _kill_group(process)
            raise


def _collect(process: subprocess.Popen[bytes], name: str, deadline: float) -> ProcessResult:
    assert process.stdout is not None
    assert process.stderr is not None
    outputs: dict[int, list[bytes]] = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    total = 0
    with selectors.DefaultSelector() as selector:
        for descriptor in outputs:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(_left(deadline, name))
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fd)
                total += len(chunk)
                outputs[key.fd].append(chunk)
            if total > MAX_OUTPUT:
                raise ProcessError(f"{name} wrote more than {MAX_OUTPUT >> 20} MiB")
    try:
        code = process.wait(_left(deadline, name))
    except subprocess.TimeoutExpired as error:
        raise ProcessError(f"{name} did not end within its time limit") from error
    stdout, stderr = (b"".join(chunks) for chunks in outputs.values())
    return ProcessResult(code, stdout, stderr)


def _left(deadline: float, name: str) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise ProcessError(f"{name} did not end within its time limit")
    return left


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

"""The port through which compilers, npm and forge are started, and its default over `subprocess`."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol, runtime_checkable

import msgspec

from simulator.errors import CompileError

MAX_OUTPUT = 256 * 2**20
"""Bytes that one compiler may write. They wait on the disk until it has ended, so that one that writes without end
takes no memory."""
ENVIRONMENT = (
    *("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "MONOTREME_CACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "SOLC_VERSION"),
)
"""The variables that compilers and package managers get: nothing that holds a secret."""
_CHUNK = 1 << 20


class ProcessResult(msgspec.Struct, frozen=True):
    """Exit of a process, and everything it wrote."""

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


@runtime_checkable
class EnvironmentRunner(Protocol):
    """A runner that can give a process an environment of its own."""

    def with_environment(
        self, argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float, environment: Mapping[str, str]
    ) -> ProcessResult:
        """As the runner, with exactly these variables."""
        ...


class Job(msgspec.Struct, frozen=True):
    """One process to run."""

    argv: tuple[str, ...]
    stdin: bytes
    cwd: Path
    timeout: float
    environment: Mapping[str, str] | None = None


@runtime_checkable
class ParallelRunner(Protocol):
    """A runner that can run several processes at a time."""

    def run_all(self, jobs: Sequence[Job], ended: Callable[[int], None]) -> list[ProcessResult | ProcessError]:
        """Run all jobs and return the result of each. `ended` hears of each as it ends, by its position."""
        ...


def run_with(
    run: Runner,
    argv: Sequence[str],
    stdin: bytes,
    cwd: Path,
    timeout: float,
    environment: Mapping[str, str] | None,
) -> ProcessResult:
    """Run a process, with these variables where some are given. Raises as the runner."""
    if environment is not None and isinstance(run, EnvironmentRunner):
        return run.with_environment(argv, stdin, cwd, timeout, environment)
    if environment is not None and run is run_process:
        return run_process(argv, stdin, cwd, timeout, environment)
    return run(argv, stdin, cwd, timeout)


def run_jobs(run: Runner, jobs: Sequence[Job], ended: Callable[[int], None]) -> list[ProcessResult | ProcessError]:
    """Run all jobs and return the result of each; they run at the same time where the runner can do it."""
    if isinstance(run, ParallelRunner):
        return run.run_all(jobs, ended)
    results: list[ProcessResult | ProcessError] = []
    for position, job in enumerate(jobs):
        try:
            results.append(run_with(run, job.argv, job.stdin, job.cwd, job.timeout, job.environment))
        except ProcessError as error:
            results.append(error)
        ended(position)
    return results


def allowed_environment(prefixes: tuple[str, ...] = ()) -> dict[str, str]:
    """The variables that every process gets, and those that begin with one of `prefixes`."""
    return {name: value for name, value in os.environ.items() if name in ENVIRONMENT or name.startswith(prefixes)}


def run_process(
    argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float, environment: Mapping[str, str] | None = None
) -> ProcessResult:
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
                env=allowed_environment() if environment is None else dict(environment),
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
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        _copy({process.stdout.fileno(): stdout, process.stderr.fileno(): stderr}, name, deadline)
        try:
            code = process.wait(_left(deadline, name))
        except subprocess.TimeoutExpired as error:
            raise ProcessError(f"{name} did not end within its time limit") from error
        return ProcessResult(code, _content(stdout), _content(stderr))


def _copy(files: Mapping[int, IO[bytes]], name: str, deadline: float) -> None:
    """Write what comes from each descriptor to its file, until all are closed."""
    total = 0
    with selectors.DefaultSelector() as selector:
        for descriptor in files:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select(_left(deadline, name)):
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fd)
                total += len(chunk)
                if total > MAX_OUTPUT:
                    raise ProcessError(f"{name} wrote more than {MAX_OUTPUT >> 20} MiB, the most that a compiler may")
                files[key.fd].write(chunk)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _left(deadline: float, name: str) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise ProcessError(f"{name} did not end within its time limit")
    return left


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

"""The confined process as its parent sees it: started for one job, ended with everything of it, believed as little as
possible."""

# ruff: noqa: N818  # the names say what happened, as those of trio do
from __future__ import annotations

import json
import resource
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import TypeVar

import msgspec
import trio

from actors.processes.command import ChildCommand, Ending, execute
from actors.processes.run_meta import RunState, fresh_run_id
from actors.runtime.errors import ProcessNotStarted
from tools.javascript_sandbox.messages import CodeLoaded, Observed, SandboxJob, SandboxReady

AT_ONCE = 4
OUTPUT = 16 << 20
ENGINE_PACKAGE = "py_mini_racer"
# Isolated (-I: no variables, no folder of the user's), without site-packages' own code (-S) and without writing (-B).
_FLAGS = ("-I", "-S", "-B")
_PROGRAM = "import sys; sys.path += sys.argv[3:]; from tools.javascript_sandbox.worker import main; main()"
_Line = TypeVar("_Line", SandboxReady, CodeLoaded, Observed)


class EngineFailed(Exception):
    """The engine cannot be started, or answered in a form that it never gives. No code under test is to blame."""


class Answers(msgspec.Struct, frozen=True):
    """Answers received before the process ended: `loaded` None when not even that, `observed` for the first calls of
    the job, as many as it came to. `gave_up` says that it ended by itself, after a call that would not stop."""

    ready: SandboxReady
    loaded: CodeLoaded | None
    observed: list[Observed]
    timed_out: bool = False
    gave_up: bool = False


class JavaScriptSandbox:
    """Executes jobs, a few at a time, each in a process of its own that holds nothing of this one."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._turns = trio.CapacityLimiter(AT_ONCE)

    async def run(self, job: SandboxJob, *, zone: str, seconds: float) -> Answers:
        """Execute a job in the time zone `zone` for at most `seconds`, and give what it came to. Waiting for a turn is
        not counted. Raises `EngineFailed`."""
        paths = _import_paths()
        output = _Output()
        async with self._turns:
            with tempfile.TemporaryDirectory(prefix="monotreme-sandbox-") as folder:
                command = ChildCommand(
                    argv=(self._python, *_FLAGS, "-c", _PROGRAM, zone, str(ceil(seconds)), *paths),
                    folder=Path(folder),
                    environment={},
                    run_id=fresh_run_id(),
                    seconds=seconds,
                    output=OUTPUT,
                    stdin=json.dumps(msgspec.to_builtins(job)).encode(),  # half surrogates, too
                    grace=0.0,
                )
                try:
                    ending = await execute(command, output.add)
                except ProcessNotStarted as error:
                    raise EngineFailed(str(error)) from error
        return _answers(output.lines(), ending)


class _Output:
    """Output of the process, within its limit."""

    def __init__(self) -> None:
        self._left = OUTPUT
        self._lines = bytearray()

    def add(self, stream: str, chunk: bytes) -> bool:
        self._left -= len(chunk)
        if stream == "stdout" and self._left >= 0:
            self._lines += chunk
        return self._left >= 0

    def lines(self) -> list[bytes]:
        """The whole lines."""
        return bytes(self._lines).split(b"\n")[:-1]


def _answers(lines: Sequence[bytes], ending: Ending) -> Answers:
    if not lines:
        reason = ending.problem or f"it ended with exit code {ending.exit_code}"
        raise EngineFailed(f"it was not ready: {reason}{_hint()}")
    ready = _decoded(lines[0], SandboxReady)
    if ready.failed:
        raise EngineFailed(ready.failed)
    return Answers(
        ready=ready,
        loaded=_decoded(lines[1], CodeLoaded) if len(lines) > 1 else None,
        observed=[_decoded(line, Observed) for line in lines[2:]],
        timed_out=ending.state is RunState.TIMED_OUT,
        gave_up=ending.exit_code == 0,
    )


def _hint() -> str:
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return ""
    return f"; V8 reserves a terabyte of address space, and a limit (ulimit -v) allows {most} bytes"


def _decoded(line: bytes, form: type[_Line]) -> _Line:
    try:
        return msgspec.json.decode(line, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise EngineFailed("it answered in an unknown form") from error


def _import_paths() -> Sequence[str]:
    """Folders in which the process finds its modules. Raises `EngineFailed`."""
    engine = find_spec(ENGINE_PACKAGE)
    if engine is None or engine.origin is None:
        raise EngineFailed("the package mini-racer is not installed")
    return str(Path(__file__).parents[2]), str(Path(engine.origin).parents[1])

"""The kernel's object code, built before the first worker needs it: once, with progress, cancellable."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import trio

from actors.errors import ProcessLimitExceeded, ProcessNotStarted
from actors.process_runner import CommandLimits, ProcessRunner, scrubbed_environment
from simulator.errors import KernelError

BUILD_SECONDS = 600.0
_TAIL = 2_000


async def prepare_kernel(tell: Callable[[str], None]) -> None:
    """Build the kernel unless it is in the user's cache. Raises `KernelError` when it cannot be built."""
    path = await trio.to_thread.run_sync(_missing_object)
    if path is None:
        return
    tell("compiling the EVM kernel, once per version")
    runner = ProcessRunner(CommandLimits(seconds=BUILD_SECONDS), scrubbed_environment(MONOTREME_KERNEL_BUILD="1"))
    argv = [sys.executable, "-P", "-m", "simulator.evm.kernel.builder", str(path)]
    try:
        result = await runner.run(argv, folder=path.parent, on_stderr=_Progress(tell))
    except (ProcessNotStarted, ProcessLimitExceeded) as error:
        raise KernelError(f"the kernel could not be compiled: {error}") from error
    if result.returncode:
        detail = result.stderr[-_TAIL:].decode("utf-8", errors="replace").strip()
        raise KernelError(f"the kernel could not be compiled (exit code {result.returncode}):\n{detail}")


def _missing_object() -> Path | None:
    # llvmlite takes a tenth of a second to load, which compilation in another thread hides.
    from simulator.evm.kernel_loader import object_path

    path = object_path()
    if path.exists():
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KernelError(f"{path.parent}: the kernel's cache folder cannot be made: {error.strerror}") from error
    return path


class _Progress:
    """Reads the builder's progress lines, `[done, total, name]`, from pieces of stderr."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._rest = b""

    def __call__(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                done, total, _ = msgspec.json.decode(line, type=tuple[int, int, str])
            except msgspec.DecodeError:
                continue
            self._tell(f"compiling the EVM kernel: {done}/{total}")

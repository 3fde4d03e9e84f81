"""The kernel's object code, built before the first worker needs it: once, with progress, cancellable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import trio

from actors.processes.runner import CommandLimits, ProcessRunner, scrubbed_environment
from actors.runtime.errors import ProcessLimitExceeded, ProcessNotStarted
from simulator.cache.folder import make_folder
from simulator.errors import KernelError
from simulator.limits import WORKER_BYTES, address_space_problem
from simulator.own_process import module_command

BUILD_SECONDS = 600.0
_TAIL = 2_000


async def prepare_kernel(tell: Callable[[str], None]) -> None:
    """Build the kernel unless it is, undamaged, in the user's cache. Raises `KernelError` when it cannot be built, or
    when no worker could run it."""
    if problem := address_space_problem(WORKER_BYTES, "a worker"):
        raise KernelError(problem)
    missing = await trio.to_thread.run_sync(_missing_object)
    if missing is None:
        return
    folder, key = missing
    tell("compiling the EVM kernel, once per version")
    runner = ProcessRunner(CommandLimits(seconds=BUILD_SECONDS), scrubbed_environment(MONOTREME_KERNEL_BUILD="1"))
    argv = module_command("simulator.native_build", str(folder), key)
    try:
        result = await runner.run(argv, folder=folder, on_stderr=_Progress(tell))
    except (ProcessNotStarted, ProcessLimitExceeded) as error:
        raise KernelError(f"the kernel could not be compiled: {error}") from error
    if result.returncode:
        detail = result.stderr[-_TAIL:].decode("utf-8", errors="replace").strip()
        raise KernelError(f"the kernel could not be compiled (exit code {result.returncode}):\n{detail}")


def _missing_object() -> tuple[Path, str] | None:
    """Folder and key of the kernel to build, None when a trusted one exists."""
    # llvmlite takes a tenth of a second to load, which compilation in another thread hides.
    from simulator.evm.kernel.object_file import kernel_cache
    from simulator.kernel_loader import cache_folder, source_key

    folder, key = cache_folder(), source_key()
    if kernel_cache(folder).get(key) is not None:
        return None
    try:
        make_folder(folder)
    except OSError as error:
        raise KernelError(f"{folder}: the kernel's cache folder cannot be made: {error.strerror}") from error
    return folder, key


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

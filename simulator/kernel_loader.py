# mypy: disable-error-code="import-untyped"
"""Finds, builds and loads the kernel's object code.

The object is cached per user under a hash of all kernel sources, the versions of the compilers and the processor, with
a digest that is checked whenever it is loaded; loading needs llvmlite only. On a miss it is built once in a process of
its own, so that this one never holds the compiler.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import llvmlite.binding as llvm

from simulator.cache.folder import make_folder
from simulator.cache.store import Warn, log_warning
from simulator.errors import KernelError
from simulator.evm.kernel.mode import BUILD_VARIABLE
from simulator.evm.kernel.object_file import KernelObject, kernel_cache
from simulator.evm.kernel_entry import Kernel
from simulator.files.user_folders import user_cache_folder
from simulator.own_process import module_command

ROOT = Path(__file__).resolve().parent
SOURCES = ("evm/kernel/**/*.py", "fuzz/native/**/*.py", "native_build.py", "modes/checks.py")
COMPILERS = ("numba", "llvmlite", "numpy")
Progress = Callable[[int, int, str], None]


def print_progress(done: int, total: int, name: str) -> None:
    """One line on stderr that is rewritten in place on a terminal, and appears only at the start elsewhere."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rcompiling the EVM kernel: {done}/{total} {name:40.40}")
        if done == total:
            sys.stderr.write("\n")
    elif done == 0:
        sys.stderr.write("compiling the EVM kernel (once per version, about 20 s)\n")
    sys.stderr.flush()


def cache_folder() -> Path:
    """Return the folder of objects, in the user's cache folder."""
    return user_cache_folder() / "kernel"


def _sources() -> Iterator[Path]:
    for pattern in SOURCES:
        yield from sorted(ROOT.glob(pattern))


def source_key() -> str:
    """Hash of everything that the object code depends on."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    for compiler in COMPILERS:
        digest.update(importlib.metadata.version(compiler).encode())
    digest.update(sys.version.encode())
    digest.update(llvm.get_process_triple().encode())
    digest.update(llvm.get_host_cpu_name().encode())
    digest.update(llvm.get_host_cpu_features().flatten().encode())
    return digest.hexdigest()[:32]


def _run_builder(folder: Path, key: str, progress: Progress) -> None:
    command = module_command("simulator.native_build", str(folder), key)
    environment = {**os.environ, BUILD_VARIABLE: "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT.parent), environment.get("PYTHONPATH"))))
    other: list[str] = []
    try:
        make_folder(folder)
    except OSError as error:
        raise KernelError(f"{folder}: the kernel's cache folder cannot be made: {error.strerror}") from error
    # numba takes options from a file of the current folder.
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("["):
                done, total, name = json.loads(line)
                progress(done, total, name)
            else:
                other.append(line)
    if process.returncode:
        detail = "".join(other[-20:]).strip()
        raise KernelError(f"the kernel could not be compiled (builder ended with {process.returncode}):\n{detail}")


def object_path() -> Path:
    """Path of the object code for this source, compiler and processor, whether it is there or not."""
    return kernel_cache(cache_folder()).path(source_key())


def load_object(progress: Progress = print_progress, warn: Warn = log_warning) -> KernelObject:
    """The object code, built when it is missing or damaged (about 20 s, blocking); `warn` hears of the latter. Raises
    `KernelError`."""
    cache, key = kernel_cache(cache_folder(), warn), source_key()
    found = cache.get(key)
    if found is None:
        _run_builder(cache.folder, key, progress)
        found = cache.get(key)
    if found is None:
        raise KernelError(f"{cache.path(key)}: the compiled kernel cannot be read")
    return found


class NativeEntry:
    """The loaded `entry(command, context)`. Calls release the interpreter lock."""

    def __init__(self, compiled: KernelObject) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        module = llvm.parse_assembly("")
        module.triple = llvm.get_process_triple()
        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        # The engine does not own what it is given: all three must live as long as the code runs.
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._object = llvm.ObjectFileRef.from_data(compiled.code)
        self._compiled = compiled
        self._engine.add_object_file(self._object)
        self._engine.finalize_object()
        address = self._engine.get_function_address(compiled.symbol)
        if not address:
            raise KernelError("the cached kernel does not hold the expected function; delete the cache folder")
        # numba's calling convention: status f(result *, exception **, arguments...)
        prototype = ctypes.CFUNCTYPE(
            ctypes.c_int32,
            ctypes.POINTER(ctypes.c_int64),
            ctypes.POINTER(ctypes.c_void_p),
            ctypes.c_int64,
            ctypes.c_int64,
        )
        self._function = prototype(address)
        self._result = ctypes.c_int64()
        self._exception = ctypes.c_void_p()
        self._arguments = (ctypes.byref(self._result), ctypes.byref(self._exception))

    def __call__(self, command: int, context: int) -> int:
        if self._function(*self._arguments, command, context):
            raise AssertionError("kernel functions raise no exceptions")
        return self._result.value


def load_kernel(progress: Progress = print_progress, warn: Warn = log_warning) -> Kernel:
    """The compiled kernel. As `load_object`: blocks for about 20 s when the object code must be built. Raises
    `KernelError`."""
    compiled = load_object(progress, warn)
    return Kernel(NativeEntry(compiled), compiled.handlers, compiled=True, key=source_key())


def plain_kernel() -> Kernel:
    """The same source as plain Python, some thousand times slower, for debuggers and tests of the kernel."""
    from simulator.evm.kernel.commands import plain_entry
    from simulator.evm.kernel.run import interpreter
    from simulator.native_build import native_commands

    entry = plain_entry(native_commands())
    return Kernel(entry, interpreter.handler_names(), compiled=False, key=source_key())

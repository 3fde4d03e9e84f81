"""Choice of the moment to compile: a code is compiled once executing it has taken about as long as compiling it will.

Compiling happens in a process of its own, one at a time; the result is taken up between batches. Whatever is executed
has the same results before and after, so nothing of a campaign depends on when that is.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from simulator.errors import KernelError
from simulator.evm.compiled.blocks import read_code
from simulator.evm.compiled.compiler import CompileRequest
from simulator.evm.compiled.contract import RARE
from simulator.evm.compiled.installation import CompiledCodes
from simulator.evm.compiled.store import CLAIM_SECONDS, ObjectStore, key_of
from simulator.evm.kernel.layout.code import RUNTIME, Code
from simulator.evm.machine import Machine
from simulator.own_process import module_command

HITS = np.uint64((1 << 48) - 1)
# Executions of a block, on the average of those that would be compiled, after which compiling is worth its time; and
# loading, if the store has it.
WORTH_COMPILING = 100_000
WORTH_LOADING = 100
MAX_CODES = 64
MAX_BYTES = 48 << 20
# The first looks follow each other soon, so that a short campaign runs what the store holds.
FIRST_LOOKS, LOOK_EVERY = 0.01, 0.25
_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class _Running:
    """A process that compiles a code."""

    record: Code
    process: subprocess.Popen[bytes]
    began: float


class HotCodes:
    """Watches the codes of one machine. `warn` hears, once, when compiling fails; the interpreter then continues."""

    def __init__(
        self,
        machine: Machine,
        warn: Callable[[str], None] = lambda _: None,
        *,
        store: ObjectStore | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._machine = machine
        self._store = store or ObjectStore(warn=warn)
        self._warn = warn
        self._clock = clock
        self._codes = CompiledCodes(machine)
        self._keys: dict[Code, str] = {}
        self._settled: set[Code] = set()
        self._running: _Running | None = None
        self._next_look = 0.0
        self._pause = FIRST_LOOKS
        self._has_warned = False

    @property
    def installed(self) -> int:
        """Number of different codes that run compiled."""
        return self._codes.count

    def look(self) -> None:
        """Take up what is ready and begin what is worth it. To be called between batches; returns soon."""
        now = self._clock()
        if now < self._next_look:
            return
        self._next_look = now + self._pause
        self._pause = min(LOOK_EVERY, 2 * self._pause)
        self._collect(now)
        hottest, most = None, WORTH_COMPILING
        for record in self._machine.code_store.sealed_records:
            if record not in self._settled and not self._is_full:
                average = self._consider(record)
                if record not in self._settled and average >= most:
                    hottest, most = record, average
        if hottest is not None and self._running is None and not self._is_full:
            self._compile(hottest, now)

    def wait(self) -> None:
        """Compile and install what is worth it by now. Blocks for as long as that takes; for measurements."""
        while True:
            self._next_look = 0.0
            self.look()
            if self._running is None:
                return
            self._running.process.wait()

    def close(self) -> None:
        """End a compilation that runs."""
        if self._running is not None:
            self._running.process.kill()
            self._running.process.communicate()
            self._settle(self._running.record)
            self._running = None

    # --- choosing ------------------------------------------------------------------------------------------

    @property
    def _is_full(self) -> bool:
        return self._codes.count >= MAX_CODES or self._codes.bytes_loaded >= MAX_BYTES

    def _consider(self, record: Code) -> int:
        """Install what the store holds of a code that has run; answers how often its blocks ran on the average."""
        hits = self._hits(record)
        if not len(hits) or record.kind != RUNTIME:
            self._settled.add(record)
            return 0
        average = _average(hits)
        # What is not there is looked for again when compiling is worth it: others may have done that.
        if average >= (WORTH_COMPILING if record in self._keys else WORTH_LOADING) and self._install(record):
            self._settled.add(record)
        return average

    def _hits(self, record: Code) -> npt.NDArray[np.uint64]:
        """Return how often each block has run; nothing for a code without coverage of its own."""
        number = record.id
        if number < 0:
            return np.zeros(0, np.uint64)
        covered = self._machine.codes[number]
        return covered.cells[: len(covered.map.block_starts)] & HITS

    def _key(self, record: Code) -> str:
        if record not in self._keys:
            self._keys[record] = key_of(self._machine, record)
        return self._keys[record]

    def _settle(self, record: Code) -> None:
        """A code is not looked at again."""
        self._settled.add(record)
        with suppress(OSError):
            self._store.release(self._key(record))

    # --- compiling -----------------------------------------------------------------------------------------

    def _compile(self, record: Code, now: float) -> None:
        """Start compiling, unless another worker does."""
        key = self._key(record)
        try:
            if not self._store.claim(key):
                return
            decoded = read_code(record, self._machine.kernel.handlers)
            hits = tuple(self._hits(record).tolist())
            process = _start_compiler(CompileRequest(decoded, hits, str(self._store.folder), key))
            self._running = _Running(record, process, now)
        except (OSError, KernelError) as error:
            self._settle(record)
            self._report(str(error) if isinstance(error, KernelError) else error.strerror or str(error))

    def _install(self, record: Code) -> bool:
        """Install what the store holds of a code. False when it holds nothing."""
        key = self._key(record)
        compiled = self._store.load(key)
        if compiled is None:
            return False
        try:
            self._codes.install(key, compiled, record)
        except KernelError as error:
            self._report(str(error))
        return True

    def _collect(self, now: float) -> None:
        """Look after the process that compiles."""
        running = self._running
        if running is None:
            return
        if running.process.poll() is None:
            if now - running.began > CLAIM_SECONDS:
                self.close()
                self._report("it took too long")
            return
        self._running = None
        _, complaints = running.process.communicate()
        self._settle(running.record)
        if running.process.returncode or not self._install(running.record):
            lines = complaints.decode(errors="replace").strip().splitlines()
            self._report(lines[-1] if lines else "the compiler left no result")

    def _report(self, reason: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            self._warn(f"hot contract code could not be compiled and stays interpreted: {reason}")


def _average(hits: npt.NDArray[np.uint64]) -> int:
    """Return how often a block has run, of those that run so often that they would be compiled. Most code of a large
    contract hardly ever runs, and costs nothing."""
    warm = hits[hits >= max(1, int(hits.max()) // RARE)]
    return int(warm.sum()) // max(1, len(warm))


def _start_compiler(request: CompileRequest) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        module_command("simulator.evm.compiled.compiler", str(os.getpid())),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert process.stdin is not None, "asked for"
    # It may have died already; looking after it tells why.
    with suppress(BrokenPipeError), process.stdin:
        process.stdin.write(msgspec.msgpack.encode(request))
    process.stdin = None
    return process

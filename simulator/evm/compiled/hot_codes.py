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
from simulator.evm.compiled.blocks import DecodedCode, read_code
from simulator.evm.compiled.compiler import CompileRequest
from simulator.evm.compiled.installation import CompiledCodes
from simulator.evm.compiled.store import CLAIM_SECONDS, ObjectStore, key_of
from simulator.evm.kernel.layout.code import RUNTIME, Code
from simulator.evm.machine import Machine
from simulator.own_process import module_command

HITS = np.uint64((1 << 48) - 1)
# Executions of a block, on the average of a code, after which compiling is worth its time; and loading, if the store
# has it.
WORTH_COMPILING = 100_000
WORTH_LOADING = 100
MAX_CODES = 64
MAX_BYTES = 48 << 20
# The first looks follow each other soon, so that a short campaign runs what the store holds.
FIRST_LOOKS, LOOK_EVERY = 0.01, 0.25
_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class _Candidate:
    """A code of the machine that may be compiled."""

    record: Code
    decoded: DecodedCode
    key: str


@dataclass(frozen=True)
class _Running:
    candidate: _Candidate
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
        self._candidates: dict[Code, _Candidate] = {}
        self._settled: set[Code] = set()
        self._missing: set[Code] = set()
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
        hottest: tuple[int, _Candidate] | None = None
        for record in self._machine.code_store.sealed_records:
            if record not in self._settled and not self._is_full:
                average, candidate = self._consider(record)
                if candidate is not None and (hottest is None or average > hottest[0]):
                    hottest = average, candidate
        if hottest is not None and self._running is None and not self._is_full:
            self._compile(hottest[1], now)

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
            self._settle(self._running.candidate)
            self._running = None

    # --- choosing ------------------------------------------------------------------------------------------

    @property
    def _is_full(self) -> bool:
        return self._codes.count >= MAX_CODES or self._codes.bytes_loaded >= MAX_BYTES

    def _consider(self, record: Code) -> tuple[int, _Candidate | None]:
        """Install what the store holds of a code that has run. Otherwise how often its blocks ran on the average, and
        the code where that makes compiling worth its time."""
        hits = self._hits(record)
        if not len(hits) or record.kind != RUNTIME:
            self._settled.add(record)
            return 0, None
        average = int(hits.sum()) // len(hits)
        is_hot = average >= WORTH_COMPILING
        if average < WORTH_LOADING or (record in self._missing and not is_hot):
            return average, None
        candidate = self._candidate(record)
        if candidate is None or self._install(candidate):
            self._settled.add(record)
            self._candidates.pop(record, None)
            return average, None
        if not is_hot:
            # The store is not asked again before compiling would be worth it, and the decoded code takes memory.
            self._missing.add(record)
            self._candidates.pop(record, None)
            return average, None
        return average, candidate

    def _hits(self, record: Code) -> npt.NDArray[np.uint64]:
        """Return how often each block has run; nothing for a code without coverage of its own."""
        number = record.id
        if number < 0:
            return np.zeros(0, np.uint64)
        covered = self._machine.codes[number]
        return covered.cells[: len(covered.map.block_starts)] & HITS

    def _candidate(self, record: Code) -> _Candidate | None:
        found = self._candidates.get(record)
        if found is None:
            try:
                decoded = read_code(record, self._machine.kernel.handlers)
            except KernelError as error:
                self._report(str(error))
                return None
            found = self._candidates[record] = _Candidate(record, decoded, key_of(decoded, self._machine.kernel.key))
        return found

    def _settle(self, candidate: _Candidate) -> None:
        """A code is not looked at again."""
        self._settled.add(candidate.record)
        self._candidates.pop(candidate.record, None)
        with suppress(OSError):
            self._store.release(candidate.key)

    # --- compiling -----------------------------------------------------------------------------------------

    def _compile(self, candidate: _Candidate, now: float) -> None:
        """Start compiling, unless another worker does."""
        hits = self._hits(candidate.record)
        request = CompileRequest(candidate.decoded, tuple(hits.tolist()), str(self._store.folder), candidate.key)
        try:
            if self._store.claim(candidate.key):
                self._running = _Running(candidate, _start_compiler(request), now)
        except OSError as error:
            self._settle(candidate)
            self._report(error.strerror or str(error))

    def _install(self, candidate: _Candidate) -> bool:
        """Install what the store holds of a code. False when it holds nothing."""
        compiled = self._store.load(candidate.key)
        if compiled is None:
            return False
        try:
            self._codes.install(candidate.key, compiled, candidate.record, candidate.decoded)
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
        self._settle(running.candidate)
        if running.process.returncode or not self._install(running.candidate):
            lines = complaints.decode(errors="replace").strip().splitlines()
            self._report(lines[-1] if lines else "the compiler left no result")

    def _report(self, reason: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            self._warn(f"hot contract code could not be compiled and stays interpreted: {reason}")


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

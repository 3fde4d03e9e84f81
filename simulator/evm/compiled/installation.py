"""Compiled contracts in a machine: which are loaded, and the places in decoded code where they are entered."""

from __future__ import annotations

from simulator.errors import KernelError
from simulator.evm.compiled.blocks import read_code
from simulator.evm.compiled.compiler import compile_code
from simulator.evm.compiled.objects import LoadedObject
from simulator.evm.compiled.store import CompiledContract, key_of
from simulator.evm.host_memory import view
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.machine import Machine

MAX_KEPT = 256
_compiled: dict[str, CompiledContract] = {}  # by key, for machines that compile everything


class CompiledCodes:
    """The compiled codes of one machine. Nothing may run on it while one is installed or removed."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._handler = machine.kernel.handlers["COMPILED"]
        self._loaded: dict[str, LoadedObject] = {}
        self.bytes_loaded = 0

    def load(self, key: str, compiled: CompiledContract) -> None:
        """Load object code, once. Raises `KernelError`."""
        if key not in self._loaded:
            self._loaded[key] = LoadedObject(compiled.code)
            self.bytes_loaded += len(compiled.code)

    def install(self, key: str, compiled: CompiledContract, record: Code) -> None:
        """Let a code record run its compiled code. Raises `KernelError` for what was compiled for another code."""
        base, size = record.instructions, record.instructions_size
        if any(offset % Instruction.SIZE or not 0 < offset < size for offset in compiled.entries):
            raise KernelError("what was compiled of a contract belongs to other code")
        self.load(key, compiled)
        record.compiled = self._loaded[key].address
        for offset in compiled.entries:
            view(Instruction, base + offset).handler = self._handler

    def compile_everything(self) -> None:
        """Compile each code of the machine as soon as it is registered, creation codes too: for tests, since it takes
        long. What cannot be compiled raises `KernelError`."""
        self._machine.code_store.on_added = self._compile_added

    def _compile_added(self, record: Code) -> None:
        key = key_of(self._machine, record)
        if key not in _compiled:
            if len(_compiled) >= MAX_KEPT:
                _compiled.clear()
            _compiled[key] = compile_code(read_code(record, self._machine.kernel.handlers))
        self.install(key, _compiled[key], record)

    @property
    def count(self) -> int:
        """Number of different codes loaded."""
        return len(self._loaded)

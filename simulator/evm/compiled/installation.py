"""Compiled contracts in a machine: which are loaded, and the places in decoded code where they are entered."""

from __future__ import annotations

from simulator.evm.compiled.blocks import DecodedCode, read_code
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

    def install(self, key: str, compiled: CompiledContract, record: Code, decoded: DecodedCode) -> None:
        """Let a code record, which `decoded` was read from, run its compiled code."""
        self.load(key, compiled)
        record.compiled = self._loaded[key].address
        base = record.instructions
        for index in compiled.entries:
            entered = view(Instruction, base + decoded.blocks[index].instructions[0].offset)
            entered.handler = self._handler

    def compile_everything(self) -> None:
        """Compile each code of the machine as soon as it is registered, creation codes too: for tests, since it takes
        long. What cannot be compiled raises `KernelError`."""
        self._machine.code_store.on_added = self._compile_added

    def _compile_added(self, record: Code) -> None:
        decoded = read_code(record, self._machine.kernel.handlers)
        key = key_of(decoded, self._machine.kernel.key)
        if key not in _compiled:
            if len(_compiled) >= MAX_KEPT:
                _compiled.clear()
            _compiled[key] = compile_code(decoded)
        self.install(key, _compiled[key], record, decoded)

    @property
    def count(self) -> int:
        """Number of different codes loaded."""
        return len(self._loaded)

"""Compiled contracts in a machine: which are loaded, and the places in decoded code where they are entered."""

from __future__ import annotations

from simulator.evm.arenas import read_int, write_bytes, write_int
from simulator.evm.compiled.blocks import DecodedCode, read_code
from simulator.evm.compiled.compiler import compile_code
from simulator.evm.compiled.objects import LoadedObject
from simulator.evm.compiled.store import CompiledContract, key_of
from simulator.evm.kernel.layout import code, instruction
from simulator.evm.machine import Machine

HANDLER_BYTES = 4
MOST_KEPT = 256
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

    def install(self, key: str, compiled: CompiledContract, record: int, decoded: DecodedCode) -> None:
        """Let a code record, which `decoded` was read from, run its compiled code."""
        self.load(key, compiled)
        write_int(record + code.COMPILED, self._loaded[key].address)
        base = read_int(record + code.INSTRUCTIONS)
        for index in compiled.entries:
            place = base + decoded.blocks[index].instructions[0].offset + instruction.HANDLER
            write_bytes(place, self._handler.to_bytes(HANDLER_BYTES, "little"))

    def compile_everything(self) -> None:
        """Compile each code of the machine as soon as it is registered, creation codes too: for tests, since it takes
        long. What cannot be compiled raises `KernelError`."""
        self._machine.code_store.on_added = self._compile_added

    def _compile_added(self, record: int) -> None:
        decoded = read_code(record, self._machine.kernel.handlers)
        key = key_of(decoded)
        if key not in _compiled:
            if len(_compiled) >= MOST_KEPT:
                _compiled.clear()
            _compiled[key] = compile_code(decoded)
        self.install(key, _compiled[key], record, decoded)

    @property
    def count(self) -> int:
        """Number of different codes loaded."""
        return len(self._loaded)

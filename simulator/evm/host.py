"""Serves the kernel's exits: precompiles, cheatcodes, console, unknown codes, full arenas, tracing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from simulator.errors import KernelError
from simulator.evm.arenas import read_bytes, write_bytes
from simulator.evm.kernel import status
from simulator.evm.kernel.layout import context
from simulator.precompiles import run_precompile

if TYPE_CHECKING:
    from simulator.evm.machine import Machine


class FrameHandler(Protocol):
    """Runs a call to an address of the host's. The machine's frame fields describe the call."""

    def __call__(self, machine: Machine, data: bytes) -> HostAnswer: ...


class HostAnswer:
    """How a frame that the host ran has ended; it costs no gas."""

    def __init__(self, output: bytes = b"", *, reverted: bool = False) -> None:
        self.output = output
        self.reverted = reverted


class Host:
    """One per machine. `cheatcodes` and `console` answer calls to their addresses."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.cheatcodes: FrameHandler | None = None
        self.console: FrameHandler | None = None

    def serve(self) -> None:
        """Serve the exit that `run` or `begin_transaction` has just returned with."""
        machine = self._machine
        reason = machine.get(context.EXIT_REASON)
        if reason == status.EXIT_PRECOMPILE:
            self._precompile(machine.get(context.EXIT_DETAIL))
        elif reason == status.EXIT_CHEATCODE:
            self._answer(self.cheatcodes)
        elif reason == status.EXIT_CONSOLE:
            self._answer(self.console)
        elif reason == status.EXIT_UNKNOWN_CODE:
            self._register()
        elif reason == status.EXIT_ARENA_FULL:
            self._grow(machine.get(context.EXIT_DETAIL))
        elif reason == status.EXIT_TRACE_CALL:
            machine.on_call()
        elif reason == status.EXIT_TRACE_RETURN:
            machine.on_return()
        else:
            raise AssertionError(f"exit reason {reason}")

    def calldata(self) -> bytes:
        """Input of the running frame."""
        machine = self._machine
        return read_bytes(machine.get(context.CALLDATA), machine.get(context.CALLDATA_SIZE))

    def finish(self, final: int, gas_left: int, output: bytes) -> None:
        """End the running frame when `run` goes on."""
        machine = self._machine
        if len(output) > machine.get(context.RETURNDATA_LIMIT):
            final, output = status.ARENA_EXHAUSTED, b""
        write_bytes(machine.get(context.RETURNDATA), output)
        machine.set(context.FINISH_STATUS, final)
        machine.set(context.FINISH_GAS, gas_left)
        machine.set(context.FINISH_OUTPUT, machine.get(context.RETURNDATA))
        machine.set(context.FINISH_OUTPUT_SIZE, len(output))
        machine.set(context.RESUME, status.RESUME_LEAVE)

    def _precompile(self, number: int) -> None:
        machine = self._machine
        machine.on_call()
        data, gas = self.calldata(), machine.get(context.GAS)
        result = run_precompile(number, data, gas, machine.fork.name)
        final = status.RETURN if result.success else status.PRECOMPILE_FAILURE
        self.finish(final, gas - result.gas_used, result.output)

    def _answer(self, handler: FrameHandler | None) -> None:
        machine = self._machine
        machine.on_call()
        answer = handler(machine, self.calldata()) if handler else HostAnswer()
        final = status.REVERT if answer.reverted else status.RETURN
        self.finish(final, machine.get(context.GAS), answer.output)

    def _register(self) -> None:
        machine = self._machine
        data = read_bytes(machine.get(context.EXIT_ADDRESS), machine.get(context.EXIT_SIZE))
        kind = machine.get(context.EXIT_DETAIL)
        try:
            machine.code_store.register(data, kind)
        except KernelError:
            self._abort()

    def _grow(self, arena: int) -> None:
        machine = self._machine
        if arena == status.ARENA_SLOTS:
            machine.grow_slots()
        elif arena == status.ARENA_ACCOUNTS and machine.grow_accounts():
            pass
        else:
            self._abort()

    def _abort(self) -> None:
        """A limit of this program is reached: the running frame fails, as if out of gas."""
        machine = self._machine
        if machine.get(context.RESUME) == status.RESUME_LEAVE or machine.running:
            self.finish(status.ARENA_EXHAUSTED, 0, b"")
        else:
            raise KernelError("a transaction cannot begin: an arena of the EVM is full")

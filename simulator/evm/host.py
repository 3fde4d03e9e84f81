"""Serves the kernel's exits: precompiles, cheatcodes, console, unknown codes, full arenas, state of a forked chain,
tracing."""

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
    """Runs a call to an address of the host's. The machine's frame fields describe the call. With None instead of an
    answer, the frame goes on as the handler has left those fields and RESUME."""

    def __call__(self, machine: Machine, data: bytes) -> HostAnswer | None: ...


class FrameWatcher(Protocol):
    """Sees frames while `context.WATCHING` is set: the same exits that the tracer gets."""

    def on_call(self, machine: Machine) -> HostAnswer | None:
        """A frame of code begins, as the machine's frame fields say. With an answer, its code does not run."""
        ...

    def on_return(self, machine: Machine) -> None:
        """The innermost frame has ended; its caller goes on when the method returns, or the transaction ends."""
        ...


class HostAnswer:
    """How a frame that the host ran has ended; it costs no gas."""

    def __init__(self, output: bytes = b"", *, reverted: bool = False) -> None:
        self.output = output
        self.reverted = reverted


class Host:
    """One per machine. `cheatcodes` and `console` answer calls to their addresses, `watcher` sees other frames."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.cheatcodes: FrameHandler | None = None
        self.console: FrameHandler | None = None
        self.watcher: FrameWatcher | None = None

    def serve(self) -> None:
        """Serve the exit that `run` or `begin_transaction` has just returned with. Raises `ChainError` when state of a
        forked chain cannot be had; the transaction is then to be given up and rolled back."""
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
            self._enter()
        elif reason == status.EXIT_TRACE_RETURN:
            self._leave()
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
        result = run_precompile(number, data, gas, machine.precompile_fork)
        final = status.RETURN if result.success else status.PRECOMPILE_FAILURE
        self.finish(final, gas - result.gas_used, result.output)

    def _enter(self) -> None:
        machine = self._machine
        machine.on_call()
        answer = self.watcher.on_call(machine) if self.watcher and machine.get(context.WATCHING) else None
        if answer is not None:
            self._end(answer)

    def _leave(self) -> None:
        """The trace shows how a frame ended before cheatcodes change that for its caller; the transaction's own frame
        has no caller, and its end is what they make it."""
        machine = self._machine
        is_last = machine.get(context.RESUME) == status.RESUME_ENDED
        if not is_last:
            machine.on_return()
        if self.watcher and machine.get(context.WATCHING):
            self.watcher.on_return(machine)
        if is_last:
            machine.on_return()

    def _answer(self, handler: FrameHandler | None) -> None:
        machine = self._machine
        machine.on_call()
        answer = handler(machine, self.calldata()) if handler else HostAnswer()
        if answer is not None:
            self._end(answer)

    def _end(self, answer: HostAnswer) -> None:
        final = status.REVERT if answer.reverted else status.RETURN
        self.finish(final, self._machine.get(context.GAS), answer.output)

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
        if machine.get(context.RESUME) == status.RESUME_BEGIN and machine.get(context.TX_TO) == 0:
            machine.set(context.TX_TO, machine.accounts.record(machine.get_word(context.MISSING)))
            return
        if machine.accounts.fetch_missing():
            return
        growing = {status.ARENA_SLOTS: machine.grow_slots, status.ARENA_ACCOUNTS: machine.grow_accounts}
        if arena not in growing or not growing[arena]():
            self._abort()

    def _abort(self) -> None:
        """A limit of this program is reached: the running frame fails, as if out of gas."""
        machine = self._machine
        if machine.get(context.RESUME) == status.RESUME_BEGIN:
            raise KernelError("a transaction cannot begin: an arena of the EVM is full")
        self.finish(status.ARENA_EXHAUSTED, 0, b"")

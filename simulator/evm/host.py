"""Serves the kernel's exits: precompiles, cheatcodes, console, unknown codes, full arenas, state of a forked chain,
tracing."""

from __future__ import annotations

from simulator.errors import CallStoppedError, KernelError
from simulator.evm.arenas import read_bytes, write_bytes
from simulator.evm.kernel import status
from simulator.evm.machine import FrameHandler, FrameWatcher, Machine
from simulator.evm.results import HostAnswer
from simulator.precompiles import run_precompile


class Host:
    """One per machine. `cheatcodes` and `console` answer calls to their addresses, `watcher` sees other frames."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.cheatcodes: FrameHandler | None = None
        self.console: FrameHandler | None = None
        self.watcher: FrameWatcher | None = None

    def serve(self) -> None:
        """Serve the exit that `run` or `begin_transaction` has just returned with. Raises `ChainError` when state of a
        forked chain cannot be had, `CallStoppedError` when the call is cancelled; the transaction is then to be given
        up and rolled back."""
        machine = self._machine
        reason = machine.context.exit_reason
        if reason == status.EXIT_PRECOMPILE:
            self._precompile(machine.context.exit_detail)
        elif reason == status.EXIT_CHEATCODE:
            self._answer(self.cheatcodes)
        elif reason == status.EXIT_CONSOLE:
            self._answer(self.console)
        elif reason == status.EXIT_UNKNOWN_CODE:
            self._register()
        elif reason == status.EXIT_ARENA_FULL:
            self._grow(machine.context.exit_detail)
        elif reason == status.EXIT_TRACE_CALL:
            self._enter()
        elif reason == status.EXIT_TRACE_RETURN:
            self._leave()
        elif reason == status.EXIT_PAUSE:
            self._pause()
        else:
            raise AssertionError(f"exit reason {reason}")

    def calldata(self) -> bytes:
        """Input of the running frame."""
        machine = self._machine
        return read_bytes(machine.context.calldata, machine.context.calldata_size)

    def finish(self, final: int, gas_left: int, output: bytes) -> None:
        """End the running frame when `run` continues."""
        machine = self._machine
        if len(output) > machine.context.returndata_limit:
            final, output = status.ARENA_EXHAUSTED, b""
        write_bytes(machine.context.returndata, output)
        machine.context.finish_status = final
        machine.context.finish_gas = gas_left
        machine.context.finish_output = machine.context.returndata
        machine.context.finish_output_size = len(output)
        machine.context.resume = status.RESUME_LEAVE

    def _precompile(self, number: int) -> None:
        machine = self._machine
        machine.on_call()
        answer = self.watcher.on_precompile(machine) if self.watcher and self._is_watched() else None
        if answer is not None:
            self._end(answer)
            return
        data, gas = self.calldata(), machine.context.gas
        result = run_precompile(number, data, gas, machine.precompile_fork)
        final = status.RETURN if result.success else status.PRECOMPILE_FAILURE
        self.finish(final, gas - result.gas_used, result.output)

    def _enter(self) -> None:
        machine = self._machine
        machine.on_call()
        answer = self.watcher.on_call(machine) if self.watcher and self._is_watched() else None
        if answer is not None:
            self._end(answer)

    def _leave(self) -> None:
        """The trace shows how a frame ended before cheatcodes change that for its caller; the transaction's own frame
        has no caller, and its end is what they make it."""
        machine = self._machine
        is_last = machine.context.resume == status.RESUME_ENDED
        if not is_last:
            machine.on_return()
        if self.watcher and self._is_watched():
            self.watcher.on_return(machine)
        if is_last:
            machine.on_return()

    def _is_watched(self) -> bool:
        context = self._machine.context
        return context.watching or context.followed_epoch == context.epoch

    def _answer(self, handler: FrameHandler | None) -> None:
        machine = self._machine
        machine.on_call()
        answer = handler(machine, self.calldata()) if handler else HostAnswer()
        if answer is not None:
            self._end(answer)

    def _end(self, answer: HostAnswer) -> None:
        final = status.REVERT if answer.reverted else status.RETURN
        self.finish(final, self._machine.context.gas, answer.output)

    def _register(self) -> None:
        machine = self._machine
        data = read_bytes(machine.context.exit_address, machine.context.exit_size)
        kind = machine.context.exit_detail
        try:
            machine.code_store.register(data, kind)
        except KernelError as error:
            self._abort(str(error))

    def _grow(self, arena: int) -> None:
        machine = self._machine
        if machine.context.resume == status.RESUME_BEGIN and not machine.context.tx_to:
            machine.context.tx_to = machine.accounts.record(machine.context.missing)
            return
        if machine.accounts.fetch_missing():
            return
        growing = {status.ARENA_SLOTS: machine.grow_slots, status.ARENA_ACCOUNTS: machine.grow_accounts}
        if arena not in growing or not growing[arena]():
            self._abort()

    def _pause(self) -> None:
        """While it is to be stopped, the wish stays, so that what begins next stops at once."""
        machine = self._machine
        if machine.is_stopped():
            raise CallStoppedError("the call was stopped")
        machine.context.wants_pause = False

    def _abort(self, reason: str = "an arena of the EVM is full") -> None:
        """A limit of this program is reached: the running frame fails, as if out of gas."""
        machine = self._machine
        if machine.context.resume == status.RESUME_BEGIN:
            raise KernelError(f"a transaction cannot begin: {reason}")
        self.finish(status.ARENA_EXHAUSTED, 0, b"")

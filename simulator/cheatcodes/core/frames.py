"""Frames that have ended, and changing for their callers how they ended."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.abi.codec import encode
from simulator.abi.hashing import selector
from simulator.abi.types import String
from simulator.evm.arenas import read_bytes, write_bytes
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel import status
from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.layout.log import Log as LogRecord
from simulator.evm.kernel.records import pointer
from simulator.evm.machine import Machine

ERROR_SELECTOR = selector("Error(string)")
CHEATCODE_ERROR_SELECTOR = selector("CheatcodeError(string)")
# What forge lets an expected revert return: zeros to decode any result from, and an address without code.
ZEROS = bytes(8192)
DUMMY_ADDRESS = 1
DELEGATED = frozenset((calls.CALLCODE, calls.DELEGATECALL))


def error_data(reason: str, *, is_forges: bool = False) -> bytes:
    """Revert data of `Error(string)`, or of forge's `CheatcodeError(string)`."""
    return (CHEATCODE_ERROR_SELECTOR if is_forges else ERROR_SELECTOR) + encode((String(),), (reason,))


@dataclass(frozen=True)
class EndedFrame:
    """A frame at the exit that shows its end. `depth` is its own."""

    machine: Machine
    record: Frame
    depth: int

    @classmethod
    def of(cls, machine: Machine) -> EndedFrame:
        record = machine.context.frame
        if machine.context.resume == status.RESUME_ENDED:
            return cls(machine, record, 0)
        return cls(machine, view(Frame, pointer(record) + Frame.SIZE), machine.context.depth + 1)

    @property
    def is_hosted(self) -> bool:
        """The frame was a precompile's, a cheatcode's or the console's."""
        return self.record.code_account.kind != calls.ORDINARY

    @property
    def is_creation(self) -> bool:
        return self.record.kind >= calls.CREATE

    @property
    def is_salted(self) -> bool:
        """The frame is that of a CREATE2."""
        return self.record.kind == calls.CREATE2

    @property
    def gas_left(self) -> int:
        """Return the gas that its caller, who has one, got back."""
        return self.machine.context.gas - self.record.gas

    @property
    def is_static(self) -> bool:
        return self.record.kind == calls.STATICCALL

    @property
    def succeeded(self) -> bool:
        return self.machine.context.status <= status.RETURN

    @property
    def code_address(self) -> int:
        """The account whose code ran; of a creation, the created account."""
        return self.record.code_account.address

    @property
    def reverted(self) -> bool:
        """The frame has reverted; running out of gas or an invalid instruction is no revert."""
        return self.machine.context.status == status.REVERT

    @property
    def target_address(self) -> int:
        """The account that the code ran for: the caller's own in a delegated call."""
        is_delegated = self.record.kind in (calls.CALLCODE, calls.DELEGATECALL) and self.depth > 0
        return self.machine.context.address if is_delegated else self.code_address

    @property
    def output(self) -> bytes:
        return self.machine.output()

    @property
    def first_log(self) -> LogRecord:
        """The first log record of the frame."""
        return self.record.logs_mark

    def make_successful(self) -> None:
        """Let the caller see a success, with zeros for whatever it wants to decode."""
        self.machine.context.status = status.RETURN
        if self.is_creation:
            self._set_result(DUMMY_ADDRESS, b"")
        else:
            self._set_result(1, ZEROS)

    def make_reverted(self, output: bytes) -> None:
        """Let the caller of a frame that has failed see this revert data."""
        self.machine.context.status = status.REVERT
        self._set_result(0, output)

    def make_failed(self, output: bytes) -> None:
        """Undo what the frame did and let it end in a revert."""
        machine = self.machine
        machine.rollback(self.record.journal_mark)
        machine.context.logs_top = self.first_log
        end_logs(machine)
        machine.context.refund = self.record.refund_mark
        if self.depth == 0:
            machine.context.rejected = 0
        self.make_reverted(output)

    def _set_result(self, result: int, output: bytes) -> None:
        machine = self.machine
        write_bytes(machine.context.returndata, output)
        machine.context.returndata_size = len(output)
        machine.context.returndatasize_word = as_word(len(output))
        if self.depth == 0:
            return
        size = min(len(output), self.record.output_size)
        write_bytes(self.record.output, output[:size])
        machine.context.sp[-1] = as_word(result)


@dataclass(frozen=True)
class EnteredFrame:
    """A frame at the exit that shows its beginning."""

    machine: Machine
    code_address: int
    value: int
    data: bytes
    gas: int
    is_creation: bool

    @classmethod
    def of(cls, machine: Machine) -> EnteredFrame:
        record = machine.context.frame
        kind = record.kind
        return cls(
            machine=machine,
            code_address=record.code_account.address,
            value=0 if kind == calls.DELEGATECALL else machine.context.callvalue,
            data=read_bytes(machine.context.calldata, machine.context.calldata_size),
            gas=machine.context.gas,
            is_creation=kind >= calls.CREATE,
        )


def end_logs(machine: Machine) -> None:
    """Let the list of logs end where its top is, whatever stood behind that before."""
    machine.context.logs_top.record_size = 0


def take_code_of(machine: Machine, code_record: Code) -> None:
    """Let the frame that begins run another code."""
    machine.context.code = code_record
    machine.context.cells = code_record.cells
    machine.context.ip = code_record.entry


def become(machine: Machine, account_record: Account) -> None:
    """Let the running frame act as another account."""
    machine.context.account = account_record
    machine.context.storage_owner = account_record.storage_id
    machine.context.address = as_word(account_record.address)

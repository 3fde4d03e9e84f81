"""Frames that have ended, and changing for their callers how they ended."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.abi.codec import encode
from simulator.abi.hashing import selector
from simulator.abi.types import String
from simulator.evm.arenas import read_bytes, read_int, read_word, write_bytes, write_int, write_word
from simulator.evm.kernel import calls, status
from simulator.evm.kernel.layout import account, code, context, frame, log
from simulator.evm.machine import Machine

ERROR_SELECTOR = selector("Error(string)")
# What forge lets an expected revert return: zeros to decode any result from, and an address without code.
ZEROS = bytes(8192)
DUMMY_ADDRESS = 1


def error_data(reason: str) -> bytes:
    """Revert data of `Error(string)`."""
    return ERROR_SELECTOR + encode((String(),), (reason,))


@dataclass(frozen=True)
class EndedFrame:
    """A frame at the exit that shows its end. `depth` is its own."""

    machine: Machine
    record: int
    depth: int

    @classmethod
    def of(cls, machine: Machine) -> EndedFrame:
        record = machine.get(context.FRAME)
        if machine.get(context.RESUME) == status.RESUME_ENDED:
            return cls(machine, record, 0)
        return cls(machine, record + frame.SIZE, machine.get(context.DEPTH) + 1)

    @property
    def is_hosted(self) -> bool:
        """The frame was a precompile's, a cheatcode's or the console's."""
        return read_int(read_int(self.record + frame.CODE_ACCOUNT) + account.KIND) != calls.ORDINARY

    @property
    def is_creation(self) -> bool:
        return read_int(self.record + frame.KIND) >= calls.CREATE

    @property
    def is_salted(self) -> bool:
        """The frame is that of a CREATE2."""
        return read_int(self.record + frame.KIND) == calls.CREATE2

    @property
    def gas_left(self) -> int:
        """What its caller, who has one, got back."""
        return self.machine.get(context.GAS) - read_int(self.record + frame.GAS)

    @property
    def is_static(self) -> bool:
        return read_int(self.record + frame.KIND) == calls.STATICCALL

    @property
    def succeeded(self) -> bool:
        return self.machine.get(context.STATUS) <= status.RETURN

    @property
    def code_address(self) -> int:
        """The account whose code ran; of a creation, the created account."""
        return read_word(read_int(self.record + frame.CODE_ACCOUNT) + account.ADDRESS)

    @property
    def output(self) -> bytes:
        return self.machine.output()

    @property
    def first_log(self) -> int:
        """Address of the first log record of the frame."""
        return read_int(self.record + frame.LOGS_MARK)

    def make_successful(self) -> None:
        """Let the caller see a success, with zeros for whatever it wants to decode."""
        if self.is_creation:
            self._set_result(DUMMY_ADDRESS, b"")
        else:
            self._set_result(1, ZEROS)

    def make_failed(self, reason: str) -> None:
        """Undo what the frame did and let it end in `Error(reason)`."""
        machine = self.machine
        machine.rollback(read_int(self.record + frame.JOURNAL_MARK))
        machine.set(context.LOGS_TOP, self.first_log)
        end_logs(machine)
        machine.set(context.REFUND, read_int(self.record + frame.REFUND_MARK))
        machine.set(context.STATUS, status.REVERT)
        self._set_result(0, error_data(reason))

    def _set_result(self, result: int, output: bytes) -> None:
        machine = self.machine
        write_bytes(machine.get(context.RETURNDATA), output)
        machine.set(context.RETURNDATA_SIZE, len(output))
        machine.set_word(context.RETURNDATASIZE_WORD, len(output))
        if self.depth == 0:
            return
        size = min(len(output), read_int(self.record + frame.OUTPUT_SIZE))
        write_bytes(read_int(self.record + frame.OUTPUT), output[:size])
        write_word(machine.get(context.SP) - 32, result)


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
        record = machine.get(context.FRAME)
        kind = read_int(record + frame.KIND)
        return cls(
            machine=machine,
            code_address=read_word(read_int(record + frame.CODE_ACCOUNT) + account.ADDRESS),
            value=0 if kind == calls.DELEGATECALL else machine.get_word(context.CALLVALUE),
            data=read_bytes(machine.get(context.CALLDATA), machine.get(context.CALLDATA_SIZE)),
            gas=machine.get(context.GAS),
            is_creation=kind >= calls.CREATE,
        )


def end_logs(machine: Machine) -> None:
    """Let the list of logs end where its top is, whatever stood behind that before."""
    write_int(machine.get(context.LOGS_TOP) + log.RECORD_SIZE, 0)


def take_code_of(machine: Machine, code_record: int) -> None:
    """Let the frame that begins run another code."""
    machine.set(context.CODE, code_record)
    machine.set(context.CELLS, read_int(code_record + code.CELLS))
    machine.set(context.IP, read_int(code_record + code.ENTRY))


def become(machine: Machine, account_record: int) -> None:
    """Let the running frame act as another account."""
    machine.set(context.ACCOUNT, account_record)
    machine.set(context.STORAGE_OWNER, read_int(account_record + account.STORAGE_ID))
    machine.set_word(context.ADDRESS, read_word(account_record + account.ADDRESS))

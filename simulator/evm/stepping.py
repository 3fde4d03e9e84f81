"""Execution one instruction at a time: what each one found, what it cost, how it ended.

The kernel pays for whole blocks and joins instructions. A stepping machine runs the same source uncompiled, on codes
that are decoded with one instruction in each block, so that every price and every failure belongs to one instruction.
A JUMPDEST shares the block of what follows it, and is told apart here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from simulator.evm.host import Host
from simulator.evm.kernel import commands
from simulator.evm.kernel import status as statuses
from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.code.instruction_writing import push_bytes
from simulator.evm.kernel.layout import decode_entry
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.layout.decode_entry import DecodeEntry
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.records import Records, Words, pointer
from simulator.evm.kernel.run import interpreter
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.opcodes import Opcode, opcode_in
from simulator.evm.results import Status
from simulator.evm.tracer import Tracer

JUMPDEST = 0x5B
GAS_JUMPDEST = 1
VALUE_CALLS = ("CALL", "CALLCODE")
CREATIONS = ("CREATE", "CREATE2")
WORD_BYTES = 32


@dataclass(frozen=True)
class Step:
    """One instruction and the state before it.

    `opcode.name` is UNKNOWN for a byte that is no instruction of the fork; `byte` is that byte. `gas_cost` includes
    what a call or creation hands to its frame; of an instruction that fails it is the static price. The lowest word of
    the stack comes first; `depth` is 1 in the transaction's own frame; `failure` is None unless the instruction ended
    its frame without success.
    """

    pc: int
    byte: int
    opcode: Opcode
    gas: int
    gas_cost: int
    memory_size: int
    stack: tuple[int, ...]
    depth: int
    return_data: bytes
    refund: int
    failure: Status | None = None


Report = Callable[[Step], None]


def stepping_machine(report: Report, **options: Any) -> Machine:
    """A machine, made with these options of `Machine`, that reports every instruction when it has run.

    Some ten thousand times slower than the compiled kernel.
    """
    stepper = _Stepper(report)
    table = {**commands.command_table(), commands.RUN: interpreter.define(hooks=stepper)}
    kernel = Kernel(commands.plain_entry(table), interpreter.handler_names(), compiled=False)
    machine = Machine(kernel, Host, **options)
    _end_blocks_everywhere(machine.context.decode_table)
    stepper.machine = machine
    machine.tracer = Tracer()  # every frame leaves to the host, precompiles included
    return machine


def _end_blocks_everywhere(table: Records[DecodeEntry]) -> None:
    """Let every instruction but JUMPDEST end its block."""
    for byte in range(256):
        entry = table[byte]
        if entry.ending == decode_entry.CONTINUES and byte != JUMPDEST:
            entry.ending = decode_entry.ENDS_BLOCK


def block_starts(data: bytes, ending_of: Callable[[int], int]) -> list[int]:
    """Program counters at which the decoder begins blocks, in order, when it ends them everywhere.

    `ending_of(byte)` is the ending of an instruction as in `layout/decode_entry.py`.
    """
    starts: list[int] = []
    pc, reachable, joined = 0, True, False
    while pc <= len(data):
        byte = data[pc] if pc < len(data) else 0
        if byte == JUMPDEST:
            starts.append(pc)
            reachable = joined = True
        elif reachable:
            if not joined:
                starts.append(pc)
            joined = False
            reachable = ending_of(byte) != decode_entry.STOPS
        pc = min(pc + 1 + push_bytes(byte), len(data)) if pc < len(data) else pc + 1
    return starts


class _Stepper:
    """Makes steps of what the interpreter's hooks see."""

    def __init__(self, report: Report) -> None:
        self.machine: Machine
        self._report = report
        self._pending: Step | None = None
        self._frame: Frame
        self._nonce = 0
        self._starts: dict[Code, list[int]] = {}

    def before_step(self, machine: Context, ip: int, sp: Words, gas: int, memory_size: int) -> None:
        """Note the state before the block's instruction. A JUMPDEST that is paid for is reported at once."""
        record = self.machine.context.code
        data = self.machine.code_store.data_of(record)
        pc = self._block_starts(record, data)[Instruction(ip).block_cell // CoverageCell.SIZE]
        self._frame = self.machine.context.frame
        self._nonce = self._nonce_of_creator()
        if not data and not self._frame.created:
            return  # Clients agree that calling an account without code executes nothing.
        step = self._step(data, pc, gas, sp, memory_size)
        following = data[pc + 1] if pc + 1 < len(data) else 0
        if step.byte == JUMPDEST and following != JUMPDEST and gas >= GAS_JUMPDEST:
            self._report(step)
            step = self._step(data, pc + 1, gas - GAS_JUMPDEST, sp, memory_size)
        self._pending = step

    def after_step(self, machine: Context, status: int, gas: int) -> None:
        """Report the noted instruction, unless it is about to run again after an exit."""
        step = self._pending
        if step is None or (status == statuses.EXIT and self._runs_again()):
            return
        self._pending = None
        if status >= statuses.REVERT and status != statuses.EXIT:
            step = replace(step, failure=Status(status))
        if status in (statuses.EXIT, statuses.FRAME_SWITCHED):
            step = replace(step, gas_cost=step.gas - self._kept(step))
        elif step.failure in (None, Status.REVERT):
            step = replace(step, gas_cost=step.gas - gas)
        self._report(step)

    def _step(self, data: bytes, pc: int, gas: int, sp: Words, memory_size: int) -> Step:
        machine = self.machine
        byte = data[pc] if pc < len(data) else 0
        stack = machine.context.stack
        height = (pointer(sp) - pointer(stack)) // WORD_BYTES
        return Step(
            pc=pc,
            byte=byte,
            opcode=opcode_in(machine.fork, byte),
            gas=gas,
            gas_cost=machine.context.decode_table[byte].gas,
            memory_size=memory_size,
            stack=tuple(stack[place] for place in range(height)),
            depth=machine.context.depth + 1,
            return_data=machine.output(),
            refund=machine.context.refund,
        )

    def _block_starts(self, record: Code, data: bytes) -> list[int]:
        starts = self._starts.get(record)
        if starts is None:
            table = self.machine.context.decode_table
            starts = block_starts(data, lambda byte: table[byte].ending)
            self._starts[record] = starts
        return starts

    def _runs_again(self) -> bool:
        return self.machine.context.resume == statuses.RESUME_INSTRUCTION

    def _nonce_of_creator(self) -> int:
        return self.machine.context.account.nonce

    def _kept(self, step: Step) -> int:
        """Gas that the frame keeps while its call or creation runs; also when that could not begin."""
        record = self.machine.context.frame
        if pointer(record) > pointer(self._frame):
            return record.gas
        left = self.machine.context.gas
        if step.opcode.name in CREATIONS:
            collided = self._nonce_of_creator() != self._nonce
            return left if collided else left >> 6
        if step.opcode.name in VALUE_CALLS and step.stack[-3]:
            left -= calls.CALL_STIPEND
        return left - min(step.stack[-1], left - (left >> 6))


__all__ = ["Step", "block_starts", "stepping_machine"]

"""Call trees: every frame of a transaction with its input, output, logs and children."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from simulator.evm.arenas import read_bytes
from simulator.evm.kernel.layout.log import Log as LogRecord
from simulator.evm.logs import log_records, read_log
from simulator.evm.machine import Machine
from simulator.evm.results import EmittedLog, Status

CallKind = Literal["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2"]
KINDS: tuple[CallKind, ...] = get_args(CallKind)


@dataclass(eq=False, slots=True)
class CallNode:
    """One frame of execution, complete once it has ended. Addresses are integers.

    `to` is the account the frame acts as, for creations the created account. `code_address` is the account whose code
    runs: it differs from `to` for DELEGATECALL and CALLCODE. `input` is the calldata, of a creation its code; `output`
    is the return or revert data, of a creation the deployed code. `gas` is what the frame was given, `gas_used` what it
    consumed including nested frames. `items` holds logs and calls in order of execution: a log that precedes a nested
    call stands before it, also when one of both is later undone by a revert.
    """

    kind: CallKind
    depth: int
    sender: int
    to: int
    code_address: int
    value: int
    input: bytes
    gas: int
    output: bytes = b""
    status: Status = Status.STOP
    gas_used: int = 0
    items: list[TraceItem] = field(default_factory=list)

    @property
    def logs(self) -> list[EmittedLog]:
        """Logs of this frame itself."""
        return [item for item in self.items if isinstance(item, EmittedLog)]

    @property
    def children(self) -> list[CallNode]:
        return [item for item in self.items if isinstance(item, CallNode)]

    @property
    def success(self) -> bool:
        return self.status.success

    @property
    def is_creation(self) -> bool:
        return self.kind in ("CREATE", "CREATE2")


TraceItem = CallNode | EmittedLog


class Tracer:
    """Builds the call tree of each transaction; `roots` has one node per transaction. Set it as `machine.tracer`."""

    def __init__(self) -> None:
        self.roots: list[CallNode] = []
        self._open: list[CallNode] = []
        self._next_log: LogRecord | None = None

    def on_call(self, machine: Machine) -> None:
        """A frame begins; the context describes it."""
        record = machine.context.frame
        depth = machine.context.depth
        if depth == 0:
            self._open.clear()
            self._next_log = machine.context.logs
        self._collect_logs(machine)
        created = record.created
        running = machine.context.code
        if created:
            data = read_bytes(running.bytes, running.bytes_size)
        else:
            data = read_bytes(machine.context.calldata, machine.context.calldata_size)
        node = CallNode(
            kind=KINDS[record.kind],
            depth=depth,
            sender=machine.context.caller,
            to=machine.context.address,
            code_address=record.code_account.address,
            value=machine.context.callvalue,
            input=data,
            gas=machine.context.gas,
        )
        (self._open[-1].items if self._open else self.roots).append(node)
        self._open.append(node)

    def on_return(self, machine: Machine) -> None:
        """The innermost open frame has ended."""
        node = self._open[-1]
        node.status = Status(machine.context.status)
        if node.success:
            self._collect_logs(machine)
        self._open.pop()
        self._next_log = machine.context.logs_top
        node.gas_used = node.gas - machine.context.finish_gas
        if node.is_creation and node.success:
            node.output = machine.get_code(node.to)
        else:
            node.output = machine.output()

    def _collect_logs(self, machine: Machine) -> None:
        """Give the logs since the last event to the innermost open frame."""
        end = machine.context.logs_top
        if self._open and self._next_log:
            self._open[-1].items += [read_log(record) for record in log_records(self._next_log, end)]
        self._next_log = end

"""Call trees: every frame of a transaction with its input, output, logs and children."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.evm.arenas import read_bytes
from simulator.evm.kernel.layout.log import Log as LogRecord
from simulator.evm.logs import log_records, read_log
from simulator.evm.machine import Machine
from simulator.evm.results import EmittedLog, Status

KINDS = ("CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2")


@dataclass
class TracedFrame:
    """One frame. Addresses are integers. `items` holds logs and child calls in order of execution.

    `input` is the calldata, of a creation its code; `output` is the return data, of a creation the deployed code.
    """

    kind: str
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
    items: list[EmittedLog | TracedFrame] = field(default_factory=list)

    @property
    def logs(self) -> list[EmittedLog]:
        """Logs of this frame itself."""
        return [item for item in self.items if isinstance(item, EmittedLog)]

    @property
    def children(self) -> list[TracedFrame]:
        return [item for item in self.items if isinstance(item, TracedFrame)]


class Tracer:
    """Builds the call tree of each transaction; `roots` has one node per transaction. Set it as `machine.tracer`."""

    def __init__(self) -> None:
        self.roots: list[TracedFrame] = []
        self._open: list[TracedFrame] = []
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
        node = TracedFrame(
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
        if node.status.success:
            self._collect_logs(machine)
        self._open.pop()
        self._next_log = machine.context.logs_top
        node.gas_used = node.gas - machine.context.finish_gas
        if node.kind.startswith("CREATE") and node.status.success:
            node.output = machine.get_code(node.to)
        else:
            node.output = machine.output()

    def _collect_logs(self, machine: Machine) -> None:
        """Give the logs since the last event to the innermost open frame."""
        end = machine.context.logs_top
        if self._open and self._next_log:
            self._open[-1].items += [read_log(record) for record in log_records(self._next_log, end)]
        self._next_log = end

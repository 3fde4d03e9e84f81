"""Call trees: every frame of a transaction with its input, output, logs and children."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.evm.arenas import read_bytes, read_int, read_word
from simulator.evm.kernel.layout import account, code, context, frame
from simulator.evm.results import Log, Status

if TYPE_CHECKING:
    from simulator.evm.machine import Machine

KINDS = ("CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2")


@dataclass
class CallNode:
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
    items: list[Log | CallNode] = field(default_factory=list)

    @property
    def logs(self) -> list[Log]:
        """Logs of this frame itself."""
        return [item for item in self.items if isinstance(item, Log)]

    @property
    def children(self) -> list[CallNode]:
        return [item for item in self.items if isinstance(item, CallNode)]


class Tracer:
    """Builds the call tree of each transaction; `roots` has one node per transaction. Set it as `machine.tracer`."""

    def __init__(self) -> None:
        self.roots: list[CallNode] = []
        self._open: list[CallNode] = []
        self._next_log = 0

    def on_call(self, machine: Machine) -> None:
        """A frame begins; the context describes it."""
        record = machine.get(context.FRAME)
        depth = machine.get(context.DEPTH)
        if depth == 0:
            self._open.clear()
            self._next_log = machine.get(context.LOGS)
        self._collect_logs(machine)
        created = read_int(record + frame.CREATED)
        running = machine.get(context.CODE)
        if created:
            data = read_bytes(read_int(running + code.BYTES), read_int(running + code.BYTES_SIZE))
        else:
            data = read_bytes(machine.get(context.CALLDATA), machine.get(context.CALLDATA_SIZE))
        node = CallNode(
            kind=KINDS[read_int(record + frame.KIND)],
            depth=depth,
            sender=machine.get_word(context.CALLER),
            to=machine.get_word(context.ADDRESS),
            code_address=read_word(read_int(record + frame.CODE_ACCOUNT) + account.ADDRESS),
            value=machine.get_word(context.CALLVALUE),
            input=data,
            gas=machine.get(context.GAS),
        )
        (self._open[-1].items if self._open else self.roots).append(node)
        self._open.append(node)

    def on_return(self, machine: Machine) -> None:
        """The innermost open frame has ended."""
        node = self._open[-1]
        node.status = Status(machine.get(context.STATUS))
        if node.status.success:
            self._collect_logs(machine)
        self._open.pop()
        self._next_log = machine.get(context.LOGS_TOP)
        node.gas_used = node.gas - machine.get(context.FINISH_GAS)
        if node.kind.startswith("CREATE") and node.status.success:
            node.output = machine.get_code(node.to)
        else:
            node.output = machine.output()

    def _collect_logs(self, machine: Machine) -> None:
        """Give the logs since the last event to the innermost open frame."""
        from simulator.evm.kernel.layout import log
        from simulator.evm.machine import read_log

        end = machine.get(context.LOGS_TOP)
        while self._next_log < end:
            if self._open:
                self._open[-1].items.append(read_log(self._next_log))
            self._next_log += read_int(self._next_log + log.RECORD_SIZE)

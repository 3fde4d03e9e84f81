"""Call trees as lines of text, in the manner of forge:

    [51231] Vault::deposit{value: 5}(0x20000)
      ├─ [2534] Token::balanceOf(Vault) [staticcall]
      │   └─ ← [Return] 100
      ├─ emit Deposit(who: 0x20000, amount: 5)
      └─ ← [Revert] TooSmall(5)

Numbers in brackets are gas used. Output is bounded whatever the tree holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from simulator.abi.contract import CustomError, Function
from simulator.abi.reasons import decode_reason
from simulator.abi.text import format_raw, format_value
from simulator.abi.types import AbiType, Address, Tuple, Value
from simulator.cheatcodes.console import console_text
from simulator.errors import AbiError
from simulator.evm.addresses import CONSOLE_ADDRESS
from simulator.evm.results import EmittedLog
from simulator.evm.tracer import CallNode, TraceItem
from simulator.printable import one_line
from simulator.trace.address_book import AddressBook
from simulator.transaction import address_bytes

_TAGS = {"STATICCALL": " [staticcall]", "DELEGATECALL": " [delegatecall]", "CALLCODE": " [callcode]"}


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """At most `items` calls, logs and messages; calls nested deeper than `depth` are counted, not shown; each value of
    more than `text` characters loses its middle."""

    items: int = 400
    depth: int = 24
    text: int = 160


DEFAULT_LIMITS = TraceLimits()


def render_trace(calls: Sequence[CallNode], book: AddressBook, limits: TraceLimits = DEFAULT_LIMITS) -> tuple[str, ...]:
    """The lines of these transactions' trees, one after the other; no line holds a line break. Contracts that they
    create are named by their code."""
    renderer = _Renderer(book.with_creations(calls), limits)
    for call in calls:
        if not renderer.call(call, "", "  ", depth=1):
            break
    return tuple(renderer.lines)


def render_log(log: EmittedLog, book: AddressBook, limits: TraceLimits = DEFAULT_LIMITS) -> str:
    """One event as traces show it, on one line: `Deposit(who: 0x20000, amount: 5)`."""
    return one_line(_Renderer(book, limits).log(log))


def call_text(node: CallNode, book: AddressBook, limits: TraceLimits = DEFAULT_LIMITS) -> str:
    """One call without its gas, on one line: `Vault::deposit{value: 5}(0x20000)`."""
    return one_line(_Renderer(book, limits).title(node))


def ending_text(node: CallNode, book: AddressBook, limits: TraceLimits = DEFAULT_LIMITS) -> str:
    """Describe how a call ended, on one line: `[Return] 100`."""
    return one_line(_Renderer(book, limits).ending(node))


def console_message(node: CallNode) -> str | None:
    """The line that a call of `console.log` prints; None for any other call."""
    return console_text(node.input) if node.code_address == CONSOLE_ADDRESS else None


class _Renderer:
    def __init__(self, book: AddressBook, limits: TraceLimits) -> None:
        self._book = book
        self._limits = limits
        self._left = limits.items
        self.lines: list[str] = []

    def call(self, node: CallNode, head: str, indent: str, depth: int) -> bool:
        """Add a call and what happened in it; False when the limit was reached, which a line then says."""
        if not self._take(head):
            return False
        self._add(f"{head}[{node.gas_used}] {self.title(node)}")
        if depth > self._limits.depth and node.items:
            self._add(f"{indent}├─ … {len(node.items)} deeper steps are not shown")
        elif not all(self._item(item, indent, depth) for item in node.items):
            return False
        self._add(f"{indent}└─ ← {self.ending(node)}")
        return True

    def _item(self, item: TraceItem, indent: str, depth: int) -> bool:
        head = f"{indent}├─ "
        match item:
            case CallNode():
                message = console_message(item)
                if message is None:
                    return self.call(item, head, f"{indent}│   ", depth + 1)
                text = f"console: {self._short(message)}"
            case EmittedLog():
                text = f"emit {self.log(item)}"
            case _:
                assert_never(item)
        if not self._take(head):
            return False
        self._add(head + text)
        return True

    def _take(self, head: str) -> bool:
        self._left -= 1
        if self._left < 0:
            self._add(f"{head}… the trace continues; {self._limits.items} steps are shown")
            return False
        return True

    def _add(self, line: str) -> None:
        self.lines.append(one_line(line))

    def title(self, node: CallNode) -> str:
        """The call itself, without its gas."""
        value = f"{{value: {node.value}}}" if node.value else ""
        if node.is_creation:
            return f"→ new {self._created(node)}{value} ({len(node.input)} bytes of creation code)"
        code = "" if node.kind != "DELEGATECALL" or node.code_address == node.to else f" for {self._name(node.to)}"
        call = f"{self._name(node.code_address)}::{self._call_text(node, value)}"
        return f"{call}{_TAGS.get(node.kind, '')}{code}"

    def _created(self, node: CallNode) -> str:
        if not node.to:
            return "<no address>"
        account = address_bytes(node.to)
        address = f"0x{account.hex()}"
        return f"{self._book.name(account)}@{address}" if self._book.is_known(account) else address

    def _call_text(self, node: CallNode, value: str) -> str:
        code_address = address_bytes(node.code_address)
        function = self._book.function(code_address, node.input)
        if function is None:
            name = "receive" if not node.input and self._receives(code_address) else "fallback"
            return f"{name}{value}({self._short(format_raw(node.input)) if node.input else ''})"
        return f"{function.name}{value}({self._arguments(function, node.input)})"

    def _receives(self, address: bytes) -> bool:
        """Return whether calls without calldata get to `receive`; of what is unknown, that is the usual case."""
        abi = self._book.abi(address)
        return abi is None or abi.receive or abi.fallback is None

    def _arguments(self, function: Function, data: bytes) -> str:
        if function.written and not function.inputs.members:
            return self._short(format_raw(data[4:])) if data[4:] else ""
        try:
            values = function.decode_call(data, strict=False)
        except AbiError:
            return self._short(format_raw(data[4:]))
        return ", ".join(self._value(t, v) for t, v in zip(function.inputs.members, values, strict=True))

    def log(self, log: EmittedLog) -> str:
        hashes = tuple(topic.to_bytes(32, "big") for topic in log.topics)
        event = self._book.event(address_bytes(log.address), hashes)
        if event is not None:
            try:
                values = event.decode(hashes, log.data)
            except AbiError:
                event = None
            else:
                return f"{event.name}({self._named(event.inputs, values)})"
        topics = ", ".join(f"0x{topic.hex()}" for topic in hashes)
        return f"log(topics: [{topics}], data: {self._short(format_raw(log.data))})"

    def _named(self, inputs: Tuple, values: Sequence[Value]) -> str:
        """`name: value` of each event parameter. An indexed array or text is the bytes of its hash."""
        parts = []
        for index, (member, value) in enumerate(zip(inputs.members, values, strict=True)):
            name = inputs.names[index] if index < len(inputs.names) else ""
            is_hash = isinstance(value, bytes) and len(value) == 32
            text = f"0x{value.hex()}" if is_hash and isinstance(value, bytes) else self._value(member, value)
            parts.append(f"{name}: {text}" if name else text)
        return ", ".join(parts)

    def _value(self, abi_type: AbiType, value: Value) -> str:
        if isinstance(abi_type, Address) and isinstance(value, int):
            address = address_bytes(value)
            if self._book.is_known(address):
                return self._book.name(address)
        return self._short(format_value(abi_type, value))

    def ending(self, node: CallNode) -> str:
        """Its outcome."""
        if not node.success:
            return self._short(describe_failure(node.status.text, node.output, self._book.errors))
        if node.is_creation:
            return f"[Return] {len(node.output)} bytes of code"
        return f"[Return] {self._result(node)}" if node.output else "[Stop]"

    def _result(self, node: CallNode) -> str:
        function = self._book.function(address_bytes(node.code_address), node.input)
        if function is None or not function.outputs.members:
            return self._short(format_raw(node.output))
        try:
            values = function.decode_result(node.output, strict=False)
        except AbiError:
            return self._short(format_raw(node.output))
        return ", ".join(self._value(t, v) for t, v in zip(function.outputs.members, values, strict=True))

    def _name(self, address: int) -> str:
        return self._book.name(address_bytes(address))

    def _short(self, text: str) -> str:
        limit = self._limits.text
        if len(text) <= limit:
            return text
        keep = (limit - 1) // 2
        return f"{text[:keep]}…{text[-keep:]}"


def describe_failure(status: str, output: bytes, errors: Mapping[bytes, CustomError]) -> str:
    """`[Revert] reason` for a revert, which `status` then says; else the status itself in brackets."""
    if status.lower().startswith("revert"):
        return f"[Revert] {decode_reason(output, errors).text}"
    return f"[{status}]"

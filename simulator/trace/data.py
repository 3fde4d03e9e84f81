"""Call trees as data, for programs: calls, events and messages in order of execution, each with its depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from simulator.evm.results import EmittedLog
from simulator.evm.tracer import CallNode, TraceItem
from simulator.printable import one_line
from simulator.trace.address_book import AddressBook
from simulator.trace.render import TraceLimits, call_text, console_message, ending_text, render_log
from simulator.transaction import address_bytes

MAX_ITEMS = 200
MAX_BYTES = 1_024
_TEXTS = TraceLimits(text=320)


class TracedCall(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One step of a trace. `type` is that of the call (`CALL`, `STATICCALL`, `CREATE`, ...), `EVENT` or `CONSOLE`;
    `depth` 0 is a transaction's own call. `text` is the step as people read it, `result` how a call ended. Addresses,
    `input` and `output` are 0x-hex, `value` is wei in decimal. `truncated` when bytes or steps are missing."""

    type: str
    depth: int
    text: str
    sender: str = ""
    to: str = ""
    contract: str = ""
    value: str = ""
    input: str = ""
    output: str = ""
    gas: int = 0
    gas_used: int = 0
    success: bool | None = None
    result: str = ""
    truncated: bool = False


def trace_data(calls: Sequence[CallNode], book: AddressBook) -> tuple[TracedCall, ...]:
    """The steps of these transactions, at most `MAX_ITEMS`; the last one then says that some are missing."""
    book = book.with_creations(calls)
    found: list[TracedCall] = []
    for item, depth in _steps(calls):
        if len(found) == MAX_ITEMS:
            found[-1] = msgspec.structs.replace(found[-1], truncated=True)
            break
        found.append(_traced(item, depth, book))
    return tuple(found)


def _steps(calls: Sequence[CallNode]) -> Iterator[tuple[TraceItem, int]]:
    """Without recursion: the EVM's depth is more than Python's stack can hold."""
    waiting: list[tuple[TraceItem, int]] = [(call, 0) for call in reversed(calls)]
    while waiting:
        item, depth = waiting.pop()
        yield item, depth
        if isinstance(item, CallNode) and console_message(item) is None:
            waiting.extend((each, depth + 1) for each in reversed(item.items))


def _traced(item: TraceItem, depth: int, book: AddressBook) -> TracedCall:
    if isinstance(item, EmittedLog):
        address = address_bytes(item.address)
        return TracedCall(
            "EVENT", depth, render_log(item, book, _TEXTS), to=_hex(address), contract=_name(address, book)
        )
    if (message := console_message(item)) is not None:
        return TracedCall("CONSOLE", depth, one_line(message)[:MAX_BYTES])
    account = address_bytes(item.to)
    return TracedCall(
        item.kind,
        depth,
        call_text(item, book, _TEXTS),
        sender=_hex(address_bytes(item.sender)),
        to=_hex(account),
        contract=_name(account, book),
        value=str(item.value),
        input=_hex(item.input[:MAX_BYTES]),
        output=_hex(item.output[:MAX_BYTES]),
        gas=item.gas,
        gas_used=item.gas_used,
        success=item.success,
        result=ending_text(item, book, _TEXTS),
        truncated=len(item.input) > MAX_BYTES or len(item.output) > MAX_BYTES,
    )


def _name(address: bytes, book: AddressBook) -> str:
    return book.name(address) if book.is_known(address) else ""


def _hex(data: bytes) -> str:
    return f"0x{data.hex()}"

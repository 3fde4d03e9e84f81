"""Call trees of the EVM's tracer in the form that the renderer prints."""

from __future__ import annotations

from typing import cast

from simulator.cheatcodes.console import console_text
from simulator.evm import tracer
from simulator.evm.addresses import CONSOLE_ADDRESS
from simulator.evm.results import EmittedLog, Status
from simulator.trace.nodes import CallKind, CallNode, ConsoleMessage, LogRecord, TraceItem


def status_text(status: Status) -> str:
    """How a frame ended, in a person's words."""
    match status:
        case Status.STOP | Status.RETURN:
            return "success"
        case Status.REVERT:
            return "reverted"
        case Status.INVALID_OPCODE:
            return "invalid opcode 0xfe"
        case _:
            return status.name.lower().replace("_", " ")


def call_tree(root: tracer.TracedFrame) -> CallNode:
    """The tree below `root`, unchanged in content and order. Depth is the EVM's, which is more than Python's stack can
    hold, so the tree is rebuilt from its leaves without recursion."""
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    built: dict[int, CallNode] = {}
    for node in reversed(nodes):
        built[id(node)] = _call(node, tuple(_item(item, built) for item in node.items))
    return built[id(root)]


def _call(node: tracer.TracedFrame, items: tuple[TraceItem, ...]) -> CallNode:
    return CallNode(
        kind=cast("CallKind", node.kind),
        sender=node.sender.to_bytes(20, "big"),
        to=node.to.to_bytes(20, "big"),
        code_address=node.code_address.to_bytes(20, "big"),
        value=node.value,
        gas=node.gas,
        gas_used=node.gas_used,
        input=node.input,
        output=node.output,
        success=node.status.success,
        status=status_text(node.status),
        items=items,
    )


def _item(item: EmittedLog | tracer.TracedFrame, built: dict[int, CallNode]) -> TraceItem:
    if isinstance(item, EmittedLog):
        topics = tuple(topic.to_bytes(32, "big") for topic in item.topics)
        return LogRecord(item.address.to_bytes(20, "big"), topics, item.data)
    text = console_text(item.input) if item.code_address == CONSOLE_ADDRESS else None
    return built[id(item)] if text is None else ConsoleMessage(text)

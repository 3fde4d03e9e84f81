"""Call trees of the tracer in the form of the renderer."""

from __future__ import annotations

from simulator.evm import tracer
from simulator.evm.results import EmittedLog, Status
from simulator.trace.nodes import CallNode, LogRecord
from simulator.trace.recording import call_tree


def recorded(**changes: object) -> tracer.TracedFrame:
    values = {"kind": "CALL", "depth": 0, "sender": 1, "to": 2, "code_address": 3, "value": 4, "input": b"in", "gas": 5}
    return tracer.TracedFrame(**{**values, **changes})  # type: ignore[arg-type]


def test_content_and_order_are_kept() -> None:
    """Logs and calls stay where they happened; numbers become addresses and topics."""
    inner = recorded(kind="STATICCALL", status=Status.OUT_OF_GAS)
    root = recorded(output=b"out", gas_used=7, items=[EmittedLog(9, (8,), b"data"), inner, EmittedLog(9, (), b"")])
    tree = call_tree(root)
    assert (tree.sender, tree.to, tree.code_address) == tuple(n.to_bytes(20, "big") for n in (1, 2, 3))
    assert (tree.value, tree.gas, tree.gas_used, tree.input, tree.output, tree.success) == (
        4,
        5,
        7,
        b"in",
        b"out",
        True,
    )
    first, second, third = tree.items
    assert first == LogRecord((9).to_bytes(20, "big"), ((8).to_bytes(32, "big"),), b"data")
    assert isinstance(second, CallNode)
    assert (second.kind, second.success, second.status) == ("STATICCALL", False, "out of gas")
    assert isinstance(third, LogRecord)


def test_calls_may_nest_as_deep_as_the_evm_allows() -> None:
    """1,024 frames are more than Python's own stack holds."""
    node = recorded()
    for _ in range(1024):
        node = recorded(items=[node])
    tree: CallNode | None = call_tree(node)
    depth = 0
    while tree is not None and tree.items:
        tree = tree.items[0] if isinstance(tree.items[0], CallNode) else None
        depth += 1
    assert depth == 1024

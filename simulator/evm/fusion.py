"""The tables by which the decoder joins instructions, as `kernel/code/superinstructions.py` describes them."""

from __future__ import annotations

import struct
from functools import cache

from simulator.evm.kernel.code.superinstructions import JOINT


def _sequences(handlers: dict[str, int]) -> dict[tuple[int, ...], int]:
    """Handlers of sequences by the handlers of their parts."""
    joined = {name: number for name, number in handlers.items() if JOINT in name}
    return {tuple(handlers[part] for part in name.split(JOINT)): number for name, number in joined.items()}


def fusion_width(handlers: dict[str, int]) -> int:
    """Entries of a row: one for each handler, and the accepted one."""
    return len(handlers) + 1


def fusion_table(handlers: dict[str, int]) -> bytes:
    """The trie of all sequences."""
    return _table(tuple(handlers.items()))


@cache
def _table(numbered: tuple[tuple[str, int], ...]) -> bytes:
    handlers = dict(numbered)
    width = fusion_width(handlers)
    rows = [[0] * width]
    for sequence, accepted in _sequences(handlers).items():
        state = 0
        for handler in sequence:
            if not rows[state][handler]:
                rows[state][handler] = len(rows)
                rows.append([0] * width)
            state = rows[state][handler]
        rows[state][-1] = accepted
    return b"".join(struct.pack(f"<{width}i", *row) for row in rows)


def fusion_lengths(handlers: dict[str, int]) -> bytes:
    """Number of instructions for each handler."""
    ordered = sorted(handlers, key=lambda name: handlers[name])
    return struct.pack(f"<{len(ordered)}i", *(name.count(JOINT) + 1 for name in ordered))

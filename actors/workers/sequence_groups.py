"""Sequences cut into groups that fit frames."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.transaction import Sequence

GROUP_BYTES = 1 << 20


def sequence_groups(sequences: tuple[Sequence, ...], most: int = 64) -> Iterable[tuple[Sequence, ...]]:
    """Groups of at most `most` sequences and about `GROUP_BYTES` of calldata, well below a frame's limit."""
    group: list[Sequence] = []
    size = 0
    for sequence in sequences:
        weight = sum(len(transaction.data) + 128 for transaction in sequence)
        if group and (len(group) >= most or size + weight > GROUP_BYTES):
            yield tuple(group)
            group, size = [], 0
        group.append(sequence)
        size += weight
    if group:
        yield tuple(group)

"""Statistics of each function of the target: calls, reverts, and when it last brought coverage."""

from __future__ import annotations

from itertools import zip_longest

import msgspec

from simulator.transaction import SELECTOR_SIZE, Transaction
from simulator.worker.reports import FunctionCounts, FunctionInfo, Ready

Totals = list[tuple[int, int]]


class FunctionCoverage(msgspec.Struct, frozen=True, rename="camel"):
    """One function over all workers and their processes. `last_coverage` is trio's time at which a sequence that ends
    with a call of it was the first to reach something; None before that."""

    contract: str
    signature: str
    calls: int
    reverts: int
    last_coverage: float | None


class FunctionTotals(msgspec.Struct, frozen=True):
    """State of one function, kept by a checkpoint. `covered_at` is the number of calls that the campaign had made when
    the function last brought coverage, None for never.
    """

    contract: str
    signature: str
    calls: int
    reverts: int
    covered_at: int | None = None


class FunctionCoverageTable:
    """Workers send totals of their process by index into `Ready.functions`, which is the same for all of them; so the
    totals of a process that is gone are added to a base, and its successor starts at zero."""

    def __init__(self) -> None:
        self._functions: tuple[FunctionInfo, ...] = ()
        self._contracts: dict[bytes, str] = {}
        self._base: Totals = []
        self._live: dict[int, FunctionCounts] = {}
        self._covered: dict[int, float] = {}

    def introduce(self, ready: Ready) -> None:
        """Take a worker's description of the target. Only the first counts; later ones are equal."""
        if not self._functions:
            self._functions = ready.functions
            self._contracts = {address: label.rpartition(":")[2] for address, label in ready.addresses}

    def restore(self, totals: tuple[FunctionTotals, ...]) -> None:
        """Add what an earlier campaign counted; once the functions are introduced."""
        known = {(each.contract, each.signature): (each.calls, each.reverts) for each in totals}
        counts = [known.get((info.contract, info.signature), (0, 0)) for info in self._functions]
        self._base = _sum(self._base, counts)

    def count(self, worker: int, frame: FunctionCounts) -> None:
        """Take the totals of this worker's process."""
        self._live[worker] = frame

    def retire(self, worker: int) -> None:
        """The worker's process is gone; what it counted stays."""
        self._base = _add(self._base, self._live.pop(worker, None))

    def cover(self, call: Transaction, now: float) -> None:
        """A sequence that ends with this call was the first to reach something."""
        index = self._index(call)
        if index is not None:
            self._covered[index] = now

    def function_of(self, call: Transaction) -> FunctionInfo | None:
        """The function that is called, None where that is not clear."""
        index = self._index(call)
        return None if index is None else self._functions[index]

    def counts(self) -> tuple[tuple[int, int], ...]:
        """(calls, reverts) of each function."""
        totals = self._base
        for frame in self._live.values():
            totals = _add(totals, frame)
        return tuple(totals)

    def statistics(self) -> tuple[FunctionCoverage, ...]:
        """All functions in the order of `Ready.functions`."""
        counts = dict(enumerate(self.counts()))
        return tuple(
            FunctionCoverage(info.contract, info.signature, *counts.get(index, (0, 0)), self._covered.get(index))
            for index, info in enumerate(self._functions)
        )

    def _index(self, call: Transaction) -> int | None:
        """The function that is called: the callee's own where its name is known, else the only one of its selector."""
        selector = call.data[:SELECTOR_SIZE]
        found = [index for index, info in enumerate(self._functions) if info.selector == selector]
        own = [index for index in found if self._functions[index].contract == self._contracts.get(call.to)]
        candidates = own or found
        return candidates[0] if len(candidates) == 1 else None


def _add(totals: Totals, frame: FunctionCounts | None) -> Totals:
    return totals if frame is None else _sum(totals, list(zip(frame.calls, frame.reverts, strict=False)))


def _sum(totals: Totals, more: Totals) -> Totals:
    return [(a + c, b + d) for (a, b), (c, d) in zip_longest(totals, more, fillvalue=(0, 0))]

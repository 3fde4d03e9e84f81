"""Fuzz tests whose inputs are rejected too often, which forge counts as failures."""

from __future__ import annotations

from simulator.worker.reports import Falsified
from simulator.worker.setup import Worker


class RejectionWatch:
    """Counts of one worker, looked at between batches."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        signatures = {each.name: each.id for each in worker.oracles}
        self._tests = [
            (target.index, signatures[target.function.signature])
            for target in worker.functions
            if target.alone and target.weight > 0 and target.function.signature in signatures
        ]

    def failures(self) -> list[Falsified]:
        """Open tests that have rejected more than is allowed before they passed as often as they should; closes
        them."""
        return [frame for index, test in self._tests if (frame := self._failure(index, test)) is not None]

    def _failure(self, index: int, test: int) -> Falsified | None:
        limits = self._worker.settings.foundry
        record = self._worker.engine.functions.records[index]
        if record.rejects <= limits.max_rejects or record.calls - record.reverts >= limits.runs:
            return None
        if not self._worker.engine.oracles.is_open(test):
            return None
        self._worker.engine.oracles.set_open(test, False)
        return Falsified(test, (), f"`vm.assume` rejected too many inputs ({limits.max_rejects} allowed)", "", 0)

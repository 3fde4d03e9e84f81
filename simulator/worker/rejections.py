"""Fuzz tests whose inputs are rejected too often, which forge counts as failures."""

from __future__ import annotations

from simulator.fuzz.checking.oracles import Check
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
        found = [frame for index, test in self._tests if (frame := self._failure(index, test)) is not None]
        return [*found, *self._invariants()]

    def _invariants(self) -> list[Falsified]:
        """All of them fail where a whole sequence of calls that are not rejected takes more rejections than allowed."""
        engine, limit = self._worker.engine, self._worker.settings.foundry.max_assume_rejects
        rejects = engine.context.rejects
        taken = max(engine.calls - rejects, 0)
        if rejects <= limit or taken * limit >= rejects * self._worker.settings.sequence_length:
            return []
        checks = (Check.FOUNDRY_INVARIANT, Check.FOUNDRY_HANDLERS)
        tests = [each.id for each in self._worker.oracles if each.check in checks]
        return [self._close(test, limit) for test in tests if engine.oracles.is_open(test)]

    def _close(self, test: int, limit: int) -> Falsified:
        self._worker.engine.oracles.set_open(test, False)
        return Falsified(test, (), f"`vm.assume` rejected too many inputs ({limit} allowed)", "", 0)

    def _failure(self, index: int, test: int) -> Falsified | None:
        limits = self._worker.settings.foundry
        record = self._worker.engine.functions.records[index]
        if record.rejects <= limits.max_rejects or record.calls - record.reverts >= limits.runs:
            return None
        return self._close(test, limits.max_rejects) if self._worker.engine.oracles.is_open(test) else None

"""Foundry tests that skip inputs, or reject them too often, which forge counts as failures."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from simulator.fuzz.checking.oracles import Check
from simulator.worker.reports import Falsified, Presumed
from simulator.worker.setup import Worker

LEAST_CALLS = 1024
"""Calls between invariants after which none that was accepted means that none ever is."""
LEAST_REJECTS = 16
"""Rejected inputs after which a test that accepted none is no longer held for one that passes."""
DEVIATIONS, MARGIN = 2, 4
"""How far below forge's rate the accepted inputs must stay before their number is taken for no accident."""


class RejectionWatch:
    """Counts of one worker, looked at between batches.

    Forge fails what rejects more inputs than its limit before it was run often enough. A test over the limit fails; one
    that keeps to a rate at which forge would get there is presumed to fail, should the campaign end before.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._limits = worker.settings.foundry
        signatures = {each.name: each.id for each in worker.oracles}
        self._tests = [
            (target.index, signatures[target.function.signature], self._runs(target.function.name))
            for target in worker.functions
            if target.alone and target.weight > 0 and target.function.signature in signatures
        ]
        self._invariants = [each.id for each in worker.oracles if each.check is Check.FOUNDRY_INVARIANT]
        self._presumed: dict[int, Presumed] = {}

    def news(self) -> list[Falsified | Presumed]:
        """Return the new warnings about open tests that have not failed anywhere; close those that fail."""
        oracles = self._worker.engine.oracles
        found: list[Falsified | Presumed] = []
        for frame in (*self._of_tests(), *self._of_invariants()):
            if not oracles.is_open(frame.test) or oracles.has_failed(frame.test):
                continue
            if isinstance(frame, Falsified):
                oracles.set_open(frame.test, False)
                found.append(frame)
            elif self._presumed.get(frame.test, Presumed(frame.test)) != frame:
                self._presumed[frame.test] = frame
                found.append(frame)
        return found

    def _of_tests(self) -> Iterator[Falsified | Presumed]:
        for index, test, (runs, limit) in self._tests:
            record = self._worker.engine.functions.records[index]
            accepted, rejected = record.calls - record.reverts, record.rejects
            if self._worker.engine.oracles.is_skipped(test):
                yield Presumed(test, "skipped", "some inputs are skipped")
            elif accepted >= runs or not rejected or not limit:
                yield Presumed(test)
            else:
                yield _judged(test, accepted, rejected, runs, limit)

    def _of_invariants(self) -> Iterator[Falsified | Presumed]:
        """All of them fail where a whole sequence of calls that are not rejected takes more rejections than allowed."""
        rejected = self._worker.engine.context.rejects
        if not rejected:
            return
        records = self._worker.engine.functions.records
        calls = sum(records[target.index].calls for target in self._worker.engine.targets if not target.alone)
        accepted, limit = max(calls - rejected, 0), self._limits.max_assume_rejects
        depth = self._worker.settings.sequence_length
        for test in self._invariants:
            if rejected > limit and accepted * limit < rejected * depth:
                yield _too_many(test, limit)
            elif not accepted and rejected >= LEAST_CALLS:
                yield _presumed_to_fail(test, accepted, rejected, limit)
            else:
                is_rare = _is_rare(accepted, rejected, depth, limit)
                yield _presumed_to_fail(test, accepted, rejected, limit) if is_rare else Presumed(test)

    def _runs(self, function: str) -> tuple[int, int]:
        """Return how often forge runs a test, and how many inputs it may reject; any number with 0."""
        contract = self._worker.deployment.target.contract.full_name
        runs = self._limits.number("fuzz.runs", contract, function, self._limits.runs)
        return runs, self._limits.number("fuzz.max_test_rejects", contract, function, self._limits.max_rejects)


def _judged(test: int, accepted: int, rejected: int, runs: int, limit: int) -> Falsified | Presumed:
    if rejected > limit:
        return _too_many(test, limit)
    is_rare = _is_rare(accepted, rejected, runs, limit) if accepted else rejected >= LEAST_REJECTS
    return _presumed_to_fail(test, accepted, rejected, limit) if is_rare else Presumed(test)


def _is_rare(accepted: int, rejected: int, wanted: int, limit: int) -> bool:
    """Return whether the limit of rejections is reached before so many inputs as are `wanted` are accepted."""
    expected = (accepted + rejected) * wanted / (wanted + limit)
    return accepted + DEVIATIONS * sqrt(accepted) + MARGIN < expected


def _too_many(test: int, limit: int) -> Falsified:
    return Falsified(test, (), f"`vm.assume` rejected too many inputs ({limit} allowed)", "", 0)


def _presumed_to_fail(test: int, accepted: int, rejected: int, limit: int) -> Presumed:
    share = f"{100 * rejected // (accepted + rejected)} % of the" if accepted else "all"
    return Presumed(
        test,
        "failed",
        f"`vm.assume` rejected {share} inputs: at this rate forge comes to more than the {limit:,} that it allows",
    )

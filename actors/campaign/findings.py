"""Handling of a finding: write its reproducer, log its event, notify the others, in this order.

Works for the campaign actor, which alone calls it and owns the table of tests.
"""

from __future__ import annotations

from actors.campaign.tests import TestTable
from actors.corpus.keeper import CorpusKeeper
from actors.events.log import EventLog
from actors.events.types import CAMPAIGN, PropertyFalsified, ShrinkProgress, TestDecided, Warned
from simulator.transaction import Sequence
from simulator.worker.reports import Done, Falsified, Shrunk, Skipped


class Findings:
    """The table of tests together with the folder and the log that its changes go to."""

    def __init__(self, shrink_limit: int, keeper: CorpusKeeper, log: EventLog) -> None:
        self.tests = TestTable(shrink_limit)
        self._keeper = keeper
        self._log = log

    async def falsify(self, worker: int, frame: Falsified) -> bool:
        """Record a failure that a worker reports. Return whether the other workers can stop looking for it."""
        record = self.tests.falsify(frame) if frame.test in self.tests else None
        if record is None:
            return False
        finding, info = record.info.id, record.info
        if frame.sequence:
            await self._save_reproducer(finding, shrunk=False)
        self._log.append(
            worker,
            PropertyFalsified(
                finding,
                info.name,
                info.kind,
                info.contract,
                frame.reason,
                frame.sequence,
                frame.value,
                frame.gas_used,
                frame.site,
            ),
        )
        if record.state == "solved":
            await self._decided(finding)
        return record.state != "open"

    async def skip(self, frame: Skipped) -> bool:
        """A worker says that a test skips itself. True when that decides the test."""
        if frame.test not in self.tests or not self.tests.skip(frame):
            return False
        await self._decided(frame.test)
        return True

    def shrunk(self, worker: int, frame: Shrunk) -> None:
        """A worker has made a failing sequence smaller."""
        if frame.test in self.tests and self.tests.progress(frame):
            record = self.tests[frame.test]
            event = ShrinkProgress(frame.test, record.info.name, len(record.sequence), record.attempts)
            self._log.append(worker, event)

    async def end_shrink(self, worker: int, test: int, done: Done) -> None:
        """A worker has ended its shrink of this test."""
        if not self.tests.end_shrink(test, interrupted=done.reason == "interrupted"):
            name = self.tests[test].info.name
            self._log.append(worker, Warned(f"{name}: the sequence that was found did not fail again when shrunk"))
        if self.tests[test].state == "solved":
            await self._decided(test)

    async def give_up(self, test: int) -> None:
        """Shrinking this test killed workers: it is reported in its current form."""
        self.tests.give_up(test)
        name = self.tests[test].info.name
        self._log.append(CAMPAIGN, Warned(f"{name}: shrinking it killed workers and continues no further"))
        await self._decided(test)

    async def change_limit(self, shrink_limit: int) -> None:
        """Another limit for each shrink from now on."""
        for test in self.tests.change_limit(shrink_limit):
            await self._decided(test)

    async def crash(self, worker: int, sequence: Sequence, failure: str) -> None:
        """A sequence has killed workers, the last one as `failure` says: save it, log it, and keep it among the
        findings."""
        reason = f"workers that execute it die: {failure}"
        test = self.tests.add_crash(sequence, reason)
        await self._save_reproducer(test, shrunk=False)
        info = self.tests[test].info
        self._log.append(worker, PropertyFalsified(test, info.name, info.kind, info.contract, reason, sequence))
        self._log.append(CAMPAIGN, TestDecided(test, info.name, "solved"))

    async def finish(self, failure: str | None) -> None:
        """The campaign is over: decide every test that is undecided."""
        for test in self.tests.finish(failure):
            record = self.tests[test]
            if record.presumed == "failed" and record.falsified:
                info = record.info
                self._log.append(
                    CAMPAIGN, PropertyFalsified(test, info.name, info.kind, info.contract, record.reason, ())
                )
            await self._decided(test)

    async def _decided(self, test: int) -> None:
        record = self.tests[test]
        if record.found and record.sequence:
            await self._save_reproducer(test, shrunk=True)
        self._log.append(CAMPAIGN, TestDecided(test, record.info.name, record.state, record.sequence))

    async def _save_reproducer(self, test: int, *, shrunk: bool) -> None:
        problem = await self._keeper.keep_reproducer(self.tests[test].sequence, shrunk=shrunk)
        if problem is not None:
            self._log.append(CAMPAIGN, Warned(problem))

"""The tests of a campaign and the state of each: open, shrinking, solved, passed, skipped, error.

A test fails once at each site, by whichever worker comes first; the failure is then shrinking until its sequence is
minimal or the shrink limit is used, and then solved. The first is the test's own record, each later one has a record
behind those of the tests. A test is closed once it fails as a whole, or at too many sites. Optimizations stay open,
keep their best value, and are shrunk at the end.
Plain state without clock or input; the campaign actor owns it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from actors.campaign.shrink_jobs import ShrinkJobs
from simulator.fuzz.sites.failure_sites import MAX_SITES
from simulator.trace.data import TracedCall
from simulator.transaction import Sequence, plain_order
from simulator.worker.commands import Shrink
from simulator.worker.reports import Falsified, Presumed, Shrunk, Skipped, TestInfo, Verdict

TestState = Literal["open", "shrinking", "solved", "passed", "skipped", "error"]
SHRINK_SLICE = 5_000


class TestRecord(msgspec.Struct, frozen=True):
    """Everything known of one test. `sequence` is the smallest one that fails (or gives the best `value`), `unshrunk`
    the one that was found. `attempts` executions were spent on shrinking; `minimal` once nothing can be left out.
    `site` is where it fails, empty for the test as a whole. A further failure of a test has that test as `parent`.
    `presumed` is the verdict on it should it be open at the end."""

    __test__ = False

    info: TestInfo
    state: TestState = "open"
    reason: str = ""
    sequence: Sequence = ()
    unshrunk: Sequence = ()
    attempts: int = 0
    minimal: bool = False
    value: str = ""
    trace: tuple[str, ...] = ()
    calls: tuple[TracedCall, ...] = ()
    site: str = ""
    parent: int = -1
    presumed: Verdict = "passed"

    @property
    def is_test(self) -> bool:
        """A test that workers check, and not a further failure of one or a sequence that killed workers."""
        return self.parent < 0 and self.info.kind != "crash"

    @property
    def found(self) -> bool:
        """It failed, or an optimization has a value."""
        return self.state in ("shrinking", "solved")

    @property
    def falsified(self) -> bool:
        return self.found and self.info.kind != "optimization"


class TestTable:
    """Ids are indexes. `shrink_limit` executions may be spent on each test."""

    __test__ = False

    def __init__(self, shrink_limit: int) -> None:
        self._limit = shrink_limit
        self._records: list[TestRecord] = []
        self._jobs = ShrinkJobs()

    def introduce(self, tests: tuple[TestInfo, ...]) -> None:
        """The tests as the first worker names them; later workers have the same, from the same project."""
        if not self._records:
            self._records = [TestRecord(info) for info in tests]

    def restore(self, records: tuple[TestRecord, ...]) -> int:
        """Restore an earlier campaign's state of these tests, and its sequences that killed workers. What it had not
        decided against a test is open again, interrupted shrinking continues. Returns how many tests were known.
        """
        earlier = {_key(record): record for record in records if record.is_test}
        ids = {_key(record): index for index, record in enumerate(self._records)}
        known = 0
        for index, record in enumerate(self._records):
            if (found := earlier.get(_key(record))) is not None:
                self._records[index] = self._taken_up(msgspec.structs.replace(found, info=record.info))
                known += 1
        for record in records:
            if record.info.kind == "crash":
                self._append(record)
            elif record.parent >= 0 and (parent := ids.get(_key(record))) is not None:
                self._append(msgspec.structs.replace(self._taken_up(record), parent=parent))
        return known

    def _append(self, record: TestRecord) -> TestRecord:
        info = msgspec.structs.replace(record.info, id=len(self._records))
        self._records.append(msgspec.structs.replace(record, info=info))
        return self._records[-1]

    def _taken_up(self, record: TestRecord) -> TestRecord:
        if record.info.kind == "optimization":
            return msgspec.structs.replace(record, state="open", attempts=0, minimal=False)
        if not record.found:
            return TestRecord(record.info)
        is_unfinished = bool(record.sequence) and not record.minimal and record.attempts < self._limit
        return msgspec.structs.replace(record, state="shrinking" if is_unfinished else "solved")

    @property
    def records(self) -> tuple[TestRecord, ...]:
        return tuple(self._records)

    def __contains__(self, test: int) -> bool:
        return 0 <= test < len(self._records)

    def __getitem__(self, test: int) -> TestRecord:
        return self._records[test]

    @property
    def closed(self) -> tuple[int, ...]:
        """Tests that workers no longer need to check."""
        return tuple(filter(self._is_closed, self._tests()))

    @property
    def settled(self) -> tuple[tuple[int, str], ...]:
        """Tests and the sites at which they are known to fail; the site is empty for a closed one."""
        closed = self.closed
        known = [(test, site) for test in self._tests() if test not in closed for site in self._sites(test)]
        return (*((test, "") for test in closed), *known)

    @property
    def all_closed(self) -> bool:
        return bool(self._records) and len(self.closed) == len(self._tests())

    @property
    def can_be_decided(self) -> bool:
        """Fuzzing can still find something: a test is open, or a value to improve on."""
        return not self.all_closed or any(record.info.kind == "optimization" for record in self._records)

    def _is_closed(self, test: int) -> bool:
        if self._records[test].state == "open":
            return False
        sites = self._sites(test)
        return "" in sites or len(sites) >= MAX_SITES

    def _sites(self, test: int) -> list[str]:
        """Return the sites at which a test fails, in the order of discovery; a site that is empty closes it."""
        own = self._records[test]
        sites = [own.site] if own.state != "open" else []
        return sites + [record.site for record in self._records if record.parent == test]

    @property
    def any_falsified(self) -> bool:
        return any(self._records[index].falsified for index in self._tests())

    def _tests(self) -> tuple[int, ...]:
        """Return the tests that workers check."""
        return tuple(index for index, record in enumerate(self._records) if record.is_test)

    # --- findings ----------------------------------------------------------------------------------------------------

    def falsify(self, frame: Falsified) -> TestRecord | None:
        """A worker says that a test fails. Returns the record of it where that is news: the first failure at a site, or
        a better value."""
        record = self._records[frame.test]
        if record.info.kind == "optimization":
            return self._improve(frame, record)
        if self._is_closed(frame.test) or frame.site in self._sites(frame.test):
            return None
        if record.state != "open":
            index = self._append(TestRecord(record.info, parent=frame.test)).info.id
        else:
            index = frame.test
        self._change(
            index,
            state="shrinking" if frame.sequence and self._limit > 0 else "solved",
            reason=frame.reason,
            sequence=frame.sequence,
            unshrunk=frame.sequence,
            minimal=not frame.sequence,
            value=frame.value,
            site=frame.site,
            calls=frame.calls,
        )
        return self._records[index]

    def skip(self, frame: Skipped) -> bool:
        """A worker says that a test skips itself. True when that decides the test."""
        if self._records[frame.test].state != "open":
            return False
        self._change(frame.test, state="skipped", reason=frame.reason)
        return True

    def presume(self, frame: Presumed) -> None:
        """A worker says what becomes of a test that is open at the end."""
        if frame.test in self and self._records[frame.test].state == "open":
            self._change(frame.test, presumed=frame.verdict, reason=frame.reason)

    def _improve(self, frame: Falsified, record: TestRecord) -> TestRecord | None:
        if record.state != "open" or (record.value and _number(frame.value) <= _number(record.value)):
            return None
        self._change(
            frame.test,
            reason=frame.reason,
            sequence=frame.sequence,
            unshrunk=frame.sequence,
            value=frame.value,
            calls=frame.calls,
        )
        return self._records[frame.test]

    def add_crash(self, sequence: Sequence, reason: str) -> int:
        """A sequence that kills workers, as a finding of its own. Returns its id."""
        number = sum(record.info.kind == "crash" for record in self._records) + 1
        contract = self._records[0].info.contract if self._records else ""
        info = TestInfo(len(self._records), f"crash_{number}", "crash", contract)
        self._records.append(TestRecord(info, "solved", reason, sequence, sequence))
        return info.id

    def begin_shrinking_optimizations(self) -> None:
        """Fuzzing is over: the sequences behind the best values are shrunk like failures."""
        for index, record in enumerate(self._records):
            if record.state == "open" and record.info.kind == "optimization" and record.value:
                shrinkable = bool(record.sequence) and self._limit > 0
                self._change(index, state="shrinking" if shrinkable else "solved", minimal=not record.sequence)

    def reopen_optimizations(self) -> None:
        """Fuzzing continues: better values count again."""
        for index, record in enumerate(self._records):
            if record.info.kind == "optimization" and record.state in ("shrinking", "solved") and record.is_test:
                self._change(index, state="open", attempts=0, minimal=False)

    def reset(self, tests: tuple[int, ...]) -> tuple[int, ...]:
        """Forget what these tests were found to do, so that they are checked again. Further failures of a test are
        findings of their own and stay known. Returns the tests that were not open."""
        changed = tuple(test for test in tests if test not in self._jobs and self._can_reset(self._records[test]))
        for test in changed:
            self._records[test] = TestRecord(self._records[test].info)
        return changed

    @staticmethod
    def _can_reset(record: TestRecord) -> bool:
        return record.is_test and record.state != "open"

    # --- shrinking ---------------------------------------------------------------------------------------------------

    @property
    def shrinking(self) -> bool:
        """A shrink is waiting or under way."""
        return any(record.state == "shrinking" for record in self._records)

    def next_shrink(self, attempts: int = SHRINK_SLICE, worker: int | None = None) -> Shrink | None:
        """Work for an idle worker: at most so many attempts at the first failing test that is not being shrunk. One
        that a worker is in the middle of, and knows much about, waits for that `worker`; without one named, it goes to
        the first that asks. The caller hands it out, or loses it with `drop_shrink`.
        """
        for index, record in enumerate(self._records):
            if record.state == "shrinking" and self._jobs.can_begin(index, worker):
                granted = max(1, min(attempts, self._limit - record.attempts))
                self._jobs.begin(index, record.attempts, granted, worker)
                return Shrink(index, record.sequence, granted, site=record.site, oracle=record.parent)
        return None

    def has_shrink_for(self, worker: int) -> bool:
        """Return whether `next_shrink` has something for this worker."""
        return any(
            record.state == "shrinking" and self._jobs.can_begin(index, worker)
            for index, record in enumerate(self._records)
        )

    def next_help(self) -> Shrink | None:
        """Work for an idle worker that has nothing else to do: a test that others shrink already, the one with the
        fewest of them. It begins where they began and takes another order; the simplest result counts. Nobody joins
        where one is done, as the campaign would end the later. The caller hands it out, or loses it with
        `drop_shrink`."""
        test = self._jobs.to_help(lambda test: self._records[test].state == "shrinking")
        if test is None:
            return None
        job, record = self._jobs.join(test), self._records[test]
        return Shrink(test, record.sequence, job.granted, job.helpers, record.site, record.parent)

    def progress(self, frame: Shrunk) -> bool:
        """A smaller sequence. True when the test is being shrunk by the sender's leave and the sequence changed. Of
        what several workers report, the simplest is kept, in whatever order they come."""
        job, record = self._jobs.get(frame.test), self._records[frame.test]
        if job is None or record.state != "shrinking":
            return False
        self._change(frame.test, attempts=self._jobs.confirm(frame.test, frame.attempts))
        if job.helpers and job.confirmed and plain_order(frame.sequence) > plain_order(record.sequence):
            return False
        self._change(
            frame.test,
            sequence=frame.sequence,
            reason=frame.reason,
            minimal=frame.minimal or (record.minimal and frame.sequence == record.sequence),
            trace=frame.trace,
            calls=frame.calls or record.calls,
            value=frame.value or record.value,
        )
        return frame.sequence != record.sequence

    def end_shrink(self, test: int, *, interrupted: bool) -> bool:
        """A worker is done with its slice. True when the failure was seen again, as it is for every sound finding.
        Once all of its workers are done, the test is solved when it is minimal or the limit is used; otherwise another
        slice follows."""
        job = self._jobs.leave(test)
        record = self._records[test]
        if job.busy or interrupted or record.state != "shrinking":
            return True
        if record.minimal or not job.confirmed:
            self._change(test, state="solved")
            return job.confirmed
        attempts = job.before + job.granted
        self._change(test, attempts=attempts, state="solved" if attempts >= self._limit else "shrinking")
        return True

    def drop_shrink(self, test: int) -> None:
        """The worker's process is dead; another worker continues its shrinking."""
        if (job := self._jobs.drop(test)) is not None:
            self._change(test, attempts=job.before + job.used)

    def give_up(self, test: int) -> None:
        """Stop shrinking this test."""
        if self._records[test].state == "shrinking":
            self._change(test, state="solved")

    def change_limit(self, limit: int) -> tuple[int, ...]:
        """Another limit from now on. Returns the tests that are decided by it."""
        self._limit = limit
        spent = [
            index
            for index, record in enumerate(self._records)
            if record.state == "shrinking" and index not in self._jobs and record.attempts >= limit
        ]
        for index in spent:
            self._change(index, state="solved")
        return tuple(spent)

    @property
    def limit(self) -> int:
        return self._limit

    # --- the end -----------------------------------------------------------------------------------------------------

    def finish(self, failure: str | None) -> tuple[int, ...]:
        """The campaign is over: what is open ends as presumed, or in error with this reason where the campaign could
        not be carried out; what is shrinking is solved as it stands. Returns the tests that were decided by this."""
        decided = [index for index, record in enumerate(self._records) if record.state in ("open", "shrinking")]
        for index in decided:
            if self._records[index].state == "shrinking":
                self._change(index, state="solved")
            elif failure is not None:
                self._change(index, state="error", reason=failure)
            else:
                self._change(index, **_END[self._records[index].presumed])
        self._jobs.clear()
        return tuple(decided)

    def _change(self, test: int, **fields: object) -> None:
        self._records[test] = msgspec.structs.replace(self._records[test], **fields)


_END: Mapping[Verdict, Mapping[str, object]] = {
    "passed": {"state": "passed"},
    "skipped": {"state": "skipped"},
    "failed": {"state": "solved", "minimal": True},
}
"""What becomes of a test that is open at the end, by what was presumed."""


def _key(record: TestRecord) -> tuple[str, str, str]:
    return (record.info.name, record.info.kind, record.info.contract)


def _number(value: str) -> int:
    try:
        return int(value)
    except ValueError:
        return 0

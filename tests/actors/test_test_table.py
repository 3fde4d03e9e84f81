"""Where tests stand: open, shrinking, solved, passed, skipped, error."""

from __future__ import annotations

from actors.campaign.tests import TestTable
from simulator.fuzz.sites.failure_sites import MAX_SITES
from simulator.transaction import Sequence, Transaction
from simulator.worker.reports import Falsified, Presumed, Shrunk, Skipped, TestInfo

INFOS = (
    TestInfo(0, "echidna_a", "property", "C"),
    TestInfo(1, "echidna_b", "property", "C"),
    TestInfo(2, "echidna_best", "optimization", "C"),
)


def calls(count: int) -> Sequence:
    return (Transaction(b"\x01" * 20, b"\x02" * 20),) * count


def table(shrink_limit: int = 100) -> TestTable:
    tests = TestTable(shrink_limit)
    tests.introduce(INFOS)
    return tests


def test_the_first_failure_counts():
    """A test that is falsified is closed; what fails later for it is no news."""
    tests = table()
    assert tests.falsify(Falsified(0, calls(5), "first"))
    assert not tests.falsify(Falsified(0, calls(2), "second"))
    assert (tests[0].state, tests[0].reason, tests.closed) == ("shrinking", "first", (0,))


def test_a_test_that_skips_itself_is_closed_and_no_finding():
    tests = table()
    assert tests.skip(Skipped(0, "not on this chain"))
    assert not tests.skip(Skipped(0, "again"))
    assert not tests.falsify(Falsified(0, calls(2), "too late"))
    assert (tests[0].state, tests[0].reason, tests.closed, tests.any_falsified) == (
        "skipped",
        "not on this chain",
        (0,),
        False,
    )


def test_what_is_presumed_counts_at_the_end_and_only_for_open_tests():
    """The last word on a test stands; one that failed meanwhile keeps its own."""
    tests = table()
    tests.presume(Presumed(0, "failed", "rejects all inputs"))
    tests.presume(Presumed(1, "skipped"))
    tests.falsify(Falsified(1, (), "seen"))
    tests.presume(Presumed(1, "skipped"))
    assert tests.closed == (1,)
    tests.finish(None)
    assert [(each.state, each.reason) for each in tests.records[:2]] == [
        ("solved", "rejects all inputs"),
        ("solved", "seen"),
    ]
    withdrawn = table()
    withdrawn.presume(Presumed(0, "failed", "rejects all inputs"))
    withdrawn.presume(Presumed(0))
    withdrawn.finish(None)
    assert withdrawn[0].state == "passed"


def test_each_site_is_a_finding():
    """The first failure is the test's own; others follow with the test as parent, and the test stays open."""
    tests = table()
    first = tests.falsify(Falsified(1, calls(5), "a", site="C.sol:3:1"))
    assert not tests.falsify(Falsified(1, calls(2), "a", site="C.sol:3:1"))
    second = tests.falsify(Falsified(1, calls(4), "b", site="C.sol:9:1"))
    assert first is not None
    assert second is not None
    assert [(each.info.id, each.parent, each.site) for each in (first, second)] == [
        (1, -1, "C.sol:3:1"),
        (3, 1, "C.sol:9:1"),
    ]
    assert tests.closed == ()
    assert tests.settled == ((1, "C.sol:3:1"), (1, "C.sol:9:1"))


def test_a_finding_is_shrunk_at_its_site():
    """The work names the test that workers know, and the place that is to stay."""
    tests = table()
    tests.falsify(Falsified(1, calls(5), "a", site="C.sol:3:1"))
    tests.falsify(Falsified(1, calls(4), "b", site="C.sol:9:1"))
    work = [tests.next_shrink(), tests.next_shrink()]
    assert [(each.test, each.oracle, each.site) for each in work if each] == [
        (1, -1, "C.sol:3:1"),
        (3, 1, "C.sol:9:1"),
    ]
    assert tests.progress(Shrunk(3, calls(1), 10, True, "b"))
    assert tests.end_shrink(3, interrupted=False)
    assert (tests[3].state, len(tests[3].sequence)) == ("solved", 1)


def test_a_failure_as_a_whole_closes_a_test():
    """So do more sites than a test can have."""
    tests = table()
    tests.falsify(Falsified(0, calls(1), "reverts", site="C.sol:3:1"))
    assert tests.closed == ()
    assert tests.falsify(Falsified(0, calls(1), "false"))
    assert tests.closed == (0,)
    for line in range(MAX_SITES):
        assert tests.closed == (0,)
        tests.falsify(Falsified(1, calls(1), "assertion", site=f"C.sol:{line}:1"))
    assert tests.closed == (0, 1)
    assert not tests.falsify(Falsified(1, calls(1), "assertion", site="C.sol:99:1"))


def test_sites_survive_a_restart():
    """A campaign that continues knows each place where a test has failed."""
    before = table()
    before.falsify(Falsified(1, calls(5), "a", site="C.sol:3:1"))
    before.falsify(Falsified(1, (), "b", site="C.sol:9:1"))
    after = table()
    assert after.restore(before.records) == 3
    assert after.settled == before.settled
    assert [(each.state, each.parent, each.site) for each in after.records[3:]] == [("solved", 1, "C.sol:9:1")]


def test_a_failure_before_any_call_needs_no_shrinking():
    """An empty sequence is minimal as it is."""
    tests = table()
    tests.falsify(Falsified(0, (), "fails at the start"))
    assert (tests[0].state, tests[0].minimal) == ("solved", True)


def test_shrinking_ends_when_it_is_minimal():
    """The smallest sequence, its trace and the attempts are kept."""
    tests = table()
    tests.falsify(Falsified(0, calls(5), "false"))
    shrink = tests.next_shrink()
    assert shrink is not None
    assert (shrink.test, shrink.attempts) == (0, 100)
    assert tests.progress(Shrunk(0, calls(3), 10, False, "false"))
    assert tests.progress(Shrunk(0, calls(2), 20, True, "false", ("C::f()",)))
    assert tests.end_shrink(0, interrupted=False)
    assert (tests[0].state, len(tests[0].sequence), tests[0].attempts) == ("solved", 2, 20)
    assert tests[0].trace == ("C::f()",)
    assert len(tests[0].unshrunk) == 5


def test_shrinking_ends_at_its_limit():
    """What is not minimal by then is reported as it is."""
    tests = table(shrink_limit=50)
    tests.falsify(Falsified(0, calls(5), "false"))
    tests.next_shrink()
    tests.progress(Shrunk(0, calls(4), 50, False, "false"))
    tests.end_shrink(0, interrupted=False)
    assert (tests[0].state, tests[0].minimal) == ("solved", False)


def test_one_worker_shrinks_a_test():
    """While a worker has it, nobody else gets it; when the worker is lost, the next one continues from there."""
    tests = table()
    tests.falsify(Falsified(0, calls(5), "false"))
    tests.falsify(Falsified(1, calls(5), "false"))
    first, second = tests.next_shrink(), tests.next_shrink()
    assert (first.test, second.test, tests.next_shrink()) == (0, 1, None)
    tests.progress(Shrunk(0, calls(3), 30, False, "false"))
    tests.drop_shrink(0)
    again = tests.next_shrink()
    assert (again.test, len(again.sequence), again.attempts) == (0, 3, 70)


def test_others_help_to_shrink_and_the_simplest_result_counts():
    """Whichever comes first, the test is decided when all are done, by the result with the fewest calls."""
    tests = table()
    assert tests.next_help() is None
    tests.falsify(Falsified(0, calls(5), "false"))
    first, second = tests.next_shrink(), tests.next_help()
    assert (second.test, second.sequence, second.attempts) == (0, first.sequence, first.attempts)
    assert first.variant != second.variant
    assert tests.progress(Shrunk(0, calls(2), 40, True, "false"))
    assert tests.end_shrink(0, interrupted=False)
    assert tests[0].state == "shrinking"
    assert not tests.progress(Shrunk(0, calls(3), 30, False, "false"))
    assert tests.end_shrink(0, interrupted=False)
    assert (tests[0].state, len(tests[0].sequence), tests[0].minimal) == ("solved", 2, True)
    assert tests.next_help() is None


def test_help_goes_where_the_fewest_shrink():
    """Two tests share three helpers as evenly as may be; a lost helper leaves the rest at work."""
    tests = table()
    tests.falsify(Falsified(0, calls(5), "false"))
    tests.falsify(Falsified(1, calls(5), "false"))
    tests.next_shrink()
    tests.next_shrink()
    assert sorted(tests.next_help().test for _ in range(4)) == [0, 0, 1, 1]
    tests.drop_shrink(0)
    assert tests.next_shrink() is None
    tests.give_up(1)
    assert not tests.progress(Shrunk(1, calls(1), 9, True, "false"))
    assert tests[1].state == "solved"


def test_a_shrink_in_slices_stays_with_the_worker_that_knows_it():
    """Others do not begin it anew while fuzzing continues. When that is over, any idle worker may."""
    tests = table()
    tests.falsify(Falsified(0, calls(5), "false"))
    assert tests.next_shrink(30, worker=1).attempts == 30
    tests.progress(Shrunk(0, calls(4), 30, False, "false"))
    tests.end_shrink(0, interrupted=False)
    assert (tests.has_shrink_for(0), tests.has_shrink_for(1)) == (False, True)
    assert tests.next_shrink(30, worker=0) is None
    assert tests.next_shrink().attempts == 70


def test_an_interrupted_shrink_continues_later():
    """An interrupt decides nothing."""
    tests = table()
    tests.falsify(Falsified(0, calls(5), "false"))
    tests.next_shrink()
    assert tests.end_shrink(0, interrupted=True)
    assert tests.next_shrink() is not None


def test_a_failure_that_is_not_seen_again_is_told():
    """A shrink without any confirmation ends the matter and returns False, for a warning."""
    tests = table()
    tests.falsify(Falsified(0, calls(5), "false"))
    tests.next_shrink()
    assert not tests.end_shrink(0, interrupted=False)
    assert (tests[0].state, tests[0].minimal) == ("solved", False)


def test_optimizations_keep_their_best_value():
    """Only a greater value is news; the best is shrunk when fuzzing is over, and the test never counts as failed."""
    tests = table()
    assert tests.falsify(Falsified(2, calls(4), "", "-5"))
    assert tests.falsify(Falsified(2, calls(5), "", "7"))
    assert not tests.falsify(Falsified(2, calls(1), "", "6"))
    assert tests.next_shrink() is None
    tests.begin_shrinking_optimizations()
    assert tests.next_shrink().test == 2
    assert not tests.any_falsified
    assert (tests[2].value, len(tests[2].sequence)) == ("7", 5)


def test_the_end_decides_the_rest():
    """Open tests pass, or are in error when the campaign could not be carried out; shrinking ones stay found."""
    tests = table()
    tests.falsify(Falsified(0, calls(5), "false"))
    assert tests.finish(None) == (0, 1, 2)
    assert [record.state for record in tests.records] == ["solved", "passed", "passed"]
    failed = table()
    failed.finish("no worker")
    assert [(record.state, record.reason) for record in failed.records] == [("error", "no worker")] * 3

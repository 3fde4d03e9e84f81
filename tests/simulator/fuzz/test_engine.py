"""The fuzz loop on the compiled kernel."""

import pytest

from simulator.fuzz.feedback.features import FeatureSet
from simulator.fuzz.feedback.trimming import Trimmer
from simulator.transaction import Transaction, wei_bytes

pytestmark = pytest.mark.integration

COUNTER = """
contract Counter {
    uint256 public count;
    uint256 private secret;
    event AssertionFailed(string why);
    function add(uint256 n) public { require(n < 10, "too much"); count += n; }
    function pay() public payable {}
    function wait() public view returns (bool) { return block.timestamp > 1; }
    function check(uint256 n) public { if (n == 77) emit AssertionFailed("n"); assert(n != 78); }
    function echidna_small() public view returns (bool) { return count < 40; }
    function echidna_poor() public view returns (bool) { return address(this).balance < 1 ether; }
    function echidna_early() public view returns (bool) { return block.timestamp < 1524785992 + 100 days; }
}
"""


def call(worker, signature: str, *values, value: int = 0, **delay) -> Transaction:
    target = next(t for t in worker.functions if t.function.signature == signature)
    return Transaction(
        sender=worker.settings.senders[0],
        to=worker.settings.contract_address,
        data=target.function.encode_call(values),
        value=wei_bytes(value),
        **delay,
    )


def oracle(worker, name: str) -> int:
    return next(o.id for o in worker.oracles if o.name == name)


def run(worker, calls: int) -> list[tuple[int, dict[int, int]]]:
    found = []
    while (executed := worker.engine.fuzz(calls)) is not None:
        found.append((executed.last_new, executed.failures))
        for test in executed.failures:
            worker.engine.oracles.set_open(test, False)
    return found


def test_the_same_seed_gives_the_same_campaign(make_worker):
    """Finds, counters and the words seen agree; batch boundaries play no role."""
    first, second = make_worker(COUNTER), make_worker(COUNTER)
    whole = run(first, 20_000)
    pieces = [entry for limit in range(1000, 20_001, 1000) for entry in run(second, limit)]
    assert whole == pieces
    assert first.engine.functions.counts() == second.engine.functions.counts()
    assert first.engine.words.read() == second.engine.words.read()


def test_another_seed_gives_another_campaign(make_worker):
    """The seed is what decides."""
    first, second = make_worker(COUNTER, seed=1), make_worker(COUNTER, seed=2)
    run(first, 5000)
    run(second, 5000)
    assert first.engine.functions.counts() != second.engine.functions.counts()


def test_a_property_fails_at_the_call_that_breaks_it(make_worker):
    """The index is that of the first call after which the property is false."""
    worker = make_worker(COUNTER)
    sequence = tuple(call(worker, "add(uint256)", 9) for _ in range(8))
    assert worker.engine.execute(sequence, check=True).failures == {oracle(worker, "echidna_small"): 4}


def test_every_sequence_starts_from_the_deployed_state(make_worker):
    """Executing a sequence twice gives the same result, and leaves no balance behind."""
    worker = make_worker(COUNTER)
    sequence = (call(worker, "add(uint256)", 9), call(worker, "pay()", value=10**18))
    first = worker.engine.execute(sequence, check=True).failures
    assert first == worker.engine.execute(sequence, check=True).failures == {oracle(worker, "echidna_poor"): 1}
    assert worker.machine.get_balance(int.from_bytes(worker.settings.contract_address, "big")) == 0


def test_time_that_passes_is_checked_though_no_state_changed(make_worker):
    """A property that reads the clock is called again after a view call with a delay."""
    worker = make_worker(COUNTER)
    late = call(worker, "wait()", seconds=101 * 86_400, blocks=1)
    assert worker.engine.execute((late,), check=True).failures == {oracle(worker, "echidna_early"): 0}


def test_a_wait_is_a_step_of_its_own(make_worker):
    """Time passes without a call, and properties are checked after it."""
    worker = make_worker(COUNTER)
    wait = Transaction(sender=worker.settings.senders[0], to=b"", seconds=101 * 86_400, blocks=1)
    assert oracle(worker, "echidna_early") in worker.engine.execute((wait,), check=True).failures


def test_assertion_mode_sees_panics_and_events(make_worker):
    """Panic(1) fails the function's test; the event fails that and the global one."""
    worker = make_worker(COUNTER, test_mode="assertion")
    panic = worker.engine.execute((call(worker, "check(uint256)", 78),), check=True).failures
    event = worker.engine.execute((call(worker, "check(uint256)", 77),), check=True).failures
    assert panic == {oracle(worker, "check(uint256)"): 0}
    assert event == {oracle(worker, "check(uint256)"): 0, oracle(worker, "AssertionFailed(..)"): 0}


def test_a_plain_revert_fails_no_assertion(make_worker):
    """require() is not a finding."""
    worker = make_worker(COUNTER, test_mode="assertion")
    assert worker.engine.execute((call(worker, "add(uint256)", 11),), check=True).failures == {}


def test_trimming_keeps_what_brings_the_coverage(make_worker):
    """Calls that add nothing go; what is left still brings the same features."""
    worker = make_worker(COUNTER)
    features = FeatureSet(lambda: worker.machine.codes)
    features.take_new()
    noise = [call(worker, "add(uint256)", 50), call(worker, "wait()")]
    sequence = (*noise, call(worker, "add(uint256)", 3), *noise, call(worker, "pay()", value=1))
    worker.engine.execute(sequence, check=False)
    new = features.take_new()
    trimmed = Trimmer(worker.engine, features).trim(sequence, new)
    assert trimmed is not None
    assert {t.data[:4] for t in trimmed} == {t.data[:4] for t in sequence}
    assert len(trimmed) == 4


def test_a_comparison_of_the_last_call_is_read_back(make_worker):
    """The operands of n == 77 are in the log of a call with another n."""
    worker = make_worker(COUNTER)
    seen = worker.engine.comparisons_of_last_call((call(worker, "check(uint256)", 1234),))
    assert any({c.left, c.right} == {1234, 77} for c in seen)


def test_the_log_gives_the_first_comparisons_however_often_they_were_seen(make_worker):
    """A comparison that is remembered is the same as one that is read for the first time."""
    worker = make_worker(COUNTER)
    sequence = (call(worker, "check(uint256)", 1234),)
    seen = worker.engine.comparisons_of_last_call(sequence)
    assert len(seen) > 2
    assert worker.engine.comparisons_of_last_call(sequence) == seen
    assert worker.engine.comparisons.take(2) == seen[:2]
    assert worker.engine.comparisons.read() == []
    other = worker.engine.comparisons_of_last_call((call(worker, "check(uint256)", 77),))
    assert any(each.left == each.right == 77 for each in other)


def test_recycling_memory_changes_no_result(make_worker, monkeypatch):
    """A machine that forgets undone state after every batch finds the same."""
    plain, recycled = make_worker(COUNTER), make_worker(COUNTER)
    expected = [entry for limit in range(500, 10_001, 500) for entry in run(plain, limit)]
    monkeypatch.setattr(type(recycled.machine), "is_crowded", True)
    assert [entry for limit in range(500, 10_001, 500) for entry in run(recycled, limit)] == expected


HEAVY = """
contract Heavy {
    uint256 private sum;
    function burn() public { while (gasleft() > 1000) sum ^= 1; }
    function echidna_true() public view returns (bool) { return sum < 2; }
}
"""


def test_heavy_calls_leave_room_to_look_around(make_worker):
    """A sequence whose calls burn all their gas is left in its middle when told, and the next work starts clean."""
    worker = make_worker(HEAVY)
    asked = []

    def interrupted() -> bool:
        asked.append(worker.engine.calls)
        return len(asked) >= 2

    worker.engine.is_interrupted = interrupted
    worker.engine.fuzz(10**9)
    assert len(asked) == 2
    assert 0 < worker.engine.calls < worker.settings.sequence_length
    worker.engine.is_interrupted = lambda: False
    assert worker.engine.execute((call(worker, "burn()"),), check=True).failures == {}

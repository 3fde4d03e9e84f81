"""Waypoints: conditions met one after the other, through state, and what is tried from there."""

import numpy as np
import pytest

from simulator.abi.contract import Function
from simulator.abi.types import Array, Bytes, String, Tuple, UInt
from simulator.coverage.code_map import CodeMap
from simulator.evm.code_store import CoveredCode
from simulator.fuzz.comparisons.effort import (
    AT_FIRST,
    AT_FIRST_FOR_COVERAGE,
    EARLY_GAS_BITS,
    GAS_BITS,
    MAX_DEEPER,
    MAX_EARLY,
    MAX_REWARDS,
    Effort,
)
from simulator.fuzz.comparisons.lengths import MAX_LENGTH, lengths_of
from simulator.fuzz.feedback.open_blocks import OpenBlocks
from simulator.fuzz.native.layout.context import OPEN_SIZE
from simulator.transaction import Transaction
from simulator.worker.commands import Fuzz
from simulator.worker.reports import Done, Falsified
from simulator.worker.session import Session

TWO_SLOTS = """
contract TwoSlots {
    uint256 private x;
    uint256 private y;
    function setX(uint256 value) external { x = value + 3; }
    function setY(uint256 value) external { y = value + 9; }
    function echidna_not_hit() external view returns (bool) { return !(x == 10 && y == 80); }
}
"""
LETTERS = """
contract Letters {
    string private example = "abcdef123";
    string private given;
    function set(string calldata text) external { given = text; }
    function echidna_not_hit() external view returns (bool) {
        bytes memory bs = bytes(given);
        if (bs.length < 3) return true;
        return !(bs[0] == "a" && bs[1] == "b" && bs[2] == "c" && keccak256(bs) != keccak256(bytes(example)));
    }
}
"""
ROUNDS = """
contract Rounds {
    uint256 private round;
    uint256 private secret = 17;
    function play(uint256 guess) external {
        if (guess == secret) { round++; secret = (secret * 31 + 7) % 10_007; }
        else { round = 0; secret = 17; }
    }
    function echidna_below() external view returns (bool) { return round < 10; }
}
"""
HILL = """
contract Hill {
    uint256 private height;
    function measure(uint64 x) external {
        uint256 peak = uint64(uint256(keccak256("peak")));
        height = 1e20 - (x > peak ? x - peak : peak - x);
    }
    function echidna_opt_height() external view returns (int256) { return int256(height); }
}
"""
SETTLE = """
contract Settle {
    uint256 private rate;
    uint256 private limit;
    bool private hit;
    function setRate(uint256 value) external { rate = value * 3; }
    function setLimit(uint256 value) external { limit = value + 10; }
    function settle() external {
        require(rate == 942_477, "rate");
        require(limit == 2_718_280, "limit");
        hit = true;
    }
    function echidna_not_hit() external view returns (bool) { return !hit; }
}
"""


class Recorder:
    """A channel that keeps what is sent and never asks for anything."""

    def __init__(self) -> None:
        self.frames = []

    def send(self, frame) -> None:
        self.frames.append(frame)

    def is_interrupted(self) -> bool:
        return False

    has_steering = is_interrupted

    def take_steering(self) -> list:
        return []

    def end_work(self) -> None:
        pass


def session_of(worker) -> tuple[Session, Recorder]:
    channel = Recorder()
    session = Session(worker, channel)
    session.ready()
    channel.frames.clear()
    return session, channel


def falsified(worker, calls: int) -> bool:
    session, channel = session_of(worker)
    session.fuzz(Fuzz(calls))
    return any(isinstance(frame, Falsified) for frame in channel.frames)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("source", "calls"), [(TWO_SLOTS, 20_000), (LETTERS, 10_000), (ROUNDS, 50_000), (SETTLE, 50_000)]
)
def test_conditions_on_state_are_met_one_after_the_other_with_every_seed(make_worker, source: str, calls: int):
    """Conjunctions over slots, letters of a stored string, rounds in a row, and requirements of a later call."""
    for seed in (1, 2, 3):
        assert falsified(make_worker(source, seed=seed), calls), seed


@pytest.mark.integration
def test_an_optimization_test_is_climbed_to_its_top(make_worker):
    """Steps along an argument are followed while the value grows."""
    worker = make_worker(HILL, test_mode="optimization")
    session, _ = session_of(worker)
    session.fuzz(Fuzz(20_000))
    assert worker.engine.oracles.best(0) == 10**20


@pytest.mark.integration
def test_batches_of_other_sizes_make_the_same_campaign(make_worker, monkeypatch):
    """When waypoints are looked at again depends on calls, not on where native batches end."""

    def frames(batch: int) -> list:
        worker = make_worker(ROUNDS.replace("round < 10", "round < 1000"), seed=5)
        session, _ = session_of(worker)
        monkeypatch.setattr(session, "_batch", batch)
        monkeypatch.setattr(session, "_adapt_batch", lambda *_: None)
        session.fuzz(Fuzz(30_000))
        return [worker.engine.words.read(), worker.engine.given_calls, worker.engine.waypoints.count]

    assert frames(256) == frames(1 << 20)


@pytest.mark.integration
def test_calls_beside_built_sequences_are_told(make_worker):
    """Those of solving and trimming, which no budget counts."""
    session, channel = session_of(make_worker(TWO_SLOTS))
    session.fuzz(Fuzz(5_000))
    done = next(frame for frame in channel.frames if isinstance(frame, Done))
    assert done.beside > 0


def test_coverage_has_an_account_of_its_own_and_spends_from_the_common_one_after_that():
    effort = Effort(lambda: 0)
    effort.spend(AT_FIRST - 1)
    effort.spend_for_coverage(AT_FIRST_FOR_COVERAGE)
    assert not effort.is_spent
    effort.spend_for_coverage()
    assert effort.is_spent


def test_a_property_that_reaches_more_code_is_paid_for_where_rewards_are_at_their_limit():
    effort = Effort(lambda: 0)
    effort.earn(MAX_REWARDS)
    effort.spend(AT_FIRST + MAX_REWARDS)
    assert effort.is_spent
    effort.earn_deeper(MAX_DEEPER + 1)
    effort.spend(MAX_DEEPER - 1)
    assert not effort.is_spent
    effort.spend()
    assert effort.is_spent


def test_effort_is_earned_by_gas_and_rewards_have_a_limit():
    """A campaign that finds waypoint after waypoint still spends most of its time on its own sequences."""
    gas = 0
    effort = Effort(lambda: gas)
    effort.earn(10 * MAX_REWARDS)
    effort.spend(AT_FIRST + MAX_REWARDS)
    assert effort.is_spent
    gas = 1 << GAS_BITS
    assert not effort.is_spent
    effort.spend(2 + (gas >> EARLY_GAS_BITS))
    assert effort.is_spent


def test_what_gas_earns_early_has_a_limit():
    gas = 0
    effort = Effort(lambda: gas)
    effort.spend(AT_FIRST)
    assert effort.is_spent
    gas = 1 << EARLY_GAS_BITS
    assert not effort.is_spent
    gas *= 16 * MAX_EARLY
    effort.spend(MAX_EARLY + (gas >> GAS_BITS))
    assert effort.is_spent


@pytest.mark.parametrize(
    ("kind", "value", "length", "expected"),
    [
        (Bytes(), b"ab", 4, b"abbb"),
        (Bytes(), b"", 2, b"aa"),
        (String(), "abc", 1, "a"),
        (Array(UInt(256)), [1, 2], 3, [1, 2, 2]),
        (Array(UInt(256)), [1, 2], 0, []),
    ],
)
def test_a_length_is_a_number_of_the_call(kind, value, length: int, expected):
    """What is added repeats the last element; the calldata is encoded anew."""
    function = Function("f", Tuple((UInt(256), kind)))
    call = Transaction(bytes(20), bytes(20), function.encode_call((7, value)))
    (place,) = lengths_of(call, function)
    assert place.get(call) == len(value)
    changed = place.put(call, length)
    assert changed is not None
    number, other = function.decode_call(changed.data)
    assert (number, list(other) if isinstance(expected, list) else other) == (7, expected)


def test_a_length_has_limits_and_an_empty_array_does_not_grow():
    """There is no element to repeat, and no call of any length."""
    function = Function("f", Tuple((Array(UInt(256)),)))
    call = Transaction(bytes(20), bytes(20), function.encode_call(([],)))
    (place,) = lengths_of(call, function)
    assert place.put(call, 1) is None
    assert place.put(call, MAX_LENGTH + 1) is None
    assert place.put(call, -1) is None


def test_calldata_that_does_not_decode_has_no_lengths():
    """As a caller may send it."""
    function = Function("f", Tuple((Bytes(),)))
    assert lengths_of(Transaction(bytes(20), bytes(20), function.selector + b"\xff" * 32), function) == []


def test_only_blocks_before_a_branch_with_one_open_side_are_open():
    """Never reached, and taken both ways, are of no interest."""
    code = CodeMap("C", "runtime", (0, 10, 20), (10, 20, 30), (8, 18, 28))
    cells = np.array([1, 1, 1, 1, 0, 1, 1, 0, 0], np.uint64)
    blocks = OpenBlocks(np.zeros(OPEN_SIZE, np.uint8), lambda: [CoveredCode(code, cells, 0)])
    blocks.update([0])
    assert [blocks.is_open(0, pc) for pc in (3, 13, 23)] == [True, False, False]
    cells[4] = 1
    blocks.update([0])
    assert not blocks.is_open(0, 3)


def test_the_last_operand_of_a_conjunction_is_open_with_the_branch_behind_it():
    """It is compared in a block of its own, which ends without a branch; the block before that one has its own."""
    code = CodeMap("C", "runtime", (0, 10, 20), (10, 20, 30), (8, 28))
    cells = np.array([1, 1, 1, 1, 1, 1, 0], np.uint64)
    blocks = OpenBlocks(np.zeros(OPEN_SIZE, np.uint8), lambda: [CoveredCode(code, cells, 0)])
    blocks.update([0])
    assert [blocks.is_open(0, pc) for pc in (3, 13, 23)] == [False, True, True]

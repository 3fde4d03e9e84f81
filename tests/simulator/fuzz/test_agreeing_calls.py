"""Calls that have to agree with each other, calls that halt, and hashes that are compared."""

from types import SimpleNamespace

import numpy as np
import pytest

from simulator.abi.contract import Function
from simulator.abi.types import Address, Bytes, Tuple, UInt
from simulator.fuzz.comparisons.effort import AT_FIRST, Effort
from simulator.fuzz.comparisons.places import places_of
from simulator.fuzz.comparisons.preimages import _pairs
from simulator.fuzz.loop.fuzz_context import with_wide_words
from simulator.fuzz.waypoints.agreeing import with_arguments_of
from simulator.fuzz.waypoints.halted_calls import HaltedCalls
from simulator.settings import CampaignSettings
from simulator.transaction import Transaction
from simulator.worker.commands import Fuzz
from simulator.worker.reports import Falsified
from simulator.worker.session import Session
from tests.simulator.fuzz.test_waypoints import Recorder

ORDER = """
contract Target {
    struct Order { address maker; uint128 amount; uint64 price; }
    mapping(bytes32 => bool) private placed;
    bool private exceeded;
    function place(Order calldata order) external {
        require(order.maker == msg.sender && order.amount > 0 && order.price > 0);
        placed[keccak256(abi.encode(order))] = true;
    }
    function fill(Order calldata order, uint128 part) external {
        require(placed[keccak256(abi.encode(order))], "placed");
        if (part > order.amount) exceeded = true;
    }
    function echidna_not_exceeded() external view returns (bool) { return !exceeded; }
}
"""
LOCK = """
contract Target {
    uint256 private at;
    bool private open;
    function press(uint8 digit) external {
        at = digit == uint8(uint256(keccak256(abi.encode(at, "lock")))) ? at + 1 : 0;
        if (at == 8) open = true;
    }
    function echidna_locked() external view returns (bool) { return !open; }
}
"""
HASHED = """
contract Target {
    uint256 private total = 1e18;
    bool private hit;
    function add(uint64 amount) external { total += amount; }
    function take(uint256 amount) external {
        if (keccak256(abi.encode(amount)) == keccak256(abi.encode(total - 1_337))) hit = true;
    }
    function echidna_not_hit() external view returns (bool) { return !hit; }
}
"""
ROLE = """
contract Target {
    bytes32 private constant MINTER = keccak256("MINTER");
    mapping(bytes32 => mapping(address => bool)) private has;
    mapping(bytes32 => uint256) private ready;
    uint256 private supply;
    function schedule(bytes32 role, address who) external { ready[keccak256(abi.encode(role, who))] = block.timestamp; }
    function grant(bytes32 role, address who) external {
        bytes32 key = keccak256(abi.encode(role, who));
        require(ready[key] != 0 && block.timestamp >= ready[key] + 1 days);
        has[role][who] = true;
    }
    function mint(uint256 amount) external { require(has[MINTER][msg.sender]); supply += amount; }
    function echidna_little_supply() external view returns (bool) { return supply < 1_000_000 ether; }
}
"""
ASSERTED = """
contract Target {
    uint256 private x;
    uint256 private y;
    function setX(uint256 value) external { x = value / 3; }
    function setY(uint256 value) external { y = value + 9; }
    function check() external view { assert(!(x == 123456789012345678 && y == 80)); }
}
"""
PLACE = Function("place", Tuple((Address(), UInt(128), UInt(64))))
FILL = Function("fill", Tuple((UInt(256), Address(), UInt(128), UInt(64))))


def call(function: Function, *values: object) -> Transaction:
    return Transaction(bytes(20), bytes(20), function.encode_call(values))


def is_falsified(worker, calls: int) -> bool:
    channel = Recorder()
    session = Session(worker, channel)
    session.ready()
    session.fuzz(Fuzz(calls))
    return any(isinstance(frame, Falsified) for frame in channel.frames)


@pytest.mark.integration
def test_a_hash_is_solved_by_what_was_hashed(make_worker):
    """The hash of an argument against that of a slot's value."""
    assert is_falsified(make_worker(HASHED), 20_000)


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("source", [ORDER, LOCK, HASHED, ROLE])
def test_calls_come_to_agree_with_every_seed(make_worker, source: str):
    """A struct with a number beside it, digits in a row, a hash of a sum, a role that two calls name."""
    for seed in range(1, 7):
        assert is_falsified(make_worker(source, seed=seed), 60_000), seed


@pytest.mark.nightly
@pytest.mark.integration
def test_slots_that_an_assertion_compares_are_solved_with_every_seed(make_worker):
    """Also where the first sequences of a campaign cover the conditions together; one slot holds a quotient."""
    for seed in range(1, 7):
        assert is_falsified(make_worker(ASSERTED, seed=seed, test_mode="assertion"), 60_000), seed


def test_a_call_takes_over_the_longest_row_of_arguments_that_fits():
    """From another place of the other call, too."""
    engine = SimpleNamespace(target_of=lambda each: SimpleNamespace(function=by_selector[each.data[:4]]))
    by_selector = {PLACE.selector: PLACE, FILL.selector: FILL}
    given = call(FILL, 7, 0xABC, 5, 6)
    agreeing = with_arguments_of(engine, call(PLACE, 1, 2, 3), given)
    assert agreeing == call(PLACE, 0xABC, 5, 6)
    assert with_arguments_of(engine, agreeing, given) is None


def test_hashes_are_compared_by_lengths_and_words():
    """The longer one has words that the other lacks."""
    pairs = _pairs(b"a" * 32 + b"b", b"a" * 32)
    assert pairs[0] == (33, 32)
    assert pairs[1][0] == pairs[1][1]
    assert pairs[2] == (ord("b") << 248, 0)


def test_the_words_of_a_byte_string_are_places():
    """The last one as far as it is filled, so that calldata stays canonical."""
    function = Function("f", Tuple((Bytes(),)))
    sent = call(function, b"x" * 40)
    chunks = [each for each in places_of(sent, function, CampaignSettings("C")) if getattr(each, "kind", "") == "word"]
    assert len(chunks) == 2
    changed = chunks[1].put(sent, int.from_bytes(b"y" * 8 + bytes(24), "big"))
    assert function.decode_call(changed.data) == (b"x" * 32 + b"y" * 8,)
    assert chunks[1].put(sent, 1) is None


def test_constants_of_32_bytes_are_about_half_of_the_pool():
    """A name's hash among the many short constants of a code."""
    wide = [(0xAB << 248) + 0xCD, (0x12 << 240) + 0x34]
    pool = with_wide_words([number << 248 for number in range(1, 21)] + wide)
    assert 0.4 < sum(word in wide for word in pool) / len(pool) < 0.6
    assert with_wide_words([1 << 255]) == [1 << 255]


class Halting:
    """An engine on which the last call of each sequence compares what `places` says."""

    def __init__(self, places: dict[bytes, list[tuple[int, int]]]) -> None:
        self._places = places

    def observe(self, sequence: tuple[Transaction, ...], calls: int) -> tuple[SimpleNamespace, list[SimpleNamespace]]:
        places = self._places[sequence[-1].data]
        compared = [SimpleNamespace(code=code, program_counter=pc) for code, pc in places]
        return SimpleNamespace(succeeded=bool(places)), compared


def test_each_place_where_calls_halt_comes_in_turn():
    """The shorter sequence stands for a place; what is decided both ways is left out; reverting is a place, too."""
    first, second, third = (Transaction(bytes(20), bytes(20), bytes([number] * 4)) for number in (1, 2, 3))
    engine = Halting({first.data: [(0, 1)], second.data: [(0, 2)], third.data: []})
    is_open = {(0, 1): True, (0, 2): True}
    blocks = SimpleNamespace(is_open=lambda *place: is_open[place])
    halted = HaltedCalls(engine, Effort(lambda: 0), blocks)
    assert halted.learn((second, first)) == [(second, first), (second,)]
    assert halted.learn((first,)) == [(first,)]
    assert halted.learn((third, first)) == [(third,)]
    assert halted.turn(2) == [(first,), (second,)]
    assert halted.turn(2) == [(third,), (first,)]
    is_open[0, 1] = False
    assert halted.turn(9) == [(second,), (third,)]


def test_looking_where_calls_halt_ends_with_the_effort():
    effort = Effort(lambda: 0)
    effort.spend(AT_FIRST)
    sequence = (Transaction(bytes(20), bytes(20), b"\1"),)
    assert HaltedCalls(Halting({}), effort, SimpleNamespace(is_open=np.any)).learn(sequence) == []

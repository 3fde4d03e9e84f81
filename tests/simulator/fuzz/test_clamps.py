"""Clamps: arguments bound to values and ranges, and functions bound to senders, in whatever the fuzz loop builds."""

from __future__ import annotations

import pytest

from simulator.abi.call_parser import parse_call
from simulator.fuzz.loop.clamps import ArgumentClamp, FunctionClamp
from simulator.fuzz.loop.sequence_templates import StepSequence, TemplateStep
from simulator.transaction import WORD_MAX, Sequence, Transaction, address_bytes

pytestmark = pytest.mark.integration

SOURCE = """
contract Bound {
    struct Order { uint64 price; address to; }
    uint256 public sum;
    function pay(address to, uint256 amount) public { if (amount > 5) sum += amount; }
    function shift(int128 by, string memory why) public { sum += bytes(why).length; }
    function place(bool now_, Order memory order, uint8[] memory tags) public { sum += order.price; }
    function free(uint256 x) public { if (x == 77) sum = 0; }
    function echidna_true() public pure returns (bool) { return true; }
}
"""
SENDERS = (address_bytes(0xAAAA), address_bytes(0x30000))
CLAMPS = (
    FunctionClamp(
        "pay",
        (ArgumentClamp("amount", "uint256", low=100, high=110), ArgumentClamp("to", "address", (0x20000, 0x30000))),
    ),
    FunctionClamp("Bound.shift(int128,string)", (ArgumentClamp("0", "int128", low=WORD_MAX - 2, high=3),), SENDERS),
    FunctionClamp("place", (ArgumentClamp("order.price", "uint64", (7,)), ArgumentClamp("now_", "bool", (1,)))),
)


def built(worker, sequences: int) -> list[Transaction]:
    """Calls of so many sequences that are built from now on."""
    found: list[Transaction] = []
    for _ in range(sequences):
        worker.engine.fuzz(worker.engine.calls + 1)
        found += worker.engine.whole_sequence()
    return found


def of(worker, calls, name: str) -> list[Transaction]:
    selector = next(t.selector for t in worker.functions if t.function.name == name)
    return [call for call in calls if call.data[:4] == selector]


def words(calls: list[Transaction], place: int) -> set[int]:
    return {int.from_bytes(call.data[4 + 32 * place : 36 + 32 * place], "big") for call in calls}


def given(worker, name: str, *words_: int, sender: int = 0x10000) -> Transaction:
    selector = next(t.selector for t in worker.functions if t.function.name == name)
    data = selector + b"".join(word.to_bytes(32, "big") for word in words_)
    return Transaction(address_bytes(sender), worker.settings.contract_address, data)


def test_every_built_call_keeps_the_clamps(make_worker):
    """Generated, mutated, taken from the corpus, a template or priorities; ends and insides of ranges occur, signed
    ones included, and what is not bound varies as before."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    worker.engine.fuzz(300)
    entry: Sequence = tuple(given(worker, "pay", 0x99, 10**20 + place) for place in range(5))
    worker.engine.add_to_corpus(entry)
    target = next(t for t in worker.functions if t.function.name == "pay")
    plain = Transaction(bytes(20), worker.settings.contract_address)
    step = TemplateStep(parse_call("pay(0x1234, 5)", target.deployed.abi), target, plain)
    worker.engine.use_templates((StepSequence((step,), 0.3),))
    worker.engine.hold_clamps(CLAMPS)
    calls = built(worker, 120)
    pays, shifts, places = (of(worker, calls, name) for name in ("pay", "shift", "place"))
    assert words(pays, 0) == {0x20000, 0x30000}
    assert {100, 110} < words(pays, 1) <= set(range(100, 111))
    assert words(shifts, 0) == {WORD_MAX - 2, WORD_MAX - 1, WORD_MAX, 0, 1, 2, 3}
    assert {call.sender for call in shifts} == set(SENDERS)
    assert len({call.sender for call in pays}) > 1
    assert (words(places, 0), words(places, 1)) == ({1}, {7})
    assert len(words(places, 2)) > 2
    assert len(words(of(worker, calls, "free"), 0)) > 100
    # What the corpus holds stays as it was.
    assert entry[0].data[-32:] == (10**20).to_bytes(32, "big")


def test_clamps_are_replaced_and_taken_back(make_worker):
    """Of two for one argument the later holds; without clamps every value comes again."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    worker.engine.hold_clamps(
        (
            FunctionClamp("pay", (ArgumentClamp("amount", "uint256", (1,)),), SENDERS[:1]),
            FunctionClamp("Bound.pay(address,uint256)", (ArgumentClamp("1", "uint256", (2,)),), SENDERS[1:]),
        )
    )
    pays = of(worker, built(worker, 10), "pay")
    assert (words(pays, 1), {call.sender for call in pays}) == ({2}, {SENDERS[1]})
    worker.engine.hold_clamps(())
    pays = of(worker, built(worker, 20), "pay")
    assert len(words(pays, 1)) > 20
    assert not worker.engine.context.has_clamps


def test_given_sequences_are_repaired_the_same_way_each_time(make_worker):
    """What keeps the clamps stays; what has no word where the argument belongs is left out."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    good = given(worker, "pay", 0x20000, 105)
    bad = given(worker, "pay", 0x99, 3)
    short = given(worker, "pay", 0x20000)
    other = given(worker, "free", 5)
    clamps = worker.engine.clamps
    assert clamps.within((good, bad, short)) == (good, bad, short)
    worker.engine.hold_clamps(CLAMPS)
    repaired = clamps.within((good, bad, short, other))
    assert repaired == clamps.within((good, bad, short, other))
    assert (repaired[0], repaired[-1], len(repaired)) == (good, other, 3)
    assert clamps.admits(repaired)
    assert not clamps.admits((good, bad))
    assert not clamps.admits((short,))
    assert words([repaired[1]], 1) <= set(range(100, 111))


@pytest.mark.parametrize("low", [0, 5, 2**255, WORD_MAX - 20])
@pytest.mark.parametrize("span", [0, 1, 6, 20, 2**200 + 3])
def test_a_repaired_word_is_in_the_range(low, span):
    """Also where the range goes through zero, as those of signed numbers do."""
    clamp = ArgumentClamp("x", "int256", low=low, high=(low + span) & WORD_MAX)
    for word in (0, 1, low, low - 1, low + span, low + span + 1, 2**255 - 1, 2**255, WORD_MAX):
        repaired = clamp.repaired(word & WORD_MAX)
        assert clamp.holds(repaired)
        assert not clamp.holds(word & WORD_MAX) or repaired == word & WORD_MAX

"""Steering of the fuzz loop: shares of functions, exclusions, templates, dictionary values."""

from __future__ import annotations

import math

import pytest

from simulator.abi.call_parser import parse_call
from simulator.fuzz.generation.dictionary import Dictionary
from simulator.fuzz.loop.sequence_templates import StepSequence, TemplateStep
from simulator.settings import PRIORITY_SHARE
from simulator.transaction import Transaction, wei_bytes

pytestmark = pytest.mark.integration

SOURCE = """
contract Four {
    uint256 public sum;
    bytes public blob;
    event Saw(address who);
    function a(uint256 n) public { sum += n % 7; }
    function b(address who) public { if (who == address(0xABcD000000000000000000000000000000000000)) sum = 1; }
    function c() public payable { sum += 1; }
    function d(uint8[] memory list, string memory text) public { if (list.length == 3) blob = bytes(text); }
    function echidna_true() public pure returns (bool) { return true; }
}
"""


def shares(worker, calls: int) -> dict[str, float]:
    """The share of each function in calls that are made from now on."""
    before, _ = worker.engine.functions.counts()
    limit = worker.engine.calls + calls
    while worker.engine.fuzz(limit) is not None:
        pass
    after, _ = worker.engine.functions.counts()
    made = [late - early for early, late in zip(before, after, strict=True)]
    return {t.function.name: n / sum(made) for t, n in zip(worker.functions, made, strict=True)}


def step(worker, text: str, sender: int = 0, value: int = 0) -> TemplateStep:
    target = next(t for t in worker.functions if t.function.name == text.partition("(")[0])
    transaction = Transaction(sender.to_bytes(20, "big"), worker.settings.contract_address, value=wei_bytes(value))
    return TemplateStep(parse_call(text, target.deployed.abi), target, transaction)


def built(worker, templates: tuple[StepSequence, ...], name: str, sequences: int = 300) -> list[Transaction]:
    """Calls of one function in sequences that are built from now on, one sequence after the other."""
    worker.engine.use_templates(templates)
    selector = next(t.selector for t in worker.functions if t.function.name == name)
    found = []
    for _ in range(sequences):
        worker.engine.fuzz(worker.engine.calls + 1)
        sequence = worker.engine.current_sequence(worker.settings.sequence_length)
        found += [call for call in sequence if call.data[:4] == selector]
    return found


@pytest.mark.requirement("004-31")
@pytest.mark.parametrize(("names", "k"), [(("a(uint256)",), 1), (("a(uint256)", "Four.c()"), 2)])
def test_prioritized_functions_get_nine_tenths_and_their_part_of_the_rest(make_worker, names, k):
    """0.9 + 0.1 * k / n of all calls, from the next sequence on; clearing gives back even shares."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    worker.engine.focus(names, (), ())
    calls = 4_000
    found = shares(worker, calls)
    expected = PRIORITY_SHARE + (1 - PRIORITY_SHARE) * k / 4
    sigma = math.sqrt(expected * (1 - expected) / calls)
    assert abs(sum(found[name] for name in "ac"[:k]) - expected) < 3 * sigma + 0.005
    worker.engine.focus((), (), ())
    assert max(shares(worker, 20_000).values()) < 0.5


def test_with_a_corpus_the_prioritized_share_stays_at_least_nine_tenths(make_worker):
    """Short entries may come first in a sequence; their calls count among the others."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    shares(worker, 2_000)
    transaction = Transaction(
        worker.settings.senders[0], worker.settings.contract_address, worker.functions[1].selector
    )
    for length in (1, 5, 60):
        worker.engine.add_to_corpus((transaction,) * length)
    worker.engine.focus(("a(uint256)",), (), ())
    assert shares(worker, 10_000)["a"] > 0.89


@pytest.mark.requirement("004-31")
def test_templates_leave_the_prioritized_share_at_nine_tenths(make_worker):
    """The shares that a campaign sends when it has both: a tenth of the sequences for templates, and what makes up for
    it in the others."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    shares(worker, 2_000)
    worker.engine.use_templates((StepSequence((step(worker, "b(?)"), step(worker, "c()")) * 5, 0.1),))
    worker.engine.focus(("a(uint256)",), (), (), 1.0)
    found = shares(worker, 20_000)
    assert found["a"] >= 0.9
    assert found["c"] > 0


def test_excluded_functions_are_not_called_even_from_the_corpus(make_worker):
    """Neither fresh nor taken from an entry; taking the exclusion back brings them back."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    call = Transaction(worker.settings.senders[0], worker.settings.contract_address, worker.functions[2].selector)
    worker.engine.add_to_corpus((call,) * 5)
    assert worker.engine.focus((), ("c",), ())
    assert shares(worker, 20_000)["c"] == 0
    worker.engine.focus((), (), ())
    assert shares(worker, 5_000)["c"] > 0.1


def test_excluding_everything_has_no_effect(make_worker):
    """Something must be called."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    assert not worker.engine.focus((), ("a", "b", "c", "d"), ())
    assert all(share > 0.1 for share in shares(worker, 5_000).values())


def test_weights_multiply(make_worker):
    """Names that occur twice count twice; the rest keep their proportions."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    worker.engine.focus((), (), (("a", 2.0), ("Four.a(uint256)", 3.0), ("d", 0.001)))
    found = shares(worker, 30_000)
    assert 0.65 < found["a"] < 0.85
    assert found["d"] < 0.02


def test_wild_arguments_vary_and_the_others_stay(make_worker):
    """`?` gives many values, given values and senders one, an open sender all of the campaign's."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    template = StepSequence((step(worker, "a(?)"), step(worker, "a(77)", sender=0x99, value=5)), 0.9)
    calls = built(worker, (template,), "a")
    fixed = [call for call in calls if call.sender[-1] == 0x99]
    assert len(fixed) > 200
    assert {int.from_bytes(call.data[4:], "big") for call in fixed} == {77}
    assert {call.wei for call in fixed} == {5}
    assert len({call.data for call in calls}) > 100
    assert {call.sender for call in calls} > set(worker.settings.senders)


def test_an_elided_address_keeps_its_prefix(make_worker):
    """A known one where there is one, else generated ones, which differ."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    template = StepSequence((step(worker, "b(0xabcd...)", sender=0x98), step(worker, "b(0x777...)", sender=0x99)), 0.9)
    calls = built(worker, (template,), "b")
    known, generated = ({call.data[16:36] for call in calls if call.sender[-1] == sender} for sender in (0x98, 0x99))
    assert known == {b"\xab\xcd" + bytes(18)}
    assert {address.hex()[:3] for address in generated} == {"777"}
    assert len(generated) > 4


def test_wild_lists_and_texts_change_their_lengths(make_worker):
    """Also over long runs, in which the variants are made anew."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    template = StepSequence((step(worker, "d([1, ?, 3], ?)", sender=0x99),), 0.9)
    worker.engine.use_templates((template,))
    for _ in range(4):
        while worker.engine.fuzz(worker.engine.calls + 60_000) is not None:
            pass
    calls = [call for call in built(worker, (template,), "d") if call.sender[-1] == 0x99]
    function = next(t.function for t in worker.functions if t.function.name == "d")
    values = [function.decode_call(call.data) for call in calls]
    assert {(len(numbers), numbers[0], numbers[2]) for numbers, _ in values} == {(3, 1, 3)}
    assert len({numbers[1] for numbers, _ in values}) > 10
    assert len({len(text) for _, text in values}) > 2


def test_templates_get_their_share_of_the_sequences_and_can_be_taken_back(make_worker):
    """Shares of several templates are in proportion; together at most nine tenths."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    templates = tuple(
        StepSequence((step(worker, "c()", sender=sender),), share) for sender, share in ((0x98, 0.2), (0x99, 0.4))
    )
    calls = built(worker, templates, "c", sequences=1_000)
    counts = [sum(call.sender[-1] == sender for call in calls) for sender in (0x98, 0x99)]
    assert 120 < counts[0] < 280
    assert 300 < counts[1] < 500
    assert not [call for call in built(worker, (), "c") if call.sender[-1] in (0x98, 0x99)]


def test_taught_values_are_used(make_worker):
    """Numbers, addresses and texts come up as arguments that never came up before."""
    worker = make_worker(SOURCE, exclude_view_pure=True)
    number, address = 0x1234567890ABCDEF1234, 0xFEEDFEEDFEEDFEEDFEEDFEEDFEEDFEEDFEEDFEED
    more = Dictionary()
    more.numbers[number] = None
    more.addresses[address] = None
    worker.engine.learn(more)
    seen_numbers = {int.from_bytes(call.data[4:], "big") for call in built(worker, (), "a", 800)}
    seen_addresses = {int.from_bytes(call.data[4:36], "big") for call in built(worker, (), "b")}
    assert number in seen_numbers
    assert address in seen_addresses


def test_without_steering_the_campaign_of_a_seed_is_what_it_was(make_worker):
    """Saying nothing, with an empty focus and no templates, changes no draw."""
    first, second = make_worker(SOURCE), make_worker(SOURCE)
    second.engine.focus((), (), ())
    second.engine.use_templates(())
    assert shares(first, 10_000) == shares(second, 10_000)
    assert first.engine.words.read() == second.engine.words.read()


@pytest.mark.parametrize(("weights", "changes"), [((0, 0, 1, 1), False), ((50, 0, 1, 1), True), ((0, 50, 1, 1), True)])
def test_mutation_weights_say_whether_arguments_of_the_corpus_change(make_worker, weights, changes):
    """A number that differs in one bit from one that only the corpus has was made from it."""
    worker = make_worker(SOURCE, exclude_view_pure=True, mutation_weights=weights)
    number = 0x9E3779B97F4A7C15F39CC0605CEDC834
    call = Transaction(
        worker.settings.senders[0],
        worker.settings.contract_address,
        worker.functions[0].selector + number.to_bytes(32, "big"),
    )
    worker.engine.add_to_corpus((call,) * 20)
    values = {int.from_bytes(each.data[4:36], "big") for each in built(worker, (), "a", 100)}
    assert number in values
    assert any((value ^ number).bit_count() == 1 for value in values if abs(value - number) > 1) is changes

"""Shrinking: delta debugging over calls, adaptive minimisation of values."""

from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.codec import decode, encode, repair
from simulator.abi.types import Array, Bool, Bytes, Int, String, Tuple, UInt
from simulator.fuzz.shrinking.attempts import Known
from simulator.fuzz.shrinking.shrinker import Shrinker
from simulator.fuzz.shrinking.values import minimize_integer, minimize_list, minimize_value
from simulator.transaction import Transaction, wei_bytes

SENDERS = tuple(n.to_bytes(20, "big") for n in (1, 2, 3))
TARGET = bytes(19) + b"\xaa"
TYPES = (UInt(256), Bool())


def call(selector: int, number: int = 0, flag: bool = False, **changes: object) -> Transaction:
    data = bytes([selector]) * 4 + encode(TYPES, (number, flag))
    return Transaction(sender=SENDERS[2], to=TARGET, data=data, **changes)  # type: ignore[arg-type]


def arguments(transaction: Transaction) -> tuple[tuple[object, ...], tuple[object, ...]]:
    return TYPES, decode(TYPES, transaction.data[4:])


def shrink(sequence, fails, limit=5000):
    return Shrinker(tuple(sequence), fails, arguments, SENDERS, limit).run()


@given(st.integers(0, 2**256 - 1), st.integers(0, 2**256 - 1))
def test_an_integer_shrinks_to_the_smallest_one_above_a_threshold(threshold: int, start: int):
    """Bisection finds the exact border."""
    value = max(threshold, start)
    assert minimize_integer(value, lambda candidate: candidate >= threshold) == threshold


def test_shrinking_in_slices_executes_what_shrinking_at_once_does():
    """The result is the same, and what is known is not executed again."""
    executed: list[object] = []

    def fails(candidate):
        executed.append(candidate)
        numbers = [arguments(each)[1][0] for each in candidate]
        return len(numbers) >= 2 and numbers[0] > 1_000 and numbers[-1] > 50_000

    start = tuple(call(1, 10**6 + number) for number in range(6))
    whole = shrink(start, fails)
    at_once, known, best, is_minimal = list(executed), Known(), start, False
    executed.clear()
    while not is_minimal:
        slice_ = Shrinker(best, fails, arguments, SENDERS, 150, known=known).run()
        best, is_minimal = slice_.sequence, slice_.minimal
    assert best == whole.sequence
    assert whole.minimal
    assert len(executed) <= 2 * len(at_once)


def test_a_number_that_is_as_small_as_it_gets_costs_few_tries():
    """Rounds repeat until nothing changes, so settled numbers must be cheap."""
    tried: list[int] = []

    def fails(candidate: int) -> bool:
        tried.append(candidate)
        return candidate >= 2**200

    assert minimize_integer(2**200, fails) == 2**200
    assert len(tried) <= 20


@given(st.integers(0, 2**256 - 1), st.integers(2, 9))
def test_a_number_that_matters_modulo_few_becomes_its_remainder(start: int, modulus: int):
    """As where a harness picks one of its actors by an argument: 254 of three actors is 2."""
    kind = start % modulus

    def fails(candidate: int) -> bool:
        return candidate % modulus == kind

    settled = minimize_integer(start, fails)
    assert minimize_integer(settled, fails) == kind


@given(st.lists(st.integers(0, 9), max_size=40), st.sets(st.integers(0, 9), max_size=3))
def test_a_list_keeps_exactly_the_items_that_matter(items: list[int], needed: set[int]):
    """No item of a minimised list can be dropped."""
    wanted = needed & set(items)
    smallest = minimize_list(items, lambda candidate: wanted <= set(candidate))
    assert sorted(smallest) == sorted(wanted)


def test_nested_values_shrink_member_by_member():
    """Arrays lose elements, strings characters, negative numbers their magnitude."""
    abi_type = Tuple((Array(Int(256)), String(), Bytes()))
    start = [[5, -900, 7], "hello", b"\x01\x02\xff"]
    result = minimize_value(abi_type, start, lambda v: any(i <= -100 for i in v[0]) and "e" in v[1] and 0xFF in v[2])
    assert result == [[-100], "e", b"\xff"]


def test_calldata_that_is_no_encoding_is_replaced_by_one_that_fails_as_well():
    """What readers get has arguments, and these are minimised; bytes that matter by themselves stay."""
    start = call(1, 900)
    start = Transaction(start.sender, start.to, start.data + b"\xff" * 9)
    result = shrink([start], lambda candidate: any(int.from_bytes(t.data[4:36], "big") >= 700 for t in candidate))
    assert [arguments(transaction)[1][0] for transaction in result.sequence] == [700]
    assert len(result.sequence[0].data) == 68
    kept = shrink([start], lambda candidate: any(len(t.data) == 77 for t in candidate))
    assert kept.sequence[0].data == start.data


def test_equal_words_that_are_offsets_are_left_alone():
    """An offset of nought where nobody reads would fail as well, but who gets the report could not read the call."""
    types = (String(), Bytes(), Array(Array(UInt(256))), Array(UInt(160), 3))
    data = encode(types, ("", b"", ((), (0, 31_337), ()), (0, 0, 0)))
    start = Transaction(SENDERS[0], TARGET, b"\x01\x02\x03\x04" + data)
    assert data.count((0xE0).to_bytes(32, "big")) == 2

    def fails(candidate):
        return any(
            len(lists) > 2 and lists[1] == (0, 31_337) for lists in (repair(types, t.data[4:])[2] for t in candidate)
        )

    result = Shrinker((start,), fails, lambda t: (types, repair(types, t.data[4:])), SENDERS, 500).run()
    assert result.sequence[0].data == start.data


def test_calls_that_do_not_matter_are_dropped():
    """Only the two calls that the failure needs stay, in their order."""
    sequence = [call(number % 7, number) for number in range(100)]

    def fails(candidate):
        kinds = [transaction.data[0] for transaction in candidate]
        return 3 in kinds and 5 in kinds[kinds.index(3) :]

    result = shrink(sequence, fails)
    assert [transaction.data[0] for transaction in result.sequence] == [3, 5]
    assert result.minimal


def test_arguments_values_senders_and_delays_become_as_simple_as_the_failure_allows():
    """Every part that plays no role ends at its simplest value."""
    start = call(1, 77_777, True, value=wei_bytes(10**18), seconds=5000, blocks=400)

    def fails(candidate):
        number, _ = decode(TYPES, candidate[0].data[4:])
        return number >= 1000 and candidate[0].wei >= 3 and candidate[0].seconds >= 60

    (only,) = shrink([start], fails).sequence
    assert decode(TYPES, only.data[4:]) == (1000, False)
    assert (only.wei, only.seconds, only.blocks, only.sender) == (3, 60, 0, SENDERS[0])


def test_the_delay_of_a_dropped_call_moves_to_its_successor_when_time_matters():
    """A time lock still opens after the calls between are gone."""
    sequence = [call(1), call(2, seconds=500), call(2, seconds=600), call(3)]
    result = shrink(
        sequence, lambda candidate: candidate[-1].data[0] == 3 and sum(t.seconds for t in candidate) >= 1000
    )
    assert len(result.sequence) == 1
    assert result.sequence[0].seconds == 1000


def test_a_sender_that_pays_itself_is_renamed_as_a_whole():
    """Sender and argument change together where neither could change alone."""
    start = call(1, int.from_bytes(SENDERS[2], "big"))

    def fails(candidate):
        return int.from_bytes(candidate[0].sender, "big") == decode(TYPES, candidate[0].data[4:])[0]

    (only,) = shrink([start], fails).sequence
    assert only.sender == SENDERS[0]


def test_numbers_that_must_match_shrink_together():
    """An amount that is paid and named ends at the smallest amount that works for both."""
    start = [call(1, 7_777, value=wei_bytes(7_777)), call(2, 7_777)]

    def fails(candidate):
        numbers = [decode(TYPES, t.data[4:])[0] for t in candidate]
        return len(candidate) == 2 and candidate[0].wei == numbers[0] == numbers[1] >= 50

    result = shrink(start, fails)
    assert result.sequence[0].wei == 50
    assert [decode(TYPES, t.data[4:])[0] for t in result.sequence] == [50, 50]


def test_identifiers_follow_when_the_calls_that_counted_them_go():
    """Ten creations before the use of number 9 become one creation and the use of number 0."""
    start = [call(1) for _ in range(10)] + [call(2, 9)]

    def fails(candidate):
        created = sum(t.data[0] == 1 for t in candidate)
        used = [decode(TYPES, t.data[4:])[0] for t in candidate if t.data[0] == 2]
        return bool(used) and used[0] == created - 1

    result = shrink(start, fails)
    assert [(t.data[0], decode(TYPES, t.data[4:])[0]) for t in result.sequence] == [(1, 0), (2, 0)]


def test_identifiers_follow_where_the_calls_that_are_counted_have_small_numbers_too():
    """Orders of kinds 1, 2 and 1, then a match of number 2: without the first, number 1 matches, of the same kind."""
    sequence = [call(1, 1), call(1, 2), call(1, 1), call(2, 2)]

    def fails(candidate):
        orders: list[int] = []
        for transaction in candidate:
            number = arguments(transaction)[1][0]
            if transaction.data[0] == 1:
                orders.append(number)
            elif 0 < number < len(orders) and (orders[number - 1], orders[number]) == (2, 1):
                return True
        return False

    assert fails(sequence)
    assert len(shrink(sequence, fails).sequence) == 3


def test_shrinking_stops_at_its_limit_and_says_so():
    """An exhausted budget leaves a failing, not yet minimal sequence."""
    sequence = [call(number % 50, number) for number in range(100)]
    result = shrink(sequence, lambda candidate: any(t.data[0] == 7 for t in candidate), limit=5)
    assert result.attempts == 5
    assert not result.minimal
    assert any(transaction.data[0] == 7 for transaction in result.sequence)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.sets(st.integers(0, 5), min_size=1, max_size=3))
def test_the_result_is_locally_minimal(kinds: list[int], needed: set[int]):
    """Dropping any single call of the result loses the failure."""
    wanted = needed & set(kinds)

    def fails(candidate):
        return wanted <= {transaction.data[0] for transaction in candidate}

    result = shrink([call(kind) for kind in kinds], fails)
    assert fails(result.sequence)
    if len(result.sequence) > 1:
        for index in range(len(result.sequence)):
            assert not fails(result.sequence[:index] + result.sequence[index + 1 :])

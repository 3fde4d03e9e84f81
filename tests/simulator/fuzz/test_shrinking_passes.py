"""Each pass of the shrinker, with a predicate in place of a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from simulator.abi.codec import encode, repair
from simulator.abi.types import AbiType, Address, Array, Bool, Bytes, FixedBytes, Int, String, UInt
from simulator.fuzz.shrinking.attempts import Knowledge
from simulator.fuzz.shrinking.integers import Guide, find_integer, minimize_integer, minimize_signed
from simulator.fuzz.shrinking.shrinker import Shrinker, ShrinkResult
from simulator.fuzz.shrinking.values import minimize_value
from simulator.transaction import Sequence, Transaction, plain_order, wei_bytes

SENDERS = tuple(number.to_bytes(20, "big") for number in (0x10000, 0x20000, 0x30000))
TARGET = bytes(19) + b"\xaa"
LIMIT = 5_000
NUMBER = (UInt(256),)
TWO = (UInt(256), UInt(256))
SCAN = Guide(scan=128)


class Program:
    """Calls of one function after another by name, each with types of its own."""

    def __init__(self, **functions: tuple[AbiType, ...]) -> None:
        self._functions = functions
        self._names = {name.encode().ljust(4, b"_"): name for name in functions}

    def call(self, name: str, *values: Any, sender: int = 2, **changes: Any) -> Transaction:
        data = name.encode().ljust(4, b"_") + encode(self._functions[name], values)
        return Transaction(SENDERS[sender], TARGET, data, **changes)

    def read(self, call: Transaction) -> tuple[str, tuple[Any, ...]]:
        name = self._names[call.data[:4]]
        return name, tuple(repair(self._functions[name], call.data[4:]))

    def shrink(
        self, start: list[Transaction], fails: Callable[[Sequence], bool], **options: Any
    ) -> tuple[list[tuple[str, tuple[Any, ...]]], ShrinkResult]:
        def arguments(call: Transaction) -> tuple[tuple[AbiType, ...], tuple[Any, ...]]:
            name, values = self.read(call)
            return self._functions[name], values

        assert fails(tuple(start))
        result = Shrinker(tuple(start), fails, arguments, SENDERS, LIMIT, **options).run()
        assert fails(result.sequence)
        return list(map(self.read, result.sequence)), result


@pytest.mark.parametrize(
    ("fails", "smallest"),
    [
        (lambda n: n > 100 and n % 2 == 1, 101),
        (lambda n: n >= 5000 and n % 7 == 3, 5001),
        (lambda n: n > 1000 and n % 97 == 13, 1080),
        (lambda n: n > 500 and n % 3 == 1 and n % 5 == 2, 502),
        (lambda n: n > 100 and n % 10 in (3, 7), 103),
    ],
    ids=["odd", "modulo 7", "modulo 97", "two moduli", "two remainders"],
)
@pytest.mark.parametrize("start", [353, 65_985, 1_524_786_574, 2**59 - 1, 2**255 + 12_345])
def test_steps_that_keep_a_remainder_lead_to_the_smallest_number(fails, smallest, start):
    """Also from numbers at which no bisection gets anywhere."""
    start = next(number for number in range(max(start, smallest), 2**256) if fails(number))
    assert minimize_integer(start, fails, SCAN) == smallest


def test_a_constant_of_the_code_is_a_step():
    """A modulus that is too large to be scanned for."""
    assert minimize_integer(10**40 + 7, lambda n: n > 1e9 and n % 1_000_003 == (10**40 + 7) % 1_000_003) > 2e9
    guide = Guide(scan=16, steps=(1_000_003,))
    smallest = minimize_integer(10**40 + 7, lambda n: n > 1e9 and n % 1_000_003 == (10**40 + 7) % 1_000_003, guide)
    assert 10**9 < smallest <= 10**9 + 1_000_003


def test_numbers_that_were_compared_are_tried_with_their_neighbours():
    """A single number behind a gap that no bisection would find."""
    guide = Guide(values=(987_654_321,))
    assert minimize_integer(2**200, lambda n: n >= 2**199 or n == 987_654_322, guide) == 987_654_322


@pytest.mark.parametrize(
    ("fails", "start", "smallest"),
    [
        (lambda n: n < -100, -(2**255), -101),
        (lambda n: n * n > 10_000, -(2**100), 101),
        (lambda n: n < -100 and n % 7 == 3, -4 - 7 * 10**9, -102),
        (lambda n: n == -(2**127), -(2**127), -(2**127)),
    ],
    ids=["bound", "either sign", "remainder", "only one"],
)
def test_signed_numbers_shrink_in_magnitude_and_become_positive_where_they_may(fails, start, smallest):
    """Of two numbers of equal magnitude the positive one is simpler."""
    assert minimize_signed(start, fails, SCAN) == smallest


@pytest.mark.parametrize("limit", [0, 1, 2, 77, 10**30])
@pytest.mark.parametrize("bound", [0, 1, 76, 77, 10**29])
def test_the_largest_step_that_holds_is_found(limit, bound):
    """Exactly, for what holds up to a bound."""
    assert find_integer(lambda n: n <= bound, limit) == min(bound, limit)


@pytest.mark.parametrize(
    ("abi_type", "start", "fails", "simplest"),
    [
        (Bytes(), b"\x11\x22\x33\x22\x11", lambda b: len(b) >= 3 and b[0] and b[0] == b[-1], b"\x01\x00\x01"),
        (Bytes(), bytes(range(9)), lambda b: len(b) >= 3 and b[2] >= 0x02, b"\x00\x00\x02"),
        (String(), "what ever", lambda s: len(s) >= 4 and "m" <= s[2] <= "z", "aama"),
        (String(), "xyzyx\udc80", lambda s: len(s) >= 3 and s[-1] == "\udc80", "aa\udc80"),
        (Array(UInt(8)), [9, 200, 3], lambda a: any(n > 100 for n in a), [101]),
        (Array(Array(Int(16))), [[1], [-7, 3]], lambda a: len(a) > 1 and bool(a[1]) and a[1][0] < -4, [[], [-5]]),
    ],
    ids=["equal bytes", "byte", "character", "byte of a string", "element", "nested"],
)
def test_what_is_made_of_elements_shrinks_element_by_element(abi_type, start, fails, simplest):
    """Fewer elements first, then each as small as possible, equal ones together."""
    assert minimize_value(abi_type, start, fails) == simplest


@pytest.mark.parametrize(
    ("start", "fails", "simplest"),
    [
        ((5_306, 5_301), lambda a, b: a - b == 5 and b > 300, (306, 301)),
        ((7_000, 3_000), lambda a, b: a + b == 10_000, (0, 10_000)),
        ((708, 701), lambda a, b: a == b + 7 and b > 100 and b % 4 == 1, (108, 101)),
        ((77_000, 77_000), lambda a, b: a == b > 1000, (1001, 1001)),
        ((2**200, 2**199 + 1), lambda a, b: a >= 1000 and b <= a < 2 * b, (1000, 501)),
    ],
    ids=["difference", "sum", "difference and remainder", "equality", "bounds on each other"],
)
def test_two_numbers_move_together(start, fails, simplest):
    """Where neither can change alone."""
    program = Program(f=TWO)
    calls, result = program.shrink([program.call("f", *start)], lambda s: fails(*program.read(s[0])[1]))
    assert calls == [("f", simplest)]
    assert result.minimal


@pytest.mark.parametrize(
    ("start", "sides", "fails", "simplest"),
    [
        ((9_001, 3_000), lambda a, b: (a, 3 * b + 1), lambda a, b: a == 3 * b + 1 and b > 100, (304, 101)),
        ((10_000, 100), lambda a, b: (b * b, a), lambda a, b: a == b * b and b > 10, (121, 11)),
        ((200, 200), lambda a, b: (a * b, 10_001), lambda a, b: a * b > 10_000 and b <= 200, (51, 197)),
    ],
    ids=["multiple", "square", "product"],
)
def test_a_number_is_solved_for_another(start, sides, fails, simplest):
    """What is compared shows how fast each number changes it."""
    program = Program(f=TWO)

    def observe(sequence: Sequence) -> dict[tuple[int, ...], tuple[int, int]]:
        return {(0, 0, 0): sides(*program.read(sequence[-1])[1])}

    calls, _ = program.shrink(
        [program.call("f", *start)], lambda s: fails(*program.read(s[0])[1]), knowledge=Knowledge(observe)
    )
    assert calls == [("f", simplest)]


def test_a_chain_of_numbers_follows_the_first():
    """Each is compared with what the one before it left."""
    program = Program(mk=NUMBER, gr=NUMBER, sd=NUMBER)

    def run(sequence: Sequence) -> tuple[int, dict[tuple[int, ...], tuple[int, int]]]:
        wanted, compared, done = 0, {}, 0
        for place, (name, (number,)) in enumerate(map(program.read, sequence)):
            if name != ("mk", "gr", "sd")[min(done, 2)]:
                return 0, {}
            compared = {(0, place): (number, 11 if name == "mk" else wanted)}
            if number < 11 if name == "mk" else number != wanted:
                return 0, compared
            wanted, done = number + 1 if name == "mk" else 2 * number, done + 1
        return done, compared

    start = [program.call("mk", 118), program.call("gr", 119), program.call("sd", 238)]
    knowledge = Knowledge(lambda sequence: run(sequence)[1])
    calls, _ = program.shrink(start, lambda sequence: run(sequence)[0] == 3, knowledge=knowledge)
    assert calls == [("mk", (11,)), ("gr", (12,)), ("sd", (24,))]


def test_three_numbers_keep_a_sum():
    """No two of them can, without the third."""
    program = Program(f=(UInt(256),) * 3)

    def total(sequence: Sequence) -> int:
        first, second, third = program.read(sequence[0])[1]
        return 3 * first + 5 * second + 7 * third

    calls, result = program.shrink(
        [program.call("f", 3, 5, 138)],
        lambda sequence: total(sequence) == 1_000 and all(program.read(sequence[0])[1]),
        knowledge=Knowledge(lambda sequence: {(0, 0): (total(sequence), 1_000)}),
    )
    assert calls == [("f", (1, 2, 141))]
    assert result.minimal


def test_a_number_that_is_compared_with_itself_is_not_held_by_that():
    """As decoders of arguments do. Only what something else must equal is not stepped through."""
    program = Program(f=NUMBER)
    calls, _ = program.shrink(
        [program.call("f", 2**255 + 97 * 10**20 + 13 - 2**255 % 97)],
        lambda sequence: (number := program.read(sequence[0])[1][0]) > 1_000 and number % 97 == 13,
        knowledge=Knowledge(lambda sequence: {(0, 0): (program.read(sequence[0])[1][0],) * 2}),
    )
    assert calls == [("f", (1_080,))]


def test_letters_take_the_place_of_characters_of_several_bytes():
    """The contract sees the bytes."""
    program = Program(f=(String(),))
    calls, _ = program.shrink([program.call("f", "a\x80aaa")], lambda s: len(program.read(s[0])[1][0].encode()) > 5)
    assert calls == [("f", ("aaaaaa",))]


def run_phases(program: Program, sequence: Sequence) -> tuple[int, dict[tuple[int, ...], tuple[int, int]]]:
    """A machine whose last step is reached by calls in order, each with its condition: the phases that were passed, and
    what the last call compared. A call out of order, or whose condition is not met, reverts."""
    phase, compared = 0, {}
    for name, values in map(program.read, sequence):
        wanted = ("arm", "key", "tune", "trim", "fuel", "go").index(name)
        compared = {(0, 0): (phase, wanted)}
        if phase == wanted:
            compared |= CONDITIONS[name](*values)
            phase += all(left == right if site != (2, 0) else left > right for site, (left, right) in compared.items())
    return phase, compared


KEY = 0xD649252005E6DE5DEF3E10BF8212FE914B216570C1E8562662B6E11403E4A608
CONDITIONS: dict[str, Callable[..., dict[tuple[int, ...], tuple[int, int]]]] = {
    "arm": lambda code: {(1, 0): (code, 734_402_119)},
    "key": lambda word: {(1, 0): (int.from_bytes(word, "big"), KEY)},
    "tune": lambda dial, gauge: {(2, 0): (dial, 99), (1, 0): ((dial * 3 + 7) % 2**256, gauge)},
    "trim": lambda angle: {(1, 0): (angle, -271_828)},
    "fuel": dict,
    "go": dict,
}


@pytest.mark.parametrize("dial", [7_777, pow(3, -1, 2**256) * -7 % 2**256], ids=["small", "behind an overflow"])
def test_a_relation_is_followed_in_a_call_among_others(dial):
    """Each number of the other calls is held by a constant, so that two numbers of one call must move together, and the
    attempts suffice to see that nothing else can."""
    program = Program(arm=NUMBER, key=(FixedBytes(32),), tune=TWO, trim=(Int(64),), fuel=(), go=())
    start = [
        program.call("arm", 734_402_119),
        program.call("key", KEY.to_bytes(32, "big")),
        program.call("tune", dial, (dial * 3 + 7) % 2**256),
        program.call("trim", -271_828),
        program.call("fuel"),
        program.call("go"),
    ]
    calls, result = program.shrink(
        start,
        lambda s: run_phases(program, s)[0] == 6,
        knowledge=Knowledge(lambda s: run_phases(program, s)[1]),
    )
    assert calls[2] == ("tune", (100, 307))
    assert result.minimal


def test_many_equal_calls_are_seen_to_be_minimal():
    """The expensive steps look at some of them only."""
    program = Program(add=(UInt(8),))

    def fails(sequence: Sequence) -> bool:
        numbers = [values[0] for _, values in map(program.read, sequence)]
        return sum(number for number in numbers if number <= 180) >= 3600

    calls, result = program.shrink([program.call("add", 175 + place % 5) for place in range(25)], fails)
    assert calls == [("add", (180,))] * 20
    assert result.minimal


def test_one_flag_stands_for_another():
    """The last of three, of which one must be set."""
    program = Program(f=(Bool(), Bool(), Bool()))
    calls, _ = program.shrink([program.call("f", True, False, False)], lambda s: sum(program.read(s[0])[1]) == 1)
    assert calls == [("f", (False, False, True))]


def total(program: Program, sequence: Sequence) -> int:
    return sum(sum(values) for _, values in map(program.read, sequence))


def test_calls_are_merged_into_one_with_the_sum():
    """Also where only some sums fail."""
    program = Program(add=NUMBER)
    start = [program.call("add", number) for number in (4_000, 39, 2**60, 5, 1_000_000)]
    start.append(program.call("add", (3 - total(program, tuple(start))) % 7))
    calls, _ = program.shrink(start, lambda s: (t := total(program, s)) >= 5000 and t % 7 == 3)
    assert calls == [("add", (5001,))]


def test_few_large_calls_take_the_place_of_many_small_ones():
    """As many as the limit of an argument needs, and as small as possible."""
    program = Program(add=(UInt(8),))
    start = [program.call("add", number) for number in (200, 190, 180, 170, 160, 150)]
    calls, _ = program.shrink(start, lambda s: total(program, s) >= 1000)
    assert calls == [("add", (235,)), ("add", (255,)), ("add", (255,)), ("add", (255,))]


def test_a_larger_value_takes_the_place_of_calls_of_another_function():
    """Small steps go when a large one is enough."""
    program = Program(few=(UInt(8),), many=(UInt(16),))
    start = [program.call("few", 250), program.call("many", 2_800), program.call("few", 200)]
    calls, _ = program.shrink(start, lambda s: total(program, s) >= 3000)
    assert calls == [("many", (3000,))]


def test_ether_of_merged_calls_is_added():
    """As for arguments."""
    program = Program(pay=())
    start = [program.call("pay", value=wei_bytes(number)) for number in (600, 500, 7)]
    _, result = program.shrink(start, lambda s: sum(call.wei for call in s) > 1000)
    assert [call.wei for call in result.sequence] == [1001]


def test_two_calls_that_undo_each_other_go_together():
    """Neither may go alone."""
    program = Program(lock=(), free=(), use=())
    start = [program.call(name) for name in ("lock", "use", "free", "lock", "free", "use")]

    def fails(sequence: Sequence) -> bool:
        names = [program.read(call)[0] for call in sequence]
        return names.count("lock") == names.count("free") and names[-1:] == ["use"] and "use" in names

    calls, _ = program.shrink(start, fails)
    assert calls == [("use", ())]


def test_time_passes_as_late_as_possible():
    """One delay before the call that needs it."""
    program = Program(a=(), b=())
    start = [program.call("a", seconds=400, blocks=3), program.call("b", seconds=700)]
    _, result = program.shrink(start, lambda s: len(s) == 2 and sum(call.seconds for call in s) >= 1000)
    assert [(call.seconds, call.blocks) for call in result.sequence] == [(0, 0), (1000, 0)]


def test_senders_change_places():
    """Two different ones are the two first, in order."""
    program = Program(a=(), b=())
    start = [program.call("a", sender=2), program.call("b", sender=0)]
    _, result = program.shrink(start, lambda s: len(s) == 2 and s[0].sender != s[1].sender)
    assert [call.sender for call in result.sequence] == [SENDERS[0], SENDERS[1]]


def test_an_address_becomes_the_simplest_known_one():
    """The zero address, then senders, then what else is there."""
    program = Program(f=(Address(),))
    known = Knowledge(addresses=(0xBEEF,))
    taken = (0, *(int.from_bytes(sender, "big") for sender in SENDERS))
    start = [program.call("f", 2**159 + 5)]
    calls, _ = program.shrink(start, lambda s: program.read(s[0])[1][0] not in taken[:1], knowledge=known)
    assert calls == [("f", (0x10000,))]
    calls, _ = program.shrink(start, lambda s: program.read(s[0])[1][0] not in taken, knowledge=known)
    assert calls == [("f", (0xBEEF,))]


def test_a_name_that_is_given_and_looked_up_shrinks_in_both_places():
    """Equal strings stay equal."""
    program = Program(give=(String(),), look=(String(),))
    start = [program.call("give", "a long name"), program.call("look", "a long name")]

    def fails(sequence: Sequence) -> bool:
        names = [program.read(call)[1][0] for call in sequence]
        return len(names) == 2 and names[0] == names[1] and len(names[0]) > 2

    calls, _ = program.shrink(start, fails)
    assert calls == [("give", ("aaa",)), ("look", ("aaa",))]


def test_lists_of_one_length_lose_elements_together():
    """And a number that names the length follows; that of a string counts bytes."""
    program = Program(f=(Array(UInt(256)), Array(UInt(256)), UInt(256)), g=(String(), UInt(8)))
    start = [program.call("f", [5] * 9, [7] * 9, 9)]
    calls, _ = program.shrink(
        start, lambda s: (v := program.read(s[0])[1]) and len(v[0]) == len(v[1]) == v[2] >= 2 and v[1][1] > 3
    )
    assert calls == [("f", ((0, 0), (0, 4), 2))]
    start = [program.call("g", "text with ü", 12)]
    calls, _ = program.shrink(start, lambda s: (v := program.read(s[0])[1]) and len(v[0].encode()) == v[1] > 3)
    assert calls == [("g", ("aaaa", 4))]


def test_numbers_that_count_on_each_other_are_lowered_at_once():
    """Three in a row, from wherever they began."""
    program = Program(act=NUMBER)
    start = [program.call("act", number) for number in (41, 42, 43)]

    def fails(sequence: Sequence) -> bool:
        numbers = [program.read(call)[1][0] for call in sequence]
        return len(numbers) == 3 and 0 < numbers[0] == numbers[1] - 1 == numbers[2] - 2

    calls, _ = program.shrink(start, fails)
    assert calls == [("act", (1,)), ("act", (2,)), ("act", (3,))]


def test_no_candidate_is_executed_twice_and_each_that_is_kept_is_simpler():
    """Attempts are dear, and no pass may undo what another did."""
    program = Program(f=TWO)
    seen: list[Sequence] = []

    def fails(sequence: Sequence) -> bool:
        seen.append(sequence)
        return sum(program.read(sequence[-1])[1]) >= 300

    _, result = program.shrink([program.call("f", 2_000, 77), program.call("f", 900, 900)], fails)
    executed = seen[1:-1]  # without the two that `shrink` of this module executes
    assert len(executed) == len(set(executed)) == result.attempts
    assert all(plain_order(each) >= plain_order(result.sequence) for each in executed if fails(each))


@pytest.mark.parametrize("variant", range(4))
def test_each_variant_is_deterministic_and_comes_to_an_end(variant):
    """Workers that help take other orders; each order gives the same result each time."""
    program = Program(f=TWO, g=NUMBER)
    start = [program.call("g", 8), *(program.call("f", number, 50 - number) for number in range(20))]

    def fails(sequence: Sequence) -> bool:
        return len({sum(program.read(call)[1]) for call in sequence}) >= 2

    first, second = (program.shrink(start, fails, variant=variant)[1] for _ in range(2))
    assert first == second
    assert first.minimal
    assert len(first.sequence) == 2

"""Operands of comparisons in words."""

from __future__ import annotations

from simulator.health.observations import ABOVE, BELOW, EQUAL, SeenOperands, join_operands
from simulator.health.operands import EQ, GT, LT, SLT, SUB, distance, needed, range_text


def seen(left: tuple[int, int], right: tuple[int, int], relations: int = 0, signed: int = 0) -> SeenOperands:
    low, high = (tuple((value % 2**256).to_bytes(32, "big") for value in pair) for pair in (left, right))
    return SeenOperands(0, 0, 1, (low[0], low[1]), (high[0], high[1]), relations, signed)


def test_ranges_are_readable_however_large():
    assert range_text(LT, seen((0, 57), (1_000, 1_000))) == "compared 0..57 with 1,000"
    assert range_text(LT, seen((0, 2**256 - 1), (2**200, 2**200))) == "compared 0..2^256-1 with 1.61e+60"
    assert range_text(SLT, seen((-7, -3), (0, 0))) == "compared -7..-3 with 0"


def test_what_is_needed_is_what_was_never_seen():
    assert needed(LT, seen((0, 0), (0, 0), ABOVE | EQUAL)) == "needs the first below the second"
    assert needed(LT, seen((0, 0), (0, 0), BELOW)) == "needs the first at least the second"
    assert needed(GT, seen((0, 0), (0, 0), ABOVE)) == "needs the first at most the second"
    assert needed(EQ, seen((0, 0), (0, 0), BELOW | ABOVE)) == "needs both equal"
    assert needed(EQ, seen((0, 0), (0, 0), EQUAL)) == "needs the two different"
    assert needed(SLT, seen((0, 0), (0, 0), BELOW, ABOVE)) == "needs the first below the second"


def test_nothing_is_said_to_be_needed_where_both_outcomes_were_seen():
    assert needed(LT, seen((0, 9), (5, 5), BELOW | ABOVE)) == ""


def test_two_observations_join_to_their_common_range():
    joined = join_operands(seen((3, 5), (1, 1), BELOW), seen((1, 4), (0, 9), ABOVE))
    assert range_text(LT, joined) == "compared 1..5 with 0..9"
    assert (joined.times, joined.relations) == (2, BELOW | ABOVE)


def test_the_distance_is_the_least_that_the_ranges_leave():
    assert distance(LT, seen((100, 200), (0, 57), ABOVE)) == 43
    assert distance(GT, seen((0, 57), (100, 200), BELOW)) == 43
    assert distance(EQ, seen((0, 57), (100, 100), BELOW)) == 43
    assert distance(SUB, seen((7, 7), (7, 7), EQUAL)) == 1
    assert distance(LT, seen((0, 200), (100, 100), ABOVE | EQUAL)) == 0
    assert distance(SLT, seen((-3, -3), (-9, -5), 0, ABOVE)) == 2


def test_there_is_no_distance_where_nothing_is_missing_or_known():
    assert distance(LT, seen((0, 9), (5, 5), BELOW | ABOVE)) is None
    assert distance(0x01, seen((0, 9), (5, 5), BELOW)) is None


def test_a_difference_that_never_was_zero_needs_equal_operands():
    assert needed(SUB, seen((1, 9), (5, 5), BELOW | ABOVE)) == "needs both equal"

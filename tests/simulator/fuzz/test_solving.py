"""Solving comparisons for the number that makes both sides equal."""

from hypothesis import assume, given
from hypothesis import strategies as st

from simulator.fuzz.comparisons.solving import MODULUS, ObservedOperands, solutions

numbers = st.integers(0, MODULUS - 1)


def observe(relation, number: int, right: int) -> tuple[ObservedOperands, ObservedOperands]:
    before = ObservedOperands(relation(number) % MODULUS, right)
    after = ObservedOperands(relation((number + 1) % MODULUS) % MODULUS, right)
    return before, after


@given(numbers, numbers, st.integers(1, 2**64).filter(lambda factor: factor % 2), numbers)
def test_a_linear_relation_is_solved_in_one_step(number: int, wanted: int, factor: int, offset: int):
    """x * odd + c == y, whatever the constants, modulo 2**256."""

    def relation(x: int) -> int:
        return x * factor + offset

    before, after = observe(relation, number, relation(wanted) % MODULUS)
    assert wanted in set(solutions(number, 1, before, after))


@given(numbers, numbers, numbers)
def test_an_exclusive_or_with_a_constant_is_solved_in_one_step(number: int, wanted: int, key: int):
    """x ^ k == y."""
    before, after = observe(lambda x: x ^ key, number, wanted ^ key)
    assume(before != after)
    assert wanted in set(solutions(number, 1, before, after))


@given(numbers, numbers)
def test_a_copy_is_solved_and_so_are_its_neighbours(number: int, right: int):
    """x == y, x < y and x > y all flip with y, y - 1, y + 1."""
    before, after = observe(lambda x: x, number, right)
    assert {right, (right + 1) % MODULUS, (right - 1) % MODULUS} <= set(solutions(number, 1, before, after))


def test_a_relation_without_solution_proposes_nothing_linear():
    """2x == 7 has no solution modulo 2**256."""
    before, after = observe(lambda x: 2 * x, 10, 7)
    assert not any(2 * x % MODULUS == 7 for x in solutions(10, 1, before, after))

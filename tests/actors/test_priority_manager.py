"""The priority manager alone: words of people, shifts by rarity, figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.priorities.manager import MAX_FACTOR, MIN_FACTOR, PriorityManager, PriorityState
from actors.runtime.errors import CommandRejected
from simulator.worker.commands import Focus
from simulator.worker.reports import FunctionCounts, FunctionInfo

FUNCTIONS = (
    FunctionInfo("Token", "transfer(address,uint256)", b"\0\0\0\1", False),
    FunctionInfo("Token", "transferFrom(address,address,uint256)", b"\0\0\0\2", False),
    FunctionInfo("Vault", "transfer(address,uint256)", b"\0\0\0\1", False),
)


def manager(*, automatic: bool = True) -> PriorityManager:
    made = PriorityManager(automatic=automatic, calls=lambda: 1_000, clock=lambda: 7.5)
    made.introduce(FUNCTIONS)
    return made


def counts(rarest: tuple[int, ...] = (0, 0, 0), last_new: tuple[int, ...] = (0, 0, 0)) -> FunctionCounts:
    return FunctionCounts((30, 20, 10), (3, 2, 1), last_new, rarest)


@pytest.mark.parametrize(
    ("name", "matched"),
    [
        ("transfer(address,uint256)", 2),
        ("Token.transfer(address,uint256)", 1),
        ("transfer", 2),
        ("transferFrom", 1),
        ("trans", 0),
        ("transfer(address)", 0),
    ],
)
def test_functions_are_named_exactly(name: str, matched: int):
    """By signature, with a contract before it, or by bare name; never by a part of a name."""
    assert manager().prioritize(name).matched == matched


def test_priority_and_exclusion_take_each_other_back():
    """The last word holds."""
    made = manager()
    made.prioritize("transfer(address,uint256)")
    assert made.exclude("transfer(address,uint256)").prioritized == ()
    assert made.prioritize("transfer(address,uint256)").excluded == ()


def test_not_everything_can_be_excluded():
    """Something must be left to call, and the exclusions of before hold on."""
    made = manager()
    made.exclude("transfer")
    with pytest.raises(CommandRejected, match="nothing would be left"):
        made.exclude("transferFrom")
    assert made.state().excluded == ("transfer",)


@pytest.mark.parametrize("weight", [0, -1, 1e9, float("nan"), float("inf")])
def test_weights_have_a_range(weight: float):
    """Zero is said with an exclusion."""
    with pytest.raises(CommandRejected):
        manager().weigh("transfer", weight)


@pytest.mark.parametrize("name", ["", "transfer(address, uint256)", "a" * 2_000])
def test_names_are_canonical(name: str):
    """No spaces, not empty, not endless."""
    with pytest.raises(CommandRejected, match="canonical signature"):
        manager().prioritize(name)


def test_calls_shift_towards_rare_functions_while_nothing_new_is_covered():
    """The rarely executed get up to four times their share, the often executed down to half of it."""
    made = manager()
    made.count(0, counts(rarest=(1, 1_000_000, 1_000)))
    assert made.review()
    factors = dict(made.focus().weights)
    assert factors["Token.transfer(address,uint256)"] == MAX_FACTOR
    assert factors["Token.transferFrom(address,address,uint256)"] == MIN_FACTOR
    assert not made.review()


def test_new_coverage_takes_the_shift_back():
    """From the next review on every function has its own weight again."""
    made = manager()
    made.count(0, counts(rarest=(1, 1_000_000, 1_000)))
    made.review()
    made.count(0, counts(rarest=(1, 1_000_000, 1_000), last_new=(0, 500, 0)))
    assert made.review()
    assert made.focus() == Focus()


def test_the_shift_can_be_turned_off():
    """Then weights are what people say and nothing else."""
    made = manager(automatic=False)
    made.count(0, counts(rarest=(1, 1_000_000, 1_000)))
    assert not made.review()
    assert made.focus() == Focus()


@given(st.lists(st.integers(0, 2**48), min_size=3, max_size=3))
def test_shifts_stay_within_their_bounds(rarest: list[int]):
    """Whatever the counts are."""
    made = manager()
    made.count(0, counts(rarest=tuple(rarest)))
    made.review()
    assert all(MIN_FACTOR <= factor <= MAX_FACTOR for _, factor in made.focus().weights)


def test_figures_add_up_over_workers_and_their_former_processes():
    """Counts of a process that is gone stay; the place of the last coverage is that of the campaign."""
    made = manager()
    made.count(0, counts(last_new=(0, 0, 9)))
    made.retire(0)
    made.count(0, counts())
    made.count(1, counts(rarest=(5, 0, 0)))
    made.prioritize("transferFrom")
    made.weigh("Vault.transfer(address,uint256)", 3)
    first, second, third = made.statistics().functions
    assert (first.calls, first.reverts, first.rarest, first.covered_at) == (90, 9, 5, None)
    assert second.prioritized
    assert (third.covered_at, third.covered_time, third.weight) == (1_000, 7.5, 3)


def test_the_state_can_be_restored():
    """All that people said, in their order."""
    made = manager()
    made.prioritize("a()")
    made.exclude("b()")
    made.weigh("c()", 2)
    other = manager()
    other.restore(made.state())
    assert other.state() == made.state() == PriorityState(("a()",), ("b()",), (("c()", 2),))
    assert other.clear() == 3
    assert other.state() == PriorityState()

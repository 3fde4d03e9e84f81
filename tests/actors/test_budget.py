"""The shared budget."""

from __future__ import annotations

from collections import deque

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from actors.campaign.budget import FIRST_PIECE, MAX_HELD, Budget, PieceSize

steps = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 500), st.integers(0, 600)), max_size=60)


@given(limit=st.integers(0, 5_000), steps=steps)
def test_every_call_is_used_reserved_or_free(limit: int, steps: list[tuple[int, int, int]]):
    """Whatever workers take, use and lose, the three parts add up to the limit, or are over it by what was overrun."""
    budget, holding = Budget(limit), {}
    for worker, wanted, used in steps:
        if worker in holding:
            del holding[worker]
            budget.settle(worker, used)
        elif (piece := budget.take(worker, wanted, 4)) > 0:
            assert piece <= wanted
            holding[worker] = piece
        assert budget.free is not None
        assert budget.used + budget.reserved + budget.free >= limit
        if budget.used + budget.reserved <= limit:
            assert budget.used + budget.reserved + budget.free == limit


@given(limit=st.integers(1, 5_000), pieces=st.lists(st.integers(1, 700), min_size=1))
def test_one_worker_stops_at_the_same_boundary_for_all_piece_sizes(limit: int, pieces: list[int]):
    """With sequences of ten calls the total is the first multiple of ten at or after the limit."""
    budget, turn = Budget(limit), 0
    while not budget.exhausted:
        piece = budget.take(0, pieces[turn % len(pieces)], 1)
        budget.settle(0, -(-piece // 10) * 10)
        turn += 1
    assert budget.used == -(-limit // 10) * 10


def test_what_a_lost_worker_did_not_use_is_free_again():
    """A piece comes back less what heartbeats told of it."""
    budget = Budget(1_000)
    assert budget.take(0, 600, 1) == 600
    budget.settle(0, 150)
    assert (budget.used, budget.free) == (150, 850)


def test_the_last_calls_are_shared():
    """A piece is at most a fair share, so that workers end together."""
    budget = Budget(1_000)
    assert [budget.take(worker, 10_000, 4) for worker in range(4)] == [250, 188, 141, 106]


def test_without_a_limit_pieces_are_as_wanted():
    """Only time ends such a campaign."""
    budget = Budget(None)
    assert budget.take(0, 123, 2) == 123
    assert not budget.exhausted


def test_pieces_grow_with_speed_by_steps():
    """Fast workers get larger pieces, at most four times the last."""
    piece = PieceSize()
    piece.learn(2_000, 0.001)
    assert piece.calls == 4 * FIRST_PIECE
    piece.learn(8_000, 8.0)
    assert piece.calls == 300


WORKERS = 3
SEQUENCE = 10


class BudgetMachine(RuleBasedStateMachine):
    """Workers that hold one piece or two, make whole sequences of ten calls, are interrupted and die. What one piece
    ran over is taken off the next one that was given ahead, as workers do."""

    def __init__(self) -> None:
        super().__init__()
        self.budget = Budget(2_000)
        self.made = 0
        self.held: dict[int, deque[int]] = {worker: deque() for worker in range(WORKERS)}
        self.beyond = dict.fromkeys(range(WORKERS), 0)

    @rule(worker=st.integers(0, WORKERS - 1), wanted=st.integers(1, 400))
    def take(self, worker: int, wanted: int) -> None:
        if len(self.held[worker]) < MAX_HELD:
            if not self.held[worker]:
                self.beyond[worker] = 0  # what came before is booked
            if (piece := self.budget.take(worker, wanted, WORKERS)) > 0:
                self.held[worker].append(piece)

    @rule(worker=st.integers(0, WORKERS - 1))
    def finish(self, worker: int) -> None:
        if self.held[worker]:
            goal = self.held[worker].popleft() - self.beyond[worker]
            calls = max(0, -(-goal // SEQUENCE) * SEQUENCE)
            self.beyond[worker] = calls - goal
            self._settle(worker, calls)

    @rule(worker=st.integers(0, WORKERS - 1), share=st.floats(0, 1))
    def end_early(self, worker: int, share: float) -> None:
        """An interrupt or a failing test: the next piece ends without a call."""
        if self.held[worker]:
            goal = self.held[worker].popleft() - self.beyond[worker]
            self._settle(worker, max(0, int(goal * share) // SEQUENCE * SEQUENCE))
            if self.held[worker]:
                self.held[worker].popleft()
                self._settle(worker, 0)

    @rule(worker=st.integers(0, WORKERS - 1), share=st.floats(0, 1))
    def die(self, worker: int, share: float) -> None:
        calls = int(self.held[worker][0] * share) if self.held[worker] else 0
        self.held[worker].clear()
        self.made += calls
        self.budget.lose(worker, calls)

    def _settle(self, worker: int, calls: int) -> None:
        self.made += calls
        self.budget.settle(worker, calls)

    @invariant()
    def every_call_is_used_reserved_or_free(self) -> None:
        budget = self.budget
        assert budget.used == self.made
        assert budget.reserved == sum(map(sum, self.held.values()))
        assert budget.free == max(0, 2_000 - budget.used - budget.reserved)

    @invariant()
    def the_limit_is_passed_by_less_than_one_sequence_for_each_worker(self) -> None:
        assert self.budget.used < 2_000 + WORKERS * SEQUENCE


TestBudgetMachine = BudgetMachine.TestCase

"""The priority manager: call frequencies of functions, by user commands and by rarity.

Users prioritize, exclude and weigh functions. In addition, while nothing new is covered, the manager itself shifts
calls towards functions whose places are executed rarely: at each review, every `REVIEW_CALLS` calls of a worker, a
function's weight becomes 2**((mean - r) / 2), at least 1/2 and at most 4, with r the logarithm of how often its least
executed place was executed. New coverage takes the shift back. Reviews follow calls and never the clock, so one worker
and one seed stay one campaign.

All methods are synchronous and cost microseconds; the campaign actor calls them and nothing else touches the state, so
there is no mailbox to overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import islice, zip_longest

import msgspec

from actors.coverage.function_table import FunctionTotals
from actors.runtime.errors import CommandRejected
from actors.steering.commands import FunctionsChanged
from simulator.known_names import known_names
from simulator.worker.commands import Focus
from simulator.worker.reports import FunctionCounts, FunctionInfo

REVIEW_CALLS = 500_000
MIN_FACTOR, MAX_FACTOR = 0.5, 4.0
MIN_WEIGHT, MAX_WEIGHT = 0.001, 1_000.0
MAX_NAMES = 1_000


class FunctionStatistics(msgspec.Struct, frozen=True):
    """One function of the target, over all workers and their former processes. `covered_at` is the number of calls that
    the campaign had made when it last brought coverage, `covered_time` the manager's clock then, None for never.
    `rarest` is how often its least executed place was executed in one process. `weight` is the product of what a user
    and the manager set."""

    contract: str
    signature: str
    calls: int
    reverts: int
    covered_at: int | None
    covered_time: float | None
    rarest: int
    weight: float
    prioritized: bool
    excluded: bool


class PriorityState(msgspec.Struct, frozen=True):
    """State kept by a checkpoint: user commands, in their order."""

    prioritized: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()


class PriorityStatistics(msgspec.Struct, frozen=True):
    """`shifted` are the functions (`Contract.signature`) whose weight the manager has changed by itself, `reviews` how
    often it looked."""

    functions: tuple[FunctionStatistics, ...]
    state: PriorityState
    automatic: bool
    shifted: tuple[tuple[str, float], ...]
    reviews: int


class _Totals:
    """Counts of one function."""

    def __init__(self, info: FunctionInfo) -> None:
        self.info = info
        self.qualified = f"{info.contract}.{info.signature}"
        self.names = frozenset((self.qualified, info.signature, info.signature.partition("(")[0]))
        self.base = (0, 0)
        self.covered_at: int | None = None
        self.covered_time: float | None = None


class PriorityManager:
    """One for a campaign. `automatic` says whether it shifts calls by itself; `calls` counts those of the campaign and
    `clock` gives a time, both for statistics alone."""

    def __init__(
        self, *, automatic: bool = True, calls: Callable[[], int] = lambda: 0, clock: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._automatic = automatic
        self.calls = calls
        self.clock = clock
        self._functions: list[_Totals] = []
        self._live: dict[int, FunctionCounts] = {}
        self._prioritized: dict[str, None] = {}
        self._excluded: dict[str, None] = {}
        self._weights: dict[str, float] = {}
        self._shifted: dict[str, float] = {}
        self._covered = False
        self._reviews = 0

    # --- user commands ---------------------------------------------------------------------------------------------

    def prioritize(self, name: str) -> FunctionsChanged:
        """Add to the prioritized functions; takes back that it is excluded. Raises `CommandRejected`."""
        self._check(name, self._prioritized)
        self._excluded.pop(name, None)
        self._prioritized[name] = None
        return self._changed(name)

    def exclude(self, name: str) -> FunctionsChanged:
        """Add to the excluded functions; takes back that it is prioritized. Raises `CommandRejected` when every
        function would be excluded."""
        self._check(name, self._excluded)
        excluded = {**self._excluded, name: None}
        if self._functions and not any(function.names.isdisjoint(excluded) for function in self._functions):
            raise CommandRejected(f"{name}: nothing would be left to call")
        self._prioritized.pop(name, None)
        self._excluded = excluded
        return self._changed(name)

    def allow(self, names: tuple[str, ...]) -> FunctionsChanged:
        """Exclude all functions but these. Raises `CommandRejected` for a name that fits none, and without names."""
        if not names:
            raise CommandRejected("name at least one function")
        for name in names:
            self._check(name, {})
            if not any(name in function.names for function in self._functions):
                known = known_names(name, (function.qualified for function in self._functions))
                raise CommandRejected(f"there is no function {name!r}; known are {known}")
        others = [function.qualified for function in self._functions if function.names.isdisjoint(names)]
        if len(others) > MAX_NAMES:
            raise CommandRejected(f"at most {MAX_NAMES} functions can be excluded, not {len(others)}")
        self._excluded = dict.fromkeys(others)
        self._prioritized = {name: None for name in self._prioritized if name not in self._excluded}
        return self._changed(names[-1])

    def weigh(self, name: str, weight: float) -> FunctionsChanged:
        """Multiply the function's share; 1 takes an earlier weight back. Raises `CommandRejected`."""
        self._check(name, self._weights)
        if not MIN_WEIGHT <= weight <= MAX_WEIGHT:
            raise CommandRejected(f"a weight is {MIN_WEIGHT:g} to {MAX_WEIGHT:g}, not {weight:g}")
        self._weights.pop(name, None)
        if weight != 1:
            self._weights[name] = weight
        return self._changed(name)

    def clear_priorities(self) -> int:
        """Prioritize nothing; returns how many names were prioritized."""
        count = len(self._prioritized)
        self._prioritized.clear()
        return count

    def clear(self) -> int:
        """Undo all user commands; returns their number."""
        count = len(self._prioritized) + len(self._excluded) + len(self._weights)
        self.restore(PriorityState())
        return count

    def _check(self, name: str, names: dict[str, float] | dict[str, None]) -> None:
        if not name or len(name) > 1_000 or any(character.isspace() for character in name):
            raise CommandRejected("a function is named by its canonical signature, as in transfer(address,uint256)")
        if len(names) >= MAX_NAMES and name not in names:
            raise CommandRejected(f"at most {MAX_NAMES} functions can be named")

    def _changed(self, name: str) -> FunctionsChanged:
        matched = sum(name in function.names for function in self._functions)
        state = self.state()
        return FunctionsChanged(matched, state.prioritized, state.excluded, state.weights)

    # --- what workers report -----------------------------------------------------------------------------------------

    def introduce(self, functions: tuple[FunctionInfo, ...]) -> None:
        """The functions as the first worker names them; later workers have the same, from the same project."""
        if not self._functions:
            self._functions = [_Totals(info) for info in functions]

    def count(self, worker: int, frame: FunctionCounts) -> None:
        """Totals of this worker's present process."""
        before = self._live.get(worker)
        self._live[worker] = frame
        for index, (function, last) in enumerate(zip(self._functions, frame.last_new, strict=False)):
            if last > (before.last_new[index] if before is not None and index < len(before.last_new) else 0):
                self._covered = True
                function.covered_at, function.covered_time = self.calls(), self.clock()

    def retire(self, worker: int) -> None:
        """The worker's process is gone; what it counted stays."""
        frame = self._live.pop(worker, None)
        if frame is not None:
            for function, calls, reverts in zip(self._functions, frame.calls, frame.reverts, strict=False):
                function.base = (function.base[0] + calls, function.base[1] + reverts)

    def totals(self) -> tuple[FunctionTotals, ...]:
        """Counts kept by a checkpoint."""
        return tuple(
            FunctionTotals(one.contract, one.signature, one.calls, one.reverts, one.covered_at)
            for one in self.statistics().functions
        )

    def restore_counts(self, totals: tuple[FunctionTotals, ...]) -> None:
        """Add what an earlier campaign counted; once the functions are introduced."""
        known = {(each.contract, each.signature): each for each in totals}
        for function in self._functions:
            if (earlier := known.get((function.info.contract, function.info.signature))) is not None:
                function.base = (function.base[0] + earlier.calls, function.base[1] + earlier.reverts)
                function.covered_at = function.covered_at or earlier.covered_at

    # --- what follows ------------------------------------------------------------------------------------------------

    def review(self) -> bool:
        """A worker has made its next `REVIEW_CALLS` calls. True when weights have changed, and workers are to hear."""
        if not self._automatic:
            return False
        self._reviews += 1
        shifted = {} if self._covered else self._by_rarity()
        self._covered = False
        changed, self._shifted = shifted != self._shifted, shifted
        return changed

    def _by_rarity(self) -> dict[str, float]:
        rarity = {
            function.qualified: math.log2(1 + rarest)
            for function, rarest in zip(self._functions, self._rarest(), strict=True)
            if rarest > 0 and function.names.isdisjoint(self._excluded)
        }
        if len(rarity) < 2:
            return {}
        mean = sum(rarity.values()) / len(rarity)
        factors = {name: 2.0 ** ((mean - own) / 2) for name, own in rarity.items()}
        bounded = {name: round(max(MIN_FACTOR, min(MAX_FACTOR, factor)), 1) for name, factor in factors.items()}
        return {name: factor for name, factor in bounded.items() if factor != 1}

    def _rarest(self) -> list[int]:
        """The least of all workers' figures, by function, as each process executes on its own; 0 where there is none.
        Runs for each worker over all workers."""
        columns = zip_longest(*(frame.rarest for frame in self._live.values()), fillvalue=0)
        least = [min(filter(None, figures), default=0) for figures in islice(columns, len(self._functions))]
        return least + [0] * (len(self._functions) - len(least))

    def focus(self) -> Focus:
        """Settings to send to workers."""
        weights = (*self._weights.items(), *self._shifted.items())
        return Focus(tuple(self._prioritized), tuple(self._excluded), weights)

    @property
    def is_focused(self) -> bool:
        """Return whether a prioritized function is called, so that the others get a tenth of the calls."""
        return any(
            not function.names.isdisjoint(self._prioritized) and function.names.isdisjoint(self._excluded)
            for function in self._functions
        )

    # --- figures -----------------------------------------------------------------------------------------------------

    def state(self) -> PriorityState:
        return PriorityState(tuple(self._prioritized), tuple(self._excluded), tuple(self._weights.items()))

    def restore(self, state: PriorityState) -> None:
        """Say again what a checkpoint holds, in place of what was said."""
        self._prioritized = dict.fromkeys(state.prioritized)
        self._excluded = dict.fromkeys(state.excluded)
        self._weights = dict(state.weights)

    def contracts(self) -> tuple[str, ...]:
        """Contracts of the functions, each once."""
        return tuple(dict.fromkeys(function.info.contract for function in self._functions))

    def statistics(self) -> PriorityStatistics:
        factors: dict[str, float] = {}
        for name, factor in self.focus().weights:
            factors[name] = factors.get(name, 1.0) * factor
        rarest = self._rarest()
        functions = tuple(
            self._statistics(index, each, factors, rarest[index]) for index, each in enumerate(self._functions)
        )
        return PriorityStatistics(functions, self.state(), self._automatic, tuple(self._shifted.items()), self._reviews)

    def _statistics(
        self, index: int, function: _Totals, factors: Mapping[str, float], rarest: int
    ) -> FunctionStatistics:
        frames = tuple(self._live.values())
        calls = function.base[0] + sum(frame.calls[index] for frame in frames if index < len(frame.calls))
        reverts = function.base[1] + sum(frame.reverts[index] for frame in frames if index < len(frame.reverts))
        weight = math.prod(factors[name] for name in sorted(function.names & factors.keys()))
        return FunctionStatistics(
            function.info.contract,
            function.info.signature,
            calls,
            reverts,
            function.covered_at,
            function.covered_time,
            rarest,
            weight,
            not function.names.isdisjoint(self._prioritized),
            not function.names.isdisjoint(self._excluded),
        )

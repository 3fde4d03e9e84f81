"""The candidates of one shrink: which was the simplest that fails, and how many were executed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from simulator.fuzz.shrinking.calls import Calls
from simulator.transaction import Sequence, Transaction

Fails = Callable[[Sequence], bool]
Site = tuple[int, ...]
Comparisons = dict[Site, tuple[int, int]]
"""The operands of each comparison that was executed, by where: code id, program counter, which time."""
Observe = Callable[[Sequence], Comparisons]
MAX_OBSERVED = 8
"""Calls of a sequence up to which each of them is observed; of longer ones only the last is."""


class AttemptsExhaustedError(Exception):
    """Internal: unwinds the passes when the budget is used."""


@dataclass(frozen=True)
class Knowledge:
    """Knowledge about a target besides its failure.

    `observe` executes a sequence and reads the comparisons of its last call; `test` is the call that checks the test
    after a sequence, if any; `constants` are numbers of its code; `addresses` exist in its state, in order of
    preference.
    """

    observe: Observe | None = None
    test: Transaction | None = None
    constants: tuple[int, ...] = ()
    addresses: tuple[int, ...] = ()


@dataclass
class Known:
    """Results of executed candidates: those that pass, those that fail in an unwanted way, what others
    compare. Shrinking that is given it again continues where it was, at no cost in executions."""

    passing: set[Sequence] = field(default_factory=set)
    failing: set[Sequence] = field(default_factory=set)
    observed: dict[Sequence, Comparisons] = field(default_factory=dict)


class Attempts:
    """Executes candidates, each once, and keeps the simplest that fails. `known` grows by what is found out.

    `attempt` accepts only what is simpler than the best, so that no pass undoes another and every schedule ends.
    """

    def __init__(
        self,
        sequence: Sequence,
        fails: Fails,
        knowledge: Knowledge,
        calls: Calls,
        limit: int,
        known: Known | None = None,
    ) -> None:
        known = known or Known()
        self.best = sequence
        self.count = 0
        self._fails = fails
        self._knowledge = knowledge
        self._calls = calls
        self._limit = limit
        self._passing, self._failing, self._observed = known.passing, known.failing, known.observed
        self._best_key = calls.key(sequence)

    def attempt(self, candidate: Sequence | None) -> bool:
        """Execute a candidate and keep it when it still fails. Nothing is executed for what is known or not simpler."""
        if candidate is None or candidate in self._passing:
            return False
        if candidate == self.best:
            return True
        key = self._calls.key(candidate)
        if key >= self._best_key:
            return False
        self._spend()
        if not self._fails(candidate):
            self._passing.add(candidate)
            return False
        self.best, self._best_key = candidate, key
        return True

    def attempt_readable(self, candidate: Sequence) -> bool:
        """As `attempt`, unless a rewritten word was an offset or a length: then the call could not be decoded."""
        known = frozenset(self.best)
        return all(call in known or self._calls.is_encoding(call) for call in candidate) and self.attempt(candidate)

    def fails(self, candidate: Sequence | None) -> bool:
        """Return whether a sequence fails that need not be simpler; it is not kept."""
        if candidate is None or candidate in self._passing:
            return False
        if candidate == self.best or candidate in self._failing:
            return True
        self._spend()
        fails = self._fails(candidate)
        (self._failing if fails else self._passing).add(candidate)
        return fails

    def observe(self, sequence: Sequence) -> Comparisons:
        """Observe the comparisons of a sequence's calls and of the test. The place of the call comes first in each
        site."""
        return {
            site: pair for call in self.observed(sequence) for site, pair in self.observe_call(sequence, call).items()
        }

    def observed(self, sequence: Sequence) -> list[int]:
        """The places of the calls that are observed; that of the test is behind the last one."""
        length = len(sequence)
        calls = list(range(length)) if length <= MAX_OBSERVED else [length - 1]
        return calls if self._knowledge.test is None else [*calls, length]

    def observe_call(self, sequence: Sequence, call: int) -> Comparisons:
        """Observe the comparisons of one of these calls."""
        tested = sequence if self._knowledge.test is None else (*sequence, self._knowledge.test)
        return {(call, *site): pair for site, pair in self._observe_last(tested[: call + 1]).items()}

    def _observe_last(self, sequence: Sequence) -> Comparisons:
        """The comparisons of the last call; an execution like any other."""
        if self._knowledge.observe is None:
            return {}
        if sequence not in self._observed:
            self._spend()
            self._observed[sequence] = self._knowledge.observe(sequence)
        return self._observed[sequence]

    def _spend(self) -> None:
        if self.count >= self._limit:
            raise AttemptsExhaustedError
        self.count += 1

"""A worker's notes on the health of the campaign, taken of sequences that enter the corpus.

Whatever ends a call in a new place enters the corpus, so each reason of a revert is among them. Nothing is executed
for the notes alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from simulator.abi.contract import CustomError
from simulator.evm.kernel.feedback.reads import ANYTHING, BLOCK
from simulator.evm.results import Result
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.checking.reasons import outcome_text
from simulator.fuzz.loop.comparisons import Comparison
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.fuzz.sites.failure_sites import FailureSites
from simulator.health.observations import (
    ABOVE,
    BELOW,
    EQUAL,
    SeenOperands,
    SeenRevert,
    TestActivity,
    join_operands,
)
from simulator.printable import shortened
from simulator.transaction import Transaction

MAX_REVERTS = 2_048
MAX_OPERANDS = 2_048
MAX_GROWTH = 128
MAX_COMPARISONS = 512
"""Of one call."""
MAX_COUNTED = 1 << 13
"""Different comparisons that are counted before they are joined."""
MAX_REASON = 200
_SIGN = 1 << 255


Errors = Callable[[], Mapping[bytes, CustomError]]


class Witness:
    """Notes of one process. `errors` are custom errors by selector. Past the limits what is new is left out."""

    def __init__(self, engine: FuzzEngine, oracles: Iterable[Oracle], sites: FailureSites, errors: Errors) -> None:
        self._engine = engine
        self._oracles = tuple(oracles)
        self._sites = sites
        self._errors = errors
        self._reverts: dict[tuple[int, str, str], SeenRevert] = {}
        self._told_reverts = 0
        self._compared: Counter[Comparison] = Counter()
        self._operands: set[tuple[int, int]] = set()
        self._new_operands: dict[tuple[int, int], SeenOperands] = {}
        self._growth: list[tuple[int, int]] = []
        self.sequences = 0

    def see_sequence(self, features: int) -> None:
        """A sequence has entered the corpus, and `features` are known with it."""
        self.sequences += 1
        self._growth.append((self._engine.calls, features))
        if len(self._growth) > MAX_GROWTH:
            # The first and the last stay; of the others every second one.
            self._growth = [*self._growth[:-1:2], self._growth[-1]]

    def see_call(self, call: Transaction, result: Result) -> None:
        """A call of such a sequence has just been executed, with its comparisons logged."""
        self.compare(self._engine.comparisons.take(MAX_COMPARISONS))
        target = self._engine.target_of(call) if not result.success else None
        if target is None or len(self._reverts) >= MAX_REVERTS:
            return
        code, cell, place = self._sites.place_of_ending()
        reason = shortened(outcome_text(result, self._errors()), MAX_REASON)
        self._reverts.setdefault((target.index, reason, place), SeenRevert(target.index, reason, place, code, cell))

    def compare(self, comparisons: Iterable[Comparison]) -> None:
        """These operands were compared by a call. Most comparisons are repetitions, so that they are counted first."""
        self._compared.update(comparisons)
        if len(self._compared) > MAX_COUNTED:
            self._note_compared()

    def _note_compared(self) -> None:
        compared, self._compared = self._compared, Counter()
        for one, times in compared.items():
            key = (one.code, one.program_counter)
            known = self._new_operands.get(key)
            if known is not None:
                self._new_operands[key] = join_operands(known, _seen(one, times))
            elif key in self._operands or len(self._operands) < MAX_OPERANDS:
                self._operands.add(key)
                self._new_operands[key] = _seen(one, times)

    def activities(self) -> tuple[TestActivity, ...]:
        """Of each test, by id."""
        return tuple(self._activity(oracle) for oracle in self._oracles)

    def new_reverts(self) -> tuple[SeenRevert, ...]:
        """Return the reverts seen since the last call of this method."""
        new = tuple(self._reverts.values())[self._told_reverts :]
        self._told_reverts = len(self._reverts)
        return new

    def new_operands(self) -> tuple[SeenOperands, ...]:
        """Return the operands seen since the last call of this method."""
        self._note_compared()
        new, self._new_operands = tuple(self._new_operands.values()), {}
        return new

    def growth(self) -> tuple[tuple[int, int], ...]:
        """(calls, features) at growths; thinned out, the last one always among them."""
        return tuple(self._growth)

    def _activity(self, oracle: Oracle) -> TestActivity:
        record = self._engine.oracles.record(oracle.id)
        volatile = record.due_when & (ANYTHING | BLOCK) != 0
        return TestActivity(record.changes, record.judged, record.void, record.most_reads, volatile)


def _seen(one: Comparison, times: int) -> SeenOperands:
    left, right = one.left, one.right
    words = left.to_bytes(32, "big"), right.to_bytes(32, "big")
    relations = _relation(left, right), _relation(left ^ _SIGN, right ^ _SIGN)
    return SeenOperands(one.code, one.program_counter, times, (words[0], words[0]), (words[1], words[1]), *relations)


def _relation(left: int, right: int) -> int:
    return EQUAL if left == right else BELOW if left < right else ABOVE

"""Coverage of a single sequence, apart from everything else that ran."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from simulator.fuzz.checking.replay import Replayer, Watch
from simulator.fuzz.feedback.features import CodeCells, numbered_features
from simulator.transaction import Sequence


@dataclass(frozen=True)
class SequenceMeasure:
    """`features` as `simulator.worker.frame.Features`; `gas` that each execution takes, 0 for a wait."""

    features: tuple[tuple[int, bytes], ...]
    gas: tuple[int, ...]

    def numbers(self) -> tuple[tuple[int, int], ...]:
        """The features one by one: code, and number in it."""
        return tuple((code, number) for code, found in self.features for (number,) in struct.iter_unpack("<I", found))


class Measurer:
    """Executes sequences on empty coverage cells and puts the cells back: a measurement leaves no trace in counts or
    in what counts as covered. Costs one execution call by call, and a copy of all cells."""

    def __init__(self, replayer: Replayer, codes: Callable[[], CodeCells]) -> None:
        self._replayer = replayer
        self._codes = codes

    def measure(self, sequence: Sequence, watch: Watch = lambda _transaction, _result: None) -> SequenceMeasure:
        """Measure the coverage of the sequence from the deployed state. `watch` sees each of its transactions."""
        before = [covered.cells.copy() for covered in self._codes()]
        for covered in self._codes():
            covered.cells[:] = 0
        try:
            replayed = self._replayer.replay(sequence, None, trace=False, watch=watch)
            features = [
                (number, numbered_features(covered.map, covered.cells)) for number, covered in enumerate(self._codes())
            ]
        finally:
            for number, covered in enumerate(self._codes()):
                covered.cells[:] = before[number] if number < len(before) else 0
        gas = tuple(0 if result is None else result.gas_used for result in replayed.results)
        return SequenceMeasure(tuple(each for each in features if each[1]), gas)

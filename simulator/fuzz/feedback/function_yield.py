"""Yield of calling each function: when it last covered something, and how rare the places are that it found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from simulator.fuzz.feedback.features import COUNT, Cells, CodeCells

MAX_PLACES = 1 << 16
"""Places remembered for all functions together; later ones are not, which costs accuracy only."""


class FunctionYield:
    """A place is a coverage cell; it belongs to the function whose call reached it first."""

    def __init__(self, codes: Callable[[], CodeCells]) -> None:
        self._codes = codes
        self._places: dict[int, dict[int, npt.NDArray[np.intp]]] = {}
        self._last: dict[int, int] = {}
        self._count = 0

    def credit(self, function: int, new: dict[int, Cells], calls: int) -> None:
        """A call of the function with this index brought these features, when `calls` calls had been made."""
        self._last[function] = calls
        places = self._places.setdefault(function, {})
        for code, features in new.items():
            cells = np.nonzero(features)[0]
            if self._count + cells.size <= MAX_PLACES:
                self._count += int(cells.size)
                known = places.get(code)
                places[code] = cells if known is None else np.union1d(known, cells)

    def last_new(self, functions: int) -> tuple[int, ...]:
        """Per function, the calls made when it last brought something; 0 for never."""
        return tuple(self._last.get(index, 0) for index in range(functions))

    def rarest(self, functions: int) -> tuple[int, ...]:
        """Per function, how often the least executed of its places was executed; 0 where it has none."""
        return tuple(self._rarest(self._places.get(index, {})) for index in range(functions))

    def _rarest(self, places: dict[int, npt.NDArray[np.intp]]) -> int:
        codes = self._codes()
        counts = (int((codes[code].cells[cells] & COUNT).min()) for code, cells in places.items() if cells.size)
        return max(1, min(counts, default=0)) if places else 0

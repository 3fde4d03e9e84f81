"""Line coverage from an LCOV file: lines hit of lines found, by file."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from simulator.coverage.summary import percent


class Lines(msgspec.Struct, frozen=True):
    """`hit` of `found` lines, 0 <= hit <= found."""

    hit: int
    found: int

    @property
    def percentage(self) -> float:
        """0..100, the exact quotient rounded half up to one decimal; 0 for no lines."""
        return percent(self.hit, self.found)


class LineReport(msgspec.Struct, frozen=True):
    """Files by their path as the report spells it, in its order."""

    files: Mapping[str, Lines]

    @property
    def overall(self) -> float:
        """Of all files together, weighted by their lines."""
        return percent(sum(file.hit for file in self.files.values()), sum(file.found for file in self.files.values()))


def change(before: float, after: float) -> float:
    """The difference of two displayed percentages, to one decimal, so that printed figures always reconcile."""
    return (round(after * 10) - round(before * 10)) / 10


def shown(figure: float) -> int | float:
    """A percentage or a difference in its published form: 85.4, but 0 and 100 rather than 0.0 and 100.0."""
    return int(figure) if figure.is_integer() else figure

"""A campaign's figures over time, in a bounded number of samples, and marks for what happened when."""

from __future__ import annotations

from collections import deque
from typing import Final, Literal

import msgspec

MAX_SAMPLES: Final = 600
MAX_MARKS: Final = 200
FIRST_INTERVAL: Final = 1.0
INJECTIONS: Final = frozenset(("inject", "template"))
"""Commands, as events name them, whose marks are those of injections."""

MarkKind = Literal["finding", "restart", "injection", "steering"]


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """`seconds` of fuzzing; calls a second; points of coverage; sequences of the corpus."""

    seconds: float
    rate: float
    points: int
    sequences: int


class Mark(msgspec.Struct, frozen=True):
    """Something that happened after so many seconds of fuzzing."""

    seconds: float
    kind: MarkKind
    text: str


class Timeline(msgspec.Struct, frozen=True):
    """Curves and marks of a page. `interval` is the least time between two samples."""

    interval: float
    samples: tuple[Sample, ...]
    marks: tuple[Mark, ...]


class TimelineKeeper:
    """Covers the whole campaign: when it is full, every second sample goes and the interval doubles."""

    def __init__(self) -> None:
        self._samples: list[Sample] = []
        self._marks: deque[Mark] = deque(maxlen=MAX_MARKS)
        self._interval = FIRST_INTERVAL

    def add(self, sample: Sample) -> bool:
        """Keep a sample; whether it was due. Time that stands still brings none."""
        if self._samples and sample.seconds < self._samples[-1].seconds + self._interval:
            return False
        self._samples.append(sample)
        if len(self._samples) > MAX_SAMPLES:
            self._samples = self._samples[::2]
            self._interval *= 2
        return True

    def mark(self, mark: Mark) -> None:
        self._marks.append(mark)

    def timeline(self) -> Timeline:
        return Timeline(self._interval, tuple(self._samples), tuple(self._marks))

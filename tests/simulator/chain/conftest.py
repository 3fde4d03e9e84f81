"""A chain on loopback, and time that passes only by being waited for."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from simulator.chain.patience import Clock
from tests.support.fake_chain import FakeChain, serve


@pytest.fixture
def chain() -> Iterator[FakeChain]:
    with serve(FakeChain()) as served:
        yield served


class FakeTime:
    """Passes when somebody sleeps; `waits` are the sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pulses = 0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def pulse(self) -> None:
        self.pulses += 1

    def clock(self) -> Clock:
        return Clock(lambda: self.now, self.sleep, self.pulse, random.Random(1))


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()

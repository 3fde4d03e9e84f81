"""Climbing: from a sequence with the greatest value so far of an optimization test, steps along its arguments."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.fuzz.comparisons.effort import Effort
from simulator.fuzz.comparisons.places import Place, places_of
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.settings import CampaignSettings
from simulator.transaction import WORD_MAX, Sequence, Transaction

MAX_CALLS = 8
MAX_STEPS = 256


def climb(
    engine: FuzzEngine, settings: CampaignSettings, effort: Effort, sequence: Sequence, oracle: int
) -> Iterator[Sequence]:
    """Sequences to execute with their tests checked. In each number of the last calls, steps up and down are tried; they
    double while the value grows, and halve where it does not."""
    for index in range(len(sequence) - 1, max(-1, len(sequence) - 1 - MAX_CALLS), -1):
        target = engine.target_of(sequence[index])
        if target is None:
            continue
        for place in places_of(sequence[index], target.function, settings):
            for sign in (1, -1):
                best = sequence[index]
                for call in _steps(engine, effort, place, sequence[index], sign, oracle):
                    before = engine.oracles.best(oracle)
                    yield (*sequence[:index], call, *sequence[index + 1 :])
                    if engine.oracles.best(oracle) > before:
                        best = call
                sequence = (*sequence[:index], best, *sequence[index + 1 :])


def _steps(
    engine: FuzzEngine, effort: Effort, place: Place, call: Transaction, sign: int, oracle: int
) -> Iterator[Transaction]:
    step = place.step
    is_growing = True
    for _ in range(MAX_STEPS):
        if step < place.step or effort.is_spent:
            return
        tried = place.put(call, (place.get(call) + sign * step) & WORD_MAX)
        before = engine.oracles.best(oracle)
        if tried is not None and tried != call:
            effort.spend()
            yield tried
        if tried is not None and engine.oracles.best(oracle) > before:
            call = tried
            if is_growing:
                step *= 2
        elif is_growing and step == place.step:
            return
        else:
            is_growing = False
            step //= 2

"""Targets of any size: thousands of functions, all of which are called."""

import dataclasses

import pytest

from simulator.abi.contract import Function
from simulator.abi.types import Bytes, Tuple, UInt
from simulator.fuzz.generation.call_templates import (
    ALL_TEMPLATES,
    DYNAMIC_TEMPLATES,
    MIN_TEMPLATES,
    ROOM,
    templates_each,
)
from simulator.fuzz.generation.dictionary import Dictionary
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.fuzz.targets.target import TargetFunction
from tests.simulator.fuzz.conftest import MakeWorker

SOURCE = "contract Open { uint256 n; fallback() external { n++; } function f(uint256) external {} }"


def functions_like(known: TargetFunction, count: int, first: int = 0) -> list[TargetFunction]:
    """Every hundredth takes bytes, the others a number."""
    found = []
    for number in range(first, first + count):
        inputs = Tuple((Bytes() if number % 100 == 0 else UInt(256),))
        function = Function(f"f{number}", inputs)
        found.append(dataclasses.replace(known, index=number, function=function, selector=function.selector))
    return found


def engine_of(make_worker: MakeWorker, count: int) -> FuzzEngine:
    worker = make_worker(SOURCE, test_mode="assertion")
    targets = functions_like(worker.functions[0], count)
    return FuzzEngine(worker.machine, worker.settings, targets, [], Dictionary(), seed=1)


@pytest.mark.parametrize("count", [5_000, pytest.param(20_000, marks=pytest.mark.nightly)])
def test_every_function_of_many_is_called(make_worker: MakeWorker, count: int) -> None:
    """Each is drawn about as often as the others."""
    engine = engine_of(make_worker, count)
    while engine.calls < 8 * count:
        engine.fuzz(8 * count)
    calls, _ = engine.functions.counts()
    assert len(calls) == count
    assert sum(1 for each in calls if each) > 0.98 * count
    assert max(calls) < 60


def test_functions_that_are_found_later_are_called_too(make_worker: MakeWorker) -> None:
    """Past the choices that sufficed at first."""
    engine = engine_of(make_worker, 2_000)
    engine.fuzz(1_000)
    engine.add_targets(functions_like(engine.targets[0], 500, first=2_000))
    while engine.calls < 30_000:
        engine.fuzz(30_000)
    calls, _ = engine.functions.counts()
    assert sum(1 for each in calls[2_000:] if each) > 450


def test_what_exceeds_the_room_for_later_functions_is_left_out(make_worker: MakeWorker) -> None:
    """The table never moves."""
    engine = engine_of(make_worker, 10)
    engine.add_targets(functions_like(engine.targets[0], ROOM + 5, first=10))
    assert len(engine.targets) == ROOM + 10
    assert engine.functions.free == 0


def test_prioritized_functions_are_found_among_many(make_worker: MakeWorker) -> None:
    """Most calls are of the one."""
    engine = engine_of(make_worker, 5_000)
    assert engine.focus(("f4999",), (), ())
    while engine.calls < 5_000:
        engine.fuzz(5_000)
    calls, _ = engine.functions.counts()
    assert calls[4_999] > sum(calls) / 2


def test_templates_are_shared_among_many_functions() -> None:
    """Few functions have as many as they can use; many have some each, and together no more than memory is for."""
    assert templates_each(0) == templates_each(200) == DYNAMIC_TEMPLATES
    assert templates_each(1_000) * 1_000 <= ALL_TEMPLATES
    assert templates_each(10**6) == MIN_TEMPLATES

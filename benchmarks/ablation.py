"""A worker that searches without one technique, for measurements: `python -m benchmarks.ablation TECHNIQUE`.

The product has no such switch: what a technique does is taken away from the worker program before it starts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from simulator.fuzz.comparisons import places
from simulator.fuzz.comparisons.preimages import Preimages
from simulator.fuzz.comparisons.solving import ComparisonSolver
from simulator.fuzz.loop import engine, fuzz_context
from simulator.fuzz.native import builders, phases
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.waypoints import waypoints
from simulator.fuzz.waypoints.climbing import Climber
from simulator.fuzz.waypoints.digests import DigestArguments
from simulator.fuzz.waypoints.halted_calls import HaltedCalls
from simulator.fuzz.waypoints.resting import Rest
from simulator.fuzz.waypoints.signing import Signer
from simulator.fuzz.waypoints.waypoints import Waypoints
from simulator.own_process import module_command
from simulator.worker.__main__ import main as serve


def _nothing(*_: object, **__: object) -> Iterator[Any]:
    return iter(())


def _with(owner: Any, value: Any, *names: str) -> Callable[[], None]:
    """Put a value in the place of what an object or a module has by these names."""

    def replace() -> None:
        for name in names:
            setattr(owner, name, value)

    return replace


def _without(owner: type, *methods: str) -> Callable[[], None]:
    return _with(owner, _nothing, *methods)


def _shares_without(builder: Callable[[Fuzz], None]) -> Callable[[tuple[int, ...]], list[int]]:
    position = [each.build for each in builders.BUILDERS].index(builder)

    def shares(constants: tuple[int, ...]) -> list[int]:
        found = builders.builder_shares(constants)
        return [*found[:position], 0, *found[position + 1 :]]

    return shares


ABLATIONS: dict[str, Callable[[], None]] = {
    "solving": _without(ComparisonSolver, "variants"),
    "through state": _without(ComparisonSolver, "variants_through_state"),
    "waypoints": _without(Waypoints, "keep"),
    "added calls": _without(Waypoints, "_insert", "_append"),
    "lengths and bytes": _with(places, lambda *_: [], "lengths_of", "_bytes_of", "_chunks_of"),
    "climbing": _without(Climber, "climb"),
    "few functions": _with(fuzz_context, _shares_without(builders.build_few), "builder_shares"),
    "renaming": _with(fuzz_context, _shares_without(builders.build_renamed), "builder_shares"),
    "hashed words": _with(Preimages, lambda *_: {}, "behind"),
    "secants": _without(ComparisonSolver, "_secants"),
    "repeated calls": _with(Waypoints, lambda *_: None, "_repeat"),
    "halted calls": _with(HaltedCalls, lambda *_: [], "learn", "turn"),
    "agreeing calls": _with(waypoints, lambda *_: None, "with_arguments_of"),
    "logged comparisons": _with(engine, phases.LOG_NONE, "LOGGING"),
    "signatures": _without(Signer, "variants"),
    "digests": _without(DigestArguments, "variants"),
    "turns": _with(Rest, lambda _: False, "is_due"),
}


def ablated_command(technique: str) -> tuple[str, ...]:
    """The command of such a worker."""
    return tuple(module_command("benchmarks.ablation", technique))


if __name__ == "__main__":
    ABLATIONS[sys.argv[1]]()
    sys.exit(serve())

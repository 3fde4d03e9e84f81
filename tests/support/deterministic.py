"""Runs trio programs with a virtual clock and a scheduler whose every choice follows from a seed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio
import trio._core._run as trio_run
from trio.testing import MockClock

Result = TypeVar("Result")


def run_seeded(program: Callable[..., Awaitable[Result]], seed: int, *arguments: object) -> Result:
    """`trio.run(program, *arguments)`, the same for the same seed. Uses the private hook that Hypothesis' trio support
    stands on; `test_the_same_seed_gives_the_same_schedule` notices when it is gone."""
    state, allowed = trio_run._r.getstate(), trio_run._ALLOW_DETERMINISTIC_SCHEDULING
    trio_run._ALLOW_DETERMINISTIC_SCHEDULING = True
    trio_run._r.seed(seed)
    try:
        return trio.run(program, *arguments, clock=MockClock(autojump_threshold=0))
    finally:
        trio_run._r.setstate(state)
        trio_run._ALLOW_DETERMINISTIC_SCHEDULING = allowed

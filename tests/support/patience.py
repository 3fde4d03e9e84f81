"""How tests wait for what another process or thread brings about: for conditions, with an end that no machine reaches
which is merely busy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import trio

PATIENCE = 600.0
"""Seconds after which a condition is taken never to come. Passing it is a failure, never a measurement."""
POLL_SECONDS = 0.01

Value = TypeVar("Value")


def wait_for(condition: Callable[[], Value], what: str = "") -> Value:
    """Wait, blocking, until a condition is true; returns its value."""
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < end, f"never came: {what or condition}"
        time.sleep(POLL_SECONDS)
    return value


async def until(condition: Callable[[], Value]) -> Value:
    """The same under trio's real clock, where there is no event to wait for."""
    with trio.fail_after(PATIENCE):
        while not (value := condition()):  # noqa: ASYNC110
            await trio.sleep(POLL_SECONDS)
    return value

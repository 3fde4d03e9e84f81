"""One-for-one supervision with restart intensity, in the words of OTP.

An actor that returns is finished. One that raises `ActorFailure` is restarted after a delay with full jitter, unless
it failed more than `max_restarts` times `within` seconds: then the supervisor itself raises `RestartsExceeded`, and
its caller decides. Anything else is a bug and passes through at once. Only trio's clock is read, so an hour
of crashes is tested in milliseconds.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec
import trio

from actors.runtime.errors import ActorFailure, RestartsExceeded


@dataclass(frozen=True)
class RestartPolicy:
    """Delays in seconds: the n-th recent failure waits between 0 and min(cap, base * 2**n)."""

    max_restarts: int = 5
    within: float = 60.0
    base: float = 0.05
    cap: float = 2.0

    def backoff(self, failures: int, rng: random.Random) -> float:
        return rng.uniform(0.0, min(self.cap, self.base * 2.0 ** min(failures, 64)))


class Restart(msgspec.Struct, frozen=True):
    """The upcoming restart: the `number`-th since the start (from 1), `delay` seconds from now."""

    name: str
    number: int
    delay: float
    failure: str


class Failures:
    """The failures of one actor in the last `within` seconds. `is_excused` is asked at each of them whether it counts
    for nothing."""

    def __init__(self, within: float, is_excused: Callable[[], bool] = lambda: False) -> None:
        self._within = within
        self._is_excused = is_excused
        self._times: deque[float] = deque()

    def add(self) -> int:
        """One more, at this moment. Returns how many count."""
        now = trio.current_time()
        if not self._is_excused():
            self._times.append(now)
        while self._times and now - self._times[0] > self._within:
            self._times.popleft()
        return len(self._times)

    def forget(self) -> None:
        """Their cause is gone."""
        self._times.clear()


OnRestart = Callable[[Restart], Awaitable[None]]


async def supervise(
    name: str,
    run: Callable[[], Awaitable[None]],
    *,
    policy: RestartPolicy,
    rng: random.Random,
    on_restart: OnRestart,
    failures: Failures | None = None,
) -> None:
    """Keep `run` running until it returns. `on_restart` is awaited before each delay. The holder of `failures` can
    forget those that count.

    Raises `RestartsExceeded` past the intensity, and every error that is not an `ActorFailure` unchanged.
    """
    failures = failures or Failures(policy.within)
    number = 0
    while True:
        try:
            await run()
        except (ActorFailure, BaseExceptionGroup) as error:
            failure = expected_failure(error)
            if failure is None:
                raise
        else:
            return
        number += 1
        recent = failures.add()
        if recent > policy.max_restarts:
            raise RestartsExceeded(
                f"{name} failed {recent} times within {policy.within:g} s{_last_time(name, str(failure))}"
            )
        delay = policy.backoff(recent, rng)
        await on_restart(Restart(name, number, delay, str(failure)))
        await trio.sleep(delay)


def _last_time(name: str, failure: str) -> str:
    """The last failure as the end of a sentence that has named the actor already."""
    return (
        f", the last time it {failure.removeprefix(name + ' ')}" if failure.startswith(name + " ") else f": {failure}"
    )


def expected_failure(error: BaseException) -> ActorFailure | None:
    """The failure behind an error, where every leaf of its group is one; None when anything else is among them."""
    if isinstance(error, ActorFailure):
        return error
    if not isinstance(error, BaseExceptionGroup):
        return None
    failures = [expected_failure(member) for member in error.exceptions]
    return failures[0] if None not in failures else None

"""Supervision: restarts, intensity, backoff, escalation."""

from __future__ import annotations

import random

import pytest
import trio

from actors.runtime.errors import ActorFailure, RestartsExceeded
from actors.runtime.supervisor import Restart, RestartPolicy, expected_failure, supervise


class Crashing:
    """Fails `seconds` after each start, `times` times in all."""

    def __init__(self, seconds: float, times: int = 10**9, error: Exception | None = None) -> None:
        self.seconds, self.times, self.runs = seconds, times, 0
        self.error = error or ActorFailure("boom")
        self.restarts: list[Restart] = []

    async def run(self) -> None:
        self.runs += 1
        await trio.sleep(self.seconds)
        if self.runs <= self.times:
            raise self.error

    async def note(self, restart: Restart) -> None:
        self.restarts.append(restart)

    async def supervised(self, policy: RestartPolicy, seed: int = 0) -> None:
        await supervise("actor", self.run, policy=policy, rng=random.Random(seed), on_restart=self.note)


async def test_an_actor_that_returns_is_finished(autojump_clock):
    """A normal return ends supervision without a restart."""
    actor = Crashing(1, times=2)
    await actor.supervised(RestartPolicy())
    assert (actor.runs, [restart.number for restart in actor.restarts]) == (3, [1, 2])


async def test_past_the_intensity_the_supervisor_fails(autojump_clock):
    """The fourth failure within the window raises `RestartsExceeded`, which names the last failure."""
    actor = Crashing(0.1)
    with pytest.raises(RestartsExceeded, match="boom"):
        await actor.supervised(RestartPolicy(max_restarts=3, within=10))
    assert actor.runs == 4


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ("actor was killed", "actor failed 2 times within 10 s, the last time it was killed"),
        ("boom", "actor failed 2 times within 10 s: boom"),
    ],
)
async def test_the_failure_names_the_actor_once(autojump_clock, failure, message):
    """Failures that begin with its name continue as one sentence."""
    actor = Crashing(0.1, error=ActorFailure(failure))
    with pytest.raises(RestartsExceeded) as caught:
        await actor.supervised(RestartPolicy(max_restarts=1, within=10))
    assert str(caught.value) == message


async def test_failures_far_apart_never_escalate(autojump_clock):
    """An hour of one crash a minute stays within three in ten seconds."""
    actor = Crashing(60)
    with trio.move_on_after(3600):
        await actor.supervised(RestartPolicy(max_restarts=3, within=10))
    assert 55 <= actor.runs <= 60


async def test_the_backoff_is_jittered_and_repeatable(autojump_clock):
    """Delays lie between 0 and the doubling bound, and follow from the injected generator alone."""

    async def delays(seed: int) -> list[float]:
        actor = Crashing(0, times=5)
        await actor.supervised(RestartPolicy(max_restarts=10), seed)
        return [restart.delay for restart in actor.restarts]

    first = await delays(1)
    assert first == await delays(1)
    assert first != await delays(2)
    assert all(0 <= delay <= min(2.0, 0.05 * 2**n) for n, delay in enumerate(first, 1))


async def test_bugs_pass_through(autojump_clock):
    """What is no `ActorFailure` is not restarted."""
    actor = Crashing(0, error=ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await actor.supervised(RestartPolicy())
    assert actor.runs == 1


def test_a_group_is_expected_only_when_all_of_it_is():
    """A bug beside a failure makes the whole group a bug."""
    failure = ActorFailure("boom")
    assert expected_failure(ExceptionGroup("", [ExceptionGroup("", [failure])])) is failure
    assert expected_failure(ExceptionGroup("", [failure, KeyError()])) is None
    assert expected_failure(KeyError()) is None

"""Status lines on stderr where there is no terminal, in the form that Echidna users know: one when something changed,
and one every half minute."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

import trio

from orchestrator.figures import count, duration
from orchestrator.snapshot import CampaignSnapshot
from simulator.printable import one_line

INTERVAL = 3.0
"""Seconds between two looks."""
LONGEST_SILENCE = 30.0
# How long a blocked pipe may hold up the end.
LAST_WORDS = 1.0

Write = Callable[[str], None]
Now = Callable[[], datetime]
InThread = Callable[..., Awaitable[object]]


def status_line(snapshot: CampaignSnapshot, *, last: bool = False) -> str:
    """`tests: 1/5, fuzzing: 1203332/50000000, calls/s: 812,203, cov: 1032, corpus: 12, shrinking: W0:12/5000(7)`, or,
    before fuzzing, what the campaign is doing. Once nothing runs, and in the last line, the speed is the
    mean."""
    if snapshot.phase in ("compiling", "deploying"):
        return one_line(f"{snapshot.phase} {snapshot.target}" + (f": {snapshot.activity}" if snapshot.activity else ""))
    speed = snapshot.calls_per_second
    if last or snapshot.phase in ("reporting", "finished"):
        speed = snapshot.mean_calls_per_second
    parts = [f"tests: {snapshot.falsified_tests}/{len(snapshot.tests)}", _progress(snapshot)]
    if snapshot.mode == "optimization":
        parts.append("values: [" + ", ".join(test.detail for test in snapshot.tests) + "]")
    parts += [
        f"calls/s: {count(speed)}",
        f"cov: {snapshot.coverage_points}",
        f"corpus: {snapshot.corpus_sequences}",
    ]
    if snapshot.is_stale:
        parts.append(f"a worker is silent for {duration(snapshot.age)}")
    if snapshot.shrinks:
        shrinks = (f"W{one.worker}:{one.attempts}/{one.limit}({one.sequence_length})" for one in snapshot.shrinks)
        parts.append("shrinking: " + " ".join(shrinks))
    return one_line(", ".join(parts))


def _progress(snapshot: CampaignSnapshot) -> str:
    calls = f"{'replaying' if snapshot.phase == 'replaying' else 'fuzzing'}: {snapshot.calls}"
    if snapshot.call_limit is not None:
        calls += f"/{snapshot.call_limit}"
    if snapshot.time_limit is not None:
        calls += f" ({duration(snapshot.fuzzing_seconds)} of {duration(snapshot.time_limit)})"
    return calls


def new_messages(snapshot: CampaignSnapshot, seen: int) -> tuple[str, ...]:
    """The messages after the first `seen`, as far as the snapshot still holds them."""
    fresh = min(snapshot.message_count - seen, len(snapshot.messages))
    return snapshot.messages[len(snapshot.messages) - fresh :] if fresh > 0 else ()


def _state(snapshot: CampaignSnapshot) -> tuple[object, ...]:
    """Return the part of the state that makes a line worth reading; calls and speed do not."""
    return (
        snapshot.phase,
        snapshot.activity,
        tuple((test.state, test.detail) for test in snapshot.tests),
        snapshot.coverage_points,
        snapshot.corpus_sequences,
        snapshot.paused,
        snapshot.is_stale,
        tuple((shrink.test, shrink.sequence_length) for shrink in snapshot.shrinks),
        tuple(worker.state for worker in snapshot.workers),
    )


async def show_status_lines(
    read: Callable[[], CampaignSnapshot],
    write: Write,
    now: Now = datetime.now,
    in_thread: InThread = trio.to_thread.run_sync,
) -> None:
    """Look every three seconds until cancelled. Write new messages, with a status line when something but the number
    of calls has changed, or half a minute after the last; the last ones on the way out, unless fuzzing never began. A
    status that is already there is not written again.

    `write` gets one line without its end and is called in a thread, so that a blocked pipe stops no campaign.
    """
    seen = 0
    written = ""
    written_at, state = -LONGEST_SILENCE, None

    def lines(last: bool = False) -> list[str]:
        nonlocal seen, written, written_at, state
        snapshot = read()
        stamp = f"[{now():%Y-%m-%d %H:%M:%S}]"
        fresh = [f"{stamp} {one_line(message)}" for message in new_messages(snapshot, seen)]
        seen = snapshot.message_count
        earlier, state = state, _state(snapshot)
        if not last and not fresh and state == earlier and trio.current_time() - written_at < LONGEST_SILENCE:
            return []
        written_at = trio.current_time()
        before, written = written, status_line(snapshot, last=last)
        if last and (written == before or snapshot.phase in ("compiling", "deploying")):
            return fresh
        return [*fresh, f"{stamp} [status] {written}"]

    def write_all(texts: list[str]) -> None:
        for text in texts:
            write(text)

    try:
        while True:
            await in_thread(write_all, lines())
            await trio.sleep(INTERVAL)
    finally:
        with trio.move_on_after(LAST_WORDS, shield=True):
            await in_thread(write_all, lines(last=True), abandon_on_cancel=True)

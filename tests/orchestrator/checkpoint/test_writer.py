"""The writer of checkpoints, over a campaign that stands still."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from actors.events.log import EventLog
from actors.events.types import CheckpointFailed, CheckpointRestored
from orchestrator.checkpoint import writer as writing
from orchestrator.checkpoint.file import checkpoint_of, read_checkpoint
from orchestrator.checkpoint.writer import CHECKPOINT_SECONDS, CheckpointWriter
from tests.orchestrator.checkpoint.test_resumption import STATE


def writer(folder: Path, *, ready: object = True) -> CheckpointWriter:
    campaign = SimpleNamespace(ready=ready, state=lambda: STATE)
    log = EventLog(None, wall_clock=trio.current_time)
    return CheckpointWriter(checkpoint_of(folder), "id", 5, "a:A", {}, {}, campaign, log, lambda: 0.0)


async def test_it_is_written_every_few_seconds_and_says_how_the_campaign_ended(autojump_clock, tmp_path: Path):
    """While it runs the end is empty."""
    one = writer(tmp_path)
    with trio.move_on_after(CHECKPOINT_SECONDS + 1):
        await one.run()
    assert read_checkpoint(one.path).ended == ""
    await one.write("time limit reached")
    found = read_checkpoint(one.path)
    assert (found.campaign, found.seed, found.saved, found.ended, found.state) == (
        "id",
        5,
        "1970-01-01T00:00:00.000Z",
        "time limit reached",
        STATE,
    )


async def test_a_campaign_that_never_deployed_leaves_the_earlier_checkpoint(tmp_path: Path):
    """A second crash during deployment costs nothing."""
    one = writer(tmp_path, ready=None)
    await one.write("interrupted")
    assert not one.path.exists()


async def test_a_disk_that_refuses_costs_one_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It is told once when it begins and once when it is over, and writing continues."""
    one = writer(tmp_path)
    attempts: list[int] = []

    def full(*_: object) -> None:
        attempts.append(1)
        if len(attempts) < 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing, "write_checkpoint", full)
    for _ in range(5):
        await one.write()
    assert len(attempts) == 5
    path = str(one.path)
    assert [logged.event for logged in one.log.since(0)] == [
        CheckpointFailed(path, "No space left on device"),
        CheckpointRestored(path),
    ]

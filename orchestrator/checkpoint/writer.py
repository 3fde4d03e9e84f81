"""Keeps the checkpoint of a running campaign up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import trio

from actors.campaign.actor import Campaign
from actors.events.log import EventLog
from actors.events.types import CAMPAIGN, CheckpointFailed, CheckpointRestored
from actors.runtime.timestamps import rfc3339
from orchestrator.checkpoint.file import FORMAT, Checkpoint, write_checkpoint

CHECKPOINT_SECONDS = 3.0


@dataclass
class CheckpointWriter:
    """Writes to `path`. `target`, `codes` and `settings` are those of `orchestrator.checkpoint.identity`;
    `wall_clock` gives Unix seconds."""

    path: Path
    campaign_id: str
    seed: int
    target: str
    codes: dict[str, str]
    settings: dict[str, str]
    campaign: Campaign
    log: EventLog
    wall_clock: Callable[[], float]
    _failing: bool = field(default=False, init=False)

    async def run(self) -> None:
        """Write every few seconds until cancelled. A disk that refuses costs one event, and writing is tried again."""
        while True:
            await trio.sleep(CHECKPOINT_SECONDS)
            await self.write()

    async def write(self, ended: str = "") -> None:
        """Write what there is, in a thread. A campaign whose target was never deployed leaves the checkpoint of the one
        before as it is."""
        if self.campaign.ready is None:
            return
        checkpoint = Checkpoint(
            format=FORMAT,
            campaign=self.campaign_id,
            saved=rfc3339(self.wall_clock()),
            ended=ended,
            target=self.target,
            codes=self.codes,
            settings=self.settings,
            seed=self.seed,
            state=self.campaign.state(),
        )
        try:
            await trio.to_thread.run_sync(write_checkpoint, self.path, checkpoint)
        except OSError as error:
            self._report_failure(error)
        else:
            if self._failing:
                self.log.append(CAMPAIGN, CheckpointRestored(str(self.path)))
            self._failing = False

    def _report_failure(self, error: OSError) -> None:
        if not self._failing:
            self.log.append(CAMPAIGN, CheckpointFailed(str(self.path), error.strerror or str(error)))
        self._failing = True

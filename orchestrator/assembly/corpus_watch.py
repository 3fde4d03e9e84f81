"""Recreation of a corpus folder that is removed while a campaign runs."""

from __future__ import annotations

from pathlib import Path

import trio

from actors.corpus.keeper import CorpusKeeper
from actors.events.log import EventLog
from actors.events.types import CAMPAIGN, Warned

LOOK_SECONDS = 3.0


async def watch_corpus(keeper: CorpusKeeper, log: EventLog, folder: Path | None) -> None:
    """Look after the folder every few seconds until cancelled. Without a folder, return at once."""
    while folder is not None:
        await trio.sleep(LOOK_SECONDS)
        await restore_corpus(keeper, log, folder)


async def restore_corpus(keeper: CorpusKeeper, log: EventLog, folder: Path | None) -> None:
    """Write again what is gone, and say so."""
    if folder is not None and (restored := await keeper.restore_folder()):
        written = f"{restored:,} sequence{' is' if restored == 1 else 's are'} written again"
        log.append(CAMPAIGN, Warned(f"{folder}: the corpus folder was removed, or a part of it: {written}"))

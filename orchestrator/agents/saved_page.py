"""`monotreme show --dashboard`: the page of a campaign that has ended, until a signal comes."""

from __future__ import annotations

import time
from pathlib import Path

import trio

from orchestrator.agents.server_settings import http_settings, page_port
from orchestrator.assembly.signals import Interruption
from orchestrator.configuration.model import Configuration
from orchestrator.dashboard.saved.call_texts import CallTexts
from orchestrator.dashboard.saved.corpus import SavedCorpus
from orchestrator.dashboard.saved.reading import SavedFolder, read_folder
from orchestrator.dashboard.saved.shown import SavedCampaign
from orchestrator.dashboard.saved.sources import SavedSources
from orchestrator.dashboard.saved.tools import SavedTools
from orchestrator.dashboard.service import print_page, served
from orchestrator.dashboard.visitors import Visitors
from orchestrator.interrupts import conclude
from orchestrator.streams import write_stderr
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry


def run_saved_page(folder: Path, configuration: Configuration) -> None:
    """Serve until a signal. Raises `ReportRequestError` for a folder without a campaign, `CannotListen`,
    `HttpNotAllowed` and `TokenFileError`."""
    saved = read_folder(folder)
    for note in saved.notes:
        write_stderr(f"note: {note}")
    interruption = Interruption(quick=trio.CancelScope())
    with interruption.listening():
        trio.run(_serve, interruption, saved, configuration)
        conclude(0)


async def _serve(interruption: Interruption, saved: SavedFolder, configuration: Configuration) -> None:
    assert interruption.quick is not None
    settings, file = await trio.to_thread.run_sync(http_settings, configuration, page_port(configuration))
    shown = await trio.to_thread.run_sync(SavedCampaign, saved, time.time)
    texts = CallTexts((each.contract, each.signature) for each in saved.checkpoint.state.functions)
    tools = (*SavedTools(saved).published(), *SavedCorpus(saved, texts).published(), *SavedSources(saved).published())
    dispatcher = Dispatcher(ToolRegistry(tools))
    page = served(shown, dispatcher, settings, Visitors().sessions(settings.tokens))
    async with page as url, trio.open_nursery() as nursery:
        await nursery.start(interruption.watch, nursery.cancel_scope)
        print_page(url, file)
        write_stderr("the campaign has ended: the page only shows it; Ctrl-C ends")
        with interruption.quick:
            await trio.sleep_forever()
        nursery.cancel_scope.cancel(reason="a signal came")

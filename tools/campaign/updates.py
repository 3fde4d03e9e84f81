"""Telling subscribers which resources have changed, from the campaign's events; at most a few times a second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Literal

import trio

from actors.events.types import CoverageIncreased, LoggedEvent, PropertyFalsified, ShrinkProgress, TestDecided, Warned
from tools.campaign.access import CampaignComponents
from tools.campaign.naming import finding_id
from tools.campaign.resources import COVERAGE, EVENTS, STATUS, finding_uri

INTERVAL = 0.5
Publish = Callable[[str], Awaitable[None]]
Tell = Callable[[Literal["notice", "warning"], str], Awaitable[None]]


async def publish_updates(parts: CampaignComponents, publish: Publish, tell: Tell) -> None:
    """Follow one campaign until cancelled. Each URI is published once for all events of an interval; findings and
    warnings are also sent as log messages."""
    cursor = 0
    while True:
        batch = await parts.log.wait(cursor)
        cursor = batch.cursor
        for uri in changed_resources(parts, batch.events):
            await publish(uri)
        for logged in batch.events:
            match logged.event:
                case PropertyFalsified(property=name, reason=reason):
                    await tell("notice", f"{name}: {reason}")
                case Warned(message=message):
                    await tell("warning", message)
                case _:
                    pass
        await trio.sleep(INTERVAL)


def changed_resources(parts: CampaignComponents, events: Iterable[LoggedEvent]) -> list[str]:
    """URIs of what these events change, each once."""
    changed = {STATUS: None, EVENTS: None}
    for logged in events:
        match logged.event:
            case CoverageIncreased():
                changed |= {f"{COVERAGE}{file.path}": None for file in parts.coverage.latest.files}
            case PropertyFalsified(test=test) | TestDecided(test=test) | ShrinkProgress(test=test):
                changed[finding_uri(_name(parts, test))] = None
            case _:
                pass
    return list(changed)


def _name(parts: CampaignComponents, test: int) -> str:
    records = parts.campaign.status().tests
    return finding_id(records[test]) if test < len(records) else ""

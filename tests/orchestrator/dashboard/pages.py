"""A dashboard over a campaign with fake workers, and a page that reads its stream."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import trio

from orchestrator.dashboard.service import live_dashboard
from orchestrator.dashboard.visitors import Visitors
from tests.support.campaign_bench import Bench, campaign_bench
from tests.support.patience import PATIENCE
from tools.campaign.several import ServedCampaigns
from tools.serving.access import Tokens
from tools.serving.http import HttpSettings
from tools.serving.request_limits import CredentialLimits

TOKENS = Tokens("control-token-of-tests", "read-token-of-tests")
CONTROL = {"authorization": f"Bearer {TOKENS.control}"}
READ = {"authorization": f"Bearer {TOKENS.read}"}


@dataclass
class Opened:
    bench: Bench
    client: httpx2.AsyncClient
    ticket: str

    async def call(self, tool: str, *, headers: dict[str, str] = CONTROL, **arguments: object) -> httpx2.Response:
        return await self.client.post(f"/api/call/{tool}", json=arguments, headers=headers)


@asynccontextmanager
async def dashboard(
    folder: Path, *, tokens: Tokens | None = TOKENS, shares: CredentialLimits | None = None, workers: int = 1
) -> AsyncIterator[Opened]:
    with trio.fail_after(PATIENCE):
        async with campaign_bench(folder, workers=workers) as bench:
            settings = HttpSettings(port=0, tokens=tokens, shares=shares)
            campaigns = ServedCampaigns()
            campaigns.begin().parts = bench.parts
            page = live_dashboard(bench.access, bench.command_log, bench.dispatcher, settings, Visitors(), campaigns)
            async with page as url, httpx2.AsyncClient(base_url=url.partition("#")[0], timeout=PATIENCE) as client:
                yield Opened(bench, client, url.partition("ticket=")[2])


@dataclass
class Stream:
    """One page's stream of events: `next` gives kind, data and id of each."""

    lines: AsyncIterator[str]

    async def next(self) -> tuple[str, Any, str]:
        fields: dict[str, str] = {}
        async for line in self.lines:
            name, _, value = line.partition(": ")
            if name and value:
                fields[name] = value
            elif not line and "event" in fields:
                return fields["event"], json.loads(fields["data"]), fields.get("id", "")
        raise AssertionError("the stream has ended")

    async def until(self, kind: str) -> tuple[Any, str]:
        """Data and id of the next event of a kind."""
        while True:
            found, data, identity = await self.next()
            if found == kind:
                return data, identity


@asynccontextmanager
async def stream(
    client: httpx2.AsyncClient, last: str = "", headers: dict[str, str] = CONTROL, query: str = ""
) -> AsyncIterator[Stream]:
    sent = {**headers, "accept": "text/event-stream", **({"last-event-id": last} if last else {})}
    async with client.stream("GET", f"/api/stream{query}", headers=sent) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        yield Stream(response.aiter_lines())

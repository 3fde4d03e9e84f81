"""A campaign outlives its server for agents, and says so in one line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import structlog.testing
import trio

from orchestrator.agents import campaign_service
from orchestrator.agents.campaign_service import HttpService
from orchestrator.agents.containment import contained
from orchestrator.configuration.layers import flag_layer
from orchestrator.configuration.resolve import resolve
from tools.serving.http import CannotListen, HttpSettings


async def crash_later(moment: trio.Event, *, task_status: trio.TaskStatus[None]) -> None:
    task_status.started()
    await moment.wait()
    async with trio.open_nursery():
        raise trio.BusyResourceError("another task is sending")


async def crash_at_once(*, task_status: trio.TaskStatus[None]) -> None:
    raise CannotListen("the port is taken")


async def test_a_part_that_fails_is_told_in_one_line():
    """With the innermost cause, and what is missing now."""
    moment = trio.Event()
    with structlog.testing.capture_logs() as log:
        async with trio.open_nursery() as nursery:
            await nursery.start(contained, "pages are no longer served", partial(crash_later, moment))
            moment.set()
    (line,) = log
    assert line["event"] == "pages are no longer served; the campaign continues"
    assert line["reason"].startswith("BusyResourceError: another task is sending")
    assert "exc_info" not in line


async def test_a_part_that_cannot_start_is_an_error():
    """The user has asked for it."""
    with pytest.RaisesGroup(CannotListen):
        async with trio.open_nursery() as nursery:
            await nursery.start(contained, "pages are no longer served", crash_at_once)


async def test_a_campaign_outlives_its_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Nothing in it is cancelled."""
    moment = trio.Event()

    @asynccontextmanager
    async def crashing_server(server: object, settings: HttpSettings) -> AsyncIterator[str]:
        async with trio.open_nursery() as nursery:
            await nursery.start(partial(crash_later, moment))
            yield "http://127.0.0.1:1/mcp"

    monkeypatch.setattr(campaign_service, "http_server", crashing_server)
    values = {"mcpAuth": ("--mcp-auth", "none"), "codebaseMemory": ("--memory", str(tmp_path / "memory.db"))}
    service = HttpService(resolve([flag_layer(values)]).configuration, 0)
    with structlog.testing.capture_logs() as log, trio.fail_after(60):
        async with service.around_run():
            moment.set()
            await trio.testing.wait_all_tasks_blocked()
            await trio.lowlevel.checkpoint()
    assert [line["event"] for line in log] == ["agents are no longer served; the campaign continues"]

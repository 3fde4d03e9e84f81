"""What is pushed to pages: everything at first, then what changes, and nothing where nothing does."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from orchestrator.dashboard.feed import KEPT, Feed, frame
from orchestrator.dashboard.live import LiveCampaign
from tests.orchestrator.dashboard.pages import dashboard, stream
from tests.support.campaign_bench import campaign_bench
from tools.campaign.access import CampaignAccess
from tools.command_log import CommandLog

over_http = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]


class TestOverHttp:
    pytestmark = over_http

    async def test_a_page_gets_all_of_the_campaign_at_once(self, tmp_path: Path):
        async with dashboard(tmp_path, workers=2) as opened, stream(opened.client) as page:
            assert (await page.next())[:2] == ("scope", {"canSteer": True})
            kind, hello, _ = await page.next()
            assert kind == "hello"
            assert hello["epoch"]
            assert (await page.next())[0] == "timeline"
            state, _ = await page.until("state")
            assert state["figures"]["target"] == "Token.sol:Token"
            assert [worker["worker"] for worker in state["workers"]] == [0, 1]
            assert {test["state"] for test in state["tests"]} == {"open"}
            events, identity = await page.until("events")
            assert "WorkerStarted" in [event["eventType"] for event in events]
            assert identity.startswith(hello["epoch"])

    async def test_two_pages_see_what_one_commands(self, tmp_path: Path):
        async with dashboard(tmp_path) as opened, stream(opened.client) as one, stream(opened.client) as other:
            await one.until("state")
            await other.until("state")
            await opened.call("pause_campaign")
            for page in (one, other):
                seen: set[str] = set()
                while not {"paused", "Steered"} <= seen:
                    kind, data, _ = await page.next()
                    if kind == "events":
                        seen |= {event["eventType"] for event in data}
                    elif kind == "state" and data.get("figures", {}).get("paused"):
                        seen.add("paused")

    async def test_a_page_that_comes_back_gets_the_events_that_it_missed_and_no_others(self, tmp_path: Path):
        async with dashboard(tmp_path) as opened:
            async with stream(opened.client) as page:
                before, identity = await page.until("events")
            await opened.call("pause_campaign")
            await opened.bench.until("Steered")
            known = {event["cursor"] for event in before}
            missed: list[str] = []
            async with stream(opened.client, last=identity) as page:
                while "Steered" not in missed:
                    events, _ = await page.until("events")
                    assert not known & {event["cursor"] for event in events}
                    missed += [event["eventType"] for event in events]

    async def test_an_id_of_another_server_is_no_place_to_continue_from(self, tmp_path: Path):
        async with dashboard(tmp_path) as opened:
            async with stream(opened.client) as page:
                epoch = (await page.until("hello"))[0]["epoch"]
            for last in ("other.1-9999", "-", "9" * 400, f"{epoch}-{'9' * 5_000}", f"{epoch}-1e3", f"{epoch}--1"):
                async with stream(opened.client, last=last) as page:
                    events, _ = await page.until("events")
                    assert events[0]["cursor"] == 1


async def test_a_page_that_is_far_behind_gets_the_whole_state_again():
    feed = Feed(lambda last: b"all;")
    with feed.listening("") as slow, feed.listening("") as quick:
        assert (await slow.next(), await quick.next()) == (b"all;", b"all;")
        feed.publish(b"1;")
        assert await quick.next() == b"1;"
        for _ in range(KEPT):
            feed.publish(b"x;")
        assert await slow.next() == b"all;"
        assert await quick.next() == b"x;" * KEPT
        feed.restart()
        assert (await slow.next(), await quick.next()) == (b"all;", b"all;")
    assert feed.listeners == 0


async def test_silence_is_broken_by_comments(autojump_clock: trio.testing.MockClock):
    feed = Feed(lambda last: b"all;")
    with feed.listening("") as page:
        await page.next()
        assert (await page.next()).startswith(b":")


async def test_a_frame_is_one_line_without_what_moves_a_cursor():
    made = frame("state", {"name": "a\nb\r\x1b[2J\u2028\u202e\udcff"}, "1-2").decode()
    assert made.startswith("id: 1-2\nevent: state\ndata: ")
    assert made.count("\n") == 4
    assert made.splitlines()[2].startswith("data: {")
    assert not {"\r", "\x1b", "\u2028", "\u202e"} & set(made)


async def test_nothing_is_sent_while_nothing_changes(tmp_path: Path):
    """A campaign that rests costs its pages nothing."""
    async with campaign_bench(tmp_path, running=False) as bench:
        live = LiveCampaign(bench.access, bench.command_log, lambda: 0.0)
        live._tick()
        with live.feed.listening("") as page:
            assert b"event: state" in await page.next()
            live._tick()
            live._tick()
            assert live.feed.after(page._position, "")[0] == b""


async def test_another_campaign_begins_with_an_empty_page(tmp_path: Path):
    access = CampaignAccess()
    access.prepare("compiling")
    live = LiveCampaign(access, CommandLog(lambda: 0.0), lambda: 0.0)
    live._tick()
    with live.feed.listening("") as page:
        before = (await page.next()).decode()
        assert '"phase":"compiling"' in before
        async with campaign_bench(tmp_path) as bench:
            access.follow(bench.parts)
            live._tick()
            after = (await page.next()).decode()
        assert '"target":"Token.sol:Token"' in after
        assert before.partition('"epoch":')[2][:20] != after.partition('"epoch":')[2][:20]


async def test_a_page_that_opens_takes_no_news_from_the_others(tmp_path: Path):
    """What it is told first is not taken for what all have been told."""
    async with campaign_bench(tmp_path, running=False) as bench:
        live = LiveCampaign(bench.access, bench.command_log, lambda: 0.0)
        live._tick()
        with live.feed.listening("") as first, live.feed.listening("") as second:
            await first.next()
            await bench.command_log.never_begun("pause_campaign", {}, "refused")
            assert b'"commands":1' in await second.next()
            live._tick()
            assert b'"commands":1' in await first.next()

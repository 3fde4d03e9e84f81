"""The dashboard over HTTP: who gets in, what it may do, and what it answers to what is no request of its page."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from tests.orchestrator.dashboard.pages import CONTROL, READ, Opened, dashboard, stream
from tests.support.patience import until
from tools.serving.request_limits import CredentialLimits

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]


async def test_tokens_decide_what_is_answered(tmp_path: Path):
    """None 401, a reader may look and not steer, control may; the page's own files hold nothing and are free."""
    async with dashboard(tmp_path) as opened:
        assert (await opened.client.get("/")).status_code == 200
        for headers, status in (({}, 401), ({"authorization": "Bearer wrong"}, 401), (READ, 200), (CONTROL, 200)):
            assert (await opened.call("status", headers=headers)).status_code == status
        for headers in ({}, {"authorization": "Basic x"}):
            assert (await opened.client.get("/api/stream", headers=headers)).status_code == 401
        refused = await opened.call("pause_campaign", headers=READ)
        assert refused.status_code == 400
        assert "control" in refused.json()["error"]["message"]
        assert not opened.bench.parts.campaign.status().paused
        assert (await opened.call("pause_campaign")).json() == {"result": {"changed": True}}
        assert opened.bench.parts.campaign.status().paused


async def test_a_ticket_opens_the_page_once_with_all_scopes(tmp_path: Path):
    async with dashboard(tmp_path) as opened:
        answer = await opened.client.post("/api/session", json={"ticket": opened.ticket})
        session = {"authorization": f"Bearer {answer.json()['token']}"}
        assert (await opened.call("pause_campaign", headers=session)).status_code == 200
        assert (await opened.client.post("/api/session", json={"ticket": opened.ticket})).status_code == 401
        for body in ({}, {"ticket": 1}, {"ticket": ""}):
            assert (await opened.client.post("/api/session", json=body)).status_code == 401


async def test_other_sites_are_turned_away_also_from_the_stream(tmp_path: Path):
    async with dashboard(tmp_path) as opened:
        for headers, status in (
            ({"origin": "http://evil.example"}, 403),
            ({"host": "evil.example"}, 421),
            ({"origin": "null"}, 403),
        ):
            for path in ("/", "/dashboard.js", "/api/stream"):
                assert (await opened.client.get(path, headers={**CONTROL, **headers})).status_code == status
            answer = await opened.call("pause_campaign", headers={**CONTROL, **headers})
            assert answer.status_code == status
        # A form of another site can send this type without asking first.
        plain = {**CONTROL, "content-type": "text/plain"}
        answer = await opened.client.post("/api/call/pause_campaign", content="{}", headers=plain)
        assert answer.status_code == 400
        assert not opened.bench.parts.campaign.status().paused


async def test_what_is_commanded_from_the_page_is_logged_with_who_gave_it(tmp_path: Path):
    """In the log that replays read, and as `list_commands` tells it."""
    async with dashboard(tmp_path) as opened:
        await opened.call("set_workers", workers=2)
        await opened.call("set_workers", workers=0)
        listed = (await opened.call("list_commands", headers=READ)).json()["result"]
        assert listed["total"] == 2
        refused, done = listed["commands"]
        assert (done["tool"], done["arguments"], done["result"]) == ("set_workers", '{"workers":2}', "success")
        assert done["caller"].startswith("dashboard ")
        assert (refused["result"], refused["caller"]) == ("failure", done["caller"])
        assert "workers" in refused["message"]
        assert '"caller":"dashboard ' in (tmp_path / "mcp-commands.jsonl").read_text()
        await until(lambda: len([each for each in opened.bench.parts.campaign.status().workers if not each.ended]) == 2)


async def test_the_page_reaches_no_tools_but_those_of_the_campaign(tmp_path: Path):
    async with dashboard(tmp_path) as opened:
        for tool in ("dotnet_build", "filesystem", "list_codebases", "no_such_tool", "%00", "..%2f.."):
            assert (await opened.call(tool)).status_code == 404


async def test_bodies_made_to_break_the_page_are_refused(tmp_path: Path):
    hostile = [b"[" * 60_000, b'{"a":' * 10_000, b'{"limit":NaN}', b'{"a":"\\ud800"}', b"[]", b"null", b"", b"\xff"]
    async with dashboard(tmp_path) as opened:
        for body in (*hostile, b'{"a":"' + b"x" * (2 << 20) + b'"}'):
            for path in ("/api/call/list_findings", "/api/session"):
                headers = {**CONTROL, "content-type": "application/json"}
                answer = await opened.client.post(path, content=body, headers=headers)
                assert answer.status_code in (400, 401), body[:20]
                assert answer.json()["error"]["message"]
        assert (await opened.call("list_findings")).status_code == 200


async def test_a_result_that_is_text_is_a_json_string(tmp_path: Path):
    async with dashboard(tmp_path) as opened:
        answer = (await opened.call("dump_lcov")).json()
        assert isinstance(answer["result"], str)


async def test_a_credential_has_so_many_streams_and_others_keep_theirs(tmp_path: Path):
    async with dashboard(tmp_path, shares=CredentialLimits(streams=2)) as opened:
        async with stream(opened.client) as first, stream(opened.client) as second:
            await first.until("state")
            await second.until("state")
            assert await _status_of_a_stream(opened, CONTROL) == 503
            # One that does not say what it is would not be counted.
            assert (await opened.client.get("/api/stream", headers=CONTROL)).status_code == 406
            async with stream(opened.client, headers=READ) as reader:
                assert (await reader.until("scope"))[0] == {"canSteer": False}
        # The places are free again once the pages have left.
        while await _status_of_a_stream(opened, CONTROL) == 503:
            await trio.lowlevel.checkpoint()


async def _status_of_a_stream(opened: Opened, headers: dict[str, str]) -> int:
    sent = {**headers, "accept": "text/event-stream"}
    async with opened.client.stream("GET", "/api/stream", headers=sent) as response:
        return int(response.status_code)


async def test_without_authentication_no_ticket_is_needed(tmp_path: Path):
    async with dashboard(tmp_path, tokens=None) as opened:
        assert opened.ticket == ""
        assert (await opened.call("status", headers={})).status_code == 200

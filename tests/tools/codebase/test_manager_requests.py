"""The manager's page over HTTP: who gets in, what it answers."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
import trio

from tests.support.patience import PATIENCE
from tools.codebase.manager.sessions import TICKET_SECONDS, Sessions
from tools.codebase.memory import CodebaseMemory
from tools.codebase.service import CodebaseService
from tools.roots import AllowedRoots
from tools.serving.access import Tokens
from tools.serving.http import HttpSettings
from tools.tool import Scope

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]

TOKENS = Tokens("control-token-of-tests", "read-token-of-tests")
CONTROL = {"authorization": f"Bearer {TOKENS.control}"}
READ = {"authorization": f"Bearer {TOKENS.read}"}


@asynccontextmanager
async def page(memory: CodebaseMemory, root: Path, tokens: Tokens | None = TOKENS) -> AsyncIterator[httpx2.AsyncClient]:
    settings = HttpSettings(port=0, tokens=tokens)
    service = CodebaseService(memory, AllowedRoots([root], root), lambda: settings, lambda _: False)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(service.serve)
            url = await service.page.open()
            async with httpx2.AsyncClient(base_url=url.split("#")[0]) as client:
                client.ticket = url.partition("ticket=")[2]
                yield client
            nursery.cancel_scope.cancel()


@pytest.fixture
async def client(memory: CodebaseMemory, project: Path) -> AsyncIterator[httpx2.AsyncClient]:
    memory.ingest(project, "a/b ü", lambda *_: None, lambda: False)
    async with page(memory, project) as client:
        yield client


async def test_tokens_decide_what_is_answered(client: httpx2.AsyncClient):
    """None 401, a reader may look, control may change; the page's own files hold nothing and are free."""
    assert (await client.get("/")).status_code == 200
    for headers, status in (({}, 401), ({"authorization": "Bearer wrong"}, 401), (READ, 200), (CONTROL, 200)):
        assert (await client.get("/api/jobs", headers=headers)).status_code == status
        answer = await client.post("/api/tools/list_codebases", json={}, headers=headers)
        assert answer.status_code == status
    remove = {"name": "a/b ü"}
    assert (await client.post("/api/tools/remove_codebase", json=remove, headers=READ)).status_code == 400
    assert (await client.post("/api/reindex", json=remove, headers=READ)).status_code == 403
    assert (await client.post("/api/tools/remove_codebase", json=remove, headers=CONTROL)).status_code == 200


async def test_other_sites_are_turned_away(client: httpx2.AsyncClient):
    """By Origin and Host, also from the page's own files, and by the content type of forms."""
    for headers, status in (
        ({"origin": "http://evil.example"}, 403),
        ({"host": "evil.example"}, 421),
        ({"origin": "null"}, 403),
    ):
        assert (await client.get("/", headers=headers)).status_code == status
        assert (await client.get("/api/jobs", headers={**CONTROL, **headers})).status_code == status
    plain = {**CONTROL, "content-type": "text/plain"}
    assert (await client.post("/api/tools/list_codebases", content="{}", headers=plain)).status_code == 400


async def test_the_page_loads_nothing_from_elsewhere(client: httpx2.AsyncClient):
    """Its policy forbids it, and none of its files name another host."""
    for path in ("/", "/manager.css", "/manager.js"):
        answer = await client.get(path)
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["cache-control"] == "no-store"
        assert "http://" not in answer.text
        assert "https://" not in answer.text
        assert "innerHTML" not in answer.text


async def test_bodies_made_to_break_the_page_are_refused(client: httpx2.AsyncClient):
    """With an answer that is JSON, and the next request is served."""
    hostile = [
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"name":"\\ud800"}',
        b'{"name":NaN}',
        b'{"name":' + b"9" * 5_000 + b"}",
        b'{"name":"\xff"}',
        b"[]",
        b"null",
        b"",
        b'{"name":"' + b"x" * 100_000 + b'"}',
    ]
    json_type = {**CONTROL, "content-type": "application/json"}
    for path in ("/api/stale", "/api/reindex", "/api/tools/remove_codebase", "/api/tools/%00", "/api/tools/%ff"):
        for body in hostile:
            answer = await client.post(path, content=body, headers=json_type)
            assert answer.status_code in (400, 404), (path, body[:20])
            assert answer.json()["error"]["code"]
    for path in ("/api/session", "/api/stale"):
        answer = await client.post(path, content=b'{"name":"\\u0000"}', headers=json_type)
        assert answer.status_code in (400, 401)
    assert (await client.get("/api/jobs", headers=READ)).status_code == 200


async def test_a_ticket_is_good_once(client: httpx2.AsyncClient):
    """It gives a token that works; used up, it gives nothing."""
    answer = await client.post("/api/session", json={"ticket": client.ticket})
    session = {"authorization": f"Bearer {answer.json()['token']}"}
    assert (await client.get("/api/jobs", headers=session)).json()["mayChange"] is True
    assert (await client.post("/api/session", json={"ticket": client.ticket})).status_code == 401
    for body in ({}, {"ticket": 1}, {"ticket": ""}):
        assert (await client.post("/api/session", json=body)).status_code == 401


def test_tickets_and_sessions_are_bounded_and_expire():
    """Old tickets give nothing; of many, the last ones count."""
    now = [0.0]
    sessions = Sessions(TOKENS, lambda: now[0])
    late = sessions.ticket()
    now[0] = TICKET_SECONDS + 1
    assert sessions.redeem(late) is None
    first = sessions.redeem(sessions.ticket())
    for _ in range(40):
        last = sessions.redeem(sessions.ticket())
    assert sessions.scopes_of(first) is None
    assert sessions.scopes_of(last) == frozenset(Scope)
    assert Sessions(None, lambda: 0.0).ticket() == ""


@pytest.mark.parametrize(
    ("content", "status"), [(b"[]", 400), (b"{", 400), (b"{" * 70_000, 400), (b"\xff", 400), (b'{"query": 1}', 400)]
)
async def test_bad_requests_are_told_as_that(client: httpx2.AsyncClient, content: bytes, status: int):
    """Never an error of the server, whatever the body."""
    headers = {**CONTROL, "content-type": "application/json"}
    answer = await client.post("/api/tools/search_codebases", content=content, headers=headers)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]
    assert (await client.post("/api/reindex", content=content, headers=headers)).status_code == 400
    assert (await client.post("/api/stale", content=content, headers=headers)).status_code == 400
    unknown = await client.post("/api/tools/dump_lcov", json={}, headers=CONTROL)
    assert unknown.status_code == 404


async def test_a_folder_is_added_within_the_roots_by_clients_that_may_change(client: httpx2.AsyncClient, project: Path):
    """A reader is refused, and so is a folder elsewhere; the answer does not wait for the end."""
    inside = {"path": "src", "name": "new", "waitSeconds": 0}
    for body, headers in ((inside, READ), ({**inside, "path": "/etc"}, CONTROL), ({**inside, "path": ".."}, CONTROL)):
        answer = await client.post("/api/tools/index_codebase", json=body, headers=headers)
        assert answer.status_code == 400
    answer = await client.post("/api/tools/index_codebase", json=inside, headers=CONTROL)
    assert answer.status_code == 200
    assert answer.json()["status"] in ("waiting", "running")
    (job,) = (await client.get("/api/jobs", headers=READ)).json()["jobs"]
    assert (job["name"], job["path"]) == ("new", str(project / "src"))


async def test_files_that_are_not_as_they_were_indexed_are_counted(
    client: httpx2.AsyncClient, project: Path, tmp_path: Path
):
    """New, changed and gone; a folder that is gone is told."""
    wanted = {"name": "a/b ü"}
    fresh = await client.post("/api/stale", json=wanted, headers=READ)
    assert fresh.json() == {**wanted, "added": 0, "changed": 0, "removed": 0}
    (project / "new.py").write_text("def brand_new(): pass\n")
    (project / "src/auth.py").write_text("x = 1\n")
    (project / "src/parser.ts").unlink()
    stale = await client.post("/api/stale", json=wanted, headers=READ)
    assert stale.json() == {**wanted, "added": 1, "changed": 1, "removed": 1}
    shutil.move(project, tmp_path / "elsewhere")
    gone = await client.post("/api/stale", json=wanted, headers=READ)
    assert (gone.status_code, str(project) in gone.json()["error"]["message"]) == (400, True)


async def test_reindexing_continues_in_the_background(client: httpx2.AsyncClient, project: Path):
    """It is accepted at once, its progress can be read, and its end."""
    (project / "new.py").write_text("def brand_new(): pass\n")
    assert (await client.post("/api/reindex", json={"name": "a/b ü"}, headers=CONTROL)).status_code == 202
    status = "running"
    while status in ("waiting", "running"):
        (job,) = (await client.get("/api/jobs", headers=READ)).json()["jobs"]
        status = job["status"]
    assert (job["status"], job["filesDone"], job["filesTotal"]) == ("finished", 4, 4)
    assert (await client.post("/api/reindex", json={"name": "nope"}, headers=CONTROL)).status_code == 400


async def test_without_tokens_the_page_is_open_to_this_machine(memory: CodebaseMemory, project: Path):
    """As the MCP server is with auth none."""
    async with page(memory, project, None) as client:
        assert client.ticket == ""
        assert (await client.get("/api/jobs")).json() == {"jobs": [], "mayChange": True}

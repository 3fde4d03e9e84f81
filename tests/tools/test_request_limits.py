"""Limits that requests over HTTP share, by their tokens."""

from __future__ import annotations

import pytest
import trio
import trio.testing
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from tools.serving.access import Tokens
from tools.serving.credentials import Credentials
from tools.serving.request_limits import SMALL_BODY, CredentialLimits, RequestLimits
from tools.serving.session_limits import SessionLimits

TOKENS = Tokens("control-token-of-tests", "read-token-of-tests")


class Upload:
    """A request whose body a test sends in parts."""

    def __init__(self, limits: RequestLimits, token: str = TOKENS.read) -> None:
        self.status: int | None = None
        self._limits = limits
        self._scope: Scope = {
            "type": "http",
            "method": "POST",
            "headers": [(b"authorization", f"Bearer {token}".encode())],
        }
        self._parts, self._arriving = trio.open_memory_channel[Message](100)

    async def run(self) -> None:
        await self._limits(self._scope, self._arriving.receive, self._note)

    async def _note(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]

    def part_now(self, size: int) -> None:
        """The request's own task does not see it before the caller waits."""
        self._parts.send_nowait({"type": "http.request", "body": b"x" * size, "more_body": True})

    async def part(self, size: int, *, last: bool = False) -> None:
        await self._parts.send({"type": "http.request", "body": b"x" * size, "more_body": not last})
        await trio.testing.wait_all_tasks_blocked()


async def read_body(scope: Scope, receive: Receive, send: Send) -> None:
    try:
        await Request(scope, receive).body()
        status = 200
    except ClientDisconnect:
        status = 500
    await PlainTextResponse("", status)(scope, receive, send)


@pytest.fixture
def limits() -> RequestLimits:
    shares = CredentialLimits(requests=3, strangers=1, body_bytes=4 * SMALL_BODY)
    return RequestLimits(read_body, Credentials(TOKENS.scopes_of), shares, body_seconds=60)


async def start(limits: RequestLimits, nursery: trio.Nursery, token: str = TOKENS.read) -> Upload:
    upload = Upload(limits, token)
    nursery.start_soon(upload.run)
    await trio.testing.wait_all_tasks_blocked()
    return upload


async def test_the_body_that_was_awaited_longest_makes_room(limits: RequestLimits, nursery: trio.Nursery):
    """For a request of the same token; other tokens have their own places."""
    other = await start(limits, nursery, TOKENS.control)
    uploads = [await start(limits, nursery) for _ in range(4)]
    assert [each.status for each in uploads] == [408, None, None, None]
    for upload in (other, *uploads[1:]):
        await upload.part(10, last=True)
        assert upload.status == 200


async def test_a_body_makes_room_in_the_moment_when_a_part_of_it_arrives(limits: RequestLimits, nursery: trio.Nursery):
    """The part does not undo it."""
    uploads = [await start(limits, nursery) for _ in range(3)]
    uploads[0].part_now(10)
    late = Upload(limits)
    # In this task, so that it asks for a place before the first one's task has run again.
    with trio.move_on_after(0):
        await late.run()
    await trio.testing.wait_all_tasks_blocked()
    assert [each.status for each in uploads] == [408, None, None]


async def test_a_body_that_was_given_up_reaches_no_session(nursery: trio.Nursery):
    """The SDK begins a session before it reads the body, and would keep it for half an hour."""
    reached: list[str] = []

    async def sdk(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["method"])
        await read_body(scope, receive, send)

    credentials = Credentials(TOKENS.scopes_of)
    shares = CredentialLimits(requests=1, strangers=1)
    limits = RequestLimits(SessionLimits(sdk, credentials), credentials, shares, body_seconds=60)
    half, whole = await start(limits, nursery), await start(limits, nursery)
    await whole.part(10, last=True)
    assert (half.status, whole.status) == (408, 200)
    assert reached == ["POST"]


async def test_a_deadline_counts_from_the_first_wait(limits: RequestLimits, nursery: trio.Nursery, autojump_clock):
    """Parts that arrive do not begin it anew."""
    upload = await start(limits, nursery)
    for _ in range(7):
        await upload.part(1)
        await trio.sleep(9)
    assert upload.status == 408


async def test_long_bodies_share_so_many_bytes(limits: RequestLimits, nursery: trio.Nursery):
    """The longest that is still arriving is given up; small ones always have room."""
    long, longer = await start(limits, nursery), await start(limits, nursery)
    await long.part(SMALL_BODY + 1)
    await longer.part(3 * SMALL_BODY - 2)
    assert (long.status, longer.status) == (None, None)
    small = await start(limits, nursery)
    await small.part(SMALL_BODY, last=True)
    assert small.status == 200
    await long.part(2)
    assert (long.status, longer.status) == (None, 408)
    await long.part(3 * SMALL_BODY)
    assert long.status == 503


async def test_strangers_have_a_small_share_of_their_own(limits: RequestLimits, nursery: trio.Nursery):
    """An unknown token is none."""
    first, second = [await start(limits, nursery, token) for token in ("", "unknown")]
    assert (first.status, second.status) == (408, None)
    assert CredentialLimits.of_connections(16) == CredentialLimits(requests=6, streams=3, strangers=2)

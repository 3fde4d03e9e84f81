"""The build tools as an agent's client sees them, in both protocol eras."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
import trio
from mcp import Client

from tests.support.build_bench import BuildBench
from tools.dispatcher import Dispatcher
from tools.serving.binding import build_server, local_caller
from tools.serving.facade import Facade
from tools.serving.subscriptions import Subscriptions

pytestmark = pytest.mark.integration

SEED_LINE = b"src/Services/UserService.cs(47,23): error CS0103: The name 'userId' does not exist\n"


@pytest.fixture(params=["auto", "legacy"])
async def client(request: pytest.FixtureRequest, bench: BuildBench, nursery: trio.Nursery) -> AsyncIterator[Client]:
    facade = Facade(dispatcher=Dispatcher(bench.registry))
    async with Client(build_server(facade, Subscriptions(), local_caller), mode=request.param) as connected:
        yield connected


@pytest.mark.requirement("003-1", "003-15", "003-16", "X3")
async def test_a_failed_build_is_an_answer_not_an_error(client: Client, bench: BuildBench) -> None:
    """Structured content and text are the same; `isError` is for the tool's own failures; the log stays outside."""
    bench.printer("dotnet", b"Restoring packages for something long\n" * 100 + SEED_LINE, 1)
    result = await client.call_tool("dotnet.build", {"args": ["--configuration", "Release"]})
    assert not result.is_error
    answer = result.structured_content
    assert answer is not None
    assert json.loads(result.content[0].text) == answer  # type: ignore[union-attr]
    assert answer["errors"][0]["code"] == "CS0103"
    assert "Restoring" not in result.content[0].text  # type: ignore[union-attr]
    assert len(json.dumps(answer["errors"][0])) < 4 * 200, "a token has about four characters"


@pytest.mark.requirement("X1", "X4", "X5")
async def test_errors_have_the_form_of_diagnostics(client: Client) -> None:
    """Bad input, an unknown run and a folder outside: `success: false` with one error that has a code."""
    for name, arguments, code in (
        ("dotnet_build", {"args": "x"}, "INVALID_INPUT"),
        ("run_raw", {"runId": "abc123"}, "RUN_NOT_FOUND"),
        ("npm_install", {"cwd": "/", "confirmed": True}, "INVALID_CWD"),
    ):
        result = await client.call_tool(name, arguments)
        assert result.is_error
        answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
        assert (answer["success"], answer["warnings"], answer["runId"]) == (False, [], "")
        assert [each["code"] for each in answer["errors"]] == [code]


@pytest.mark.requirement("X2")
async def test_a_waiting_call_reports_progress(client: Client, bench: BuildBench) -> None:
    """To clients that ask for it."""
    told: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    bench.printer("dotnet", b"")
    await client.call_tool("dotnet_build", {}, progress_callback=hear)
    assert told == ["dotnet.build: queued, 0 s"]

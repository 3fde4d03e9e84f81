"""The stdio transport in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
import trio
from mcp import Client, StdioServerParameters

from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "tests.support.tool_server"]


def conversation(*lines: str | bytes) -> list[dict]:
    """Everything that the server says to these lines and the end of input."""
    data = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    done = subprocess.run(COMMAND, input=data, capture_output=True, timeout=PATIENCE, cwd=ROOT, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
)
INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_calls_tools_over_stdio(mode: str):
    """Also the one that never answers, after which the server continues."""
    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=str(ROOT))
    with trio.fail_after(PATIENCE):
        async with Client(server, mode=mode) as client:
            assert len((await client.list_tools()).tools) == 8
            assert (await client.call_tool("stick", {})).is_error
            assert (await client.call_tool("echo", {"text": "a"})).structured_content == {"text": "a"}


def test_requests_that_were_piped_in_are_answered():
    """Stray prints go to stderr, junk and empty lines are passed over, answers are flushed before the end."""
    call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"é"}}}'
    noisy = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"noisy","arguments":{}}}'
    answers = conversation(INITIALIZE, INITIALIZED, "", "junk", b"\xff\xfe", noisy, call)
    by_id = {answer.get("id"): answer for answer in answers}
    assert by_id[1]["result"]["protocolVersion"] == "2025-06-18"
    assert by_id[2]["result"]["structuredContent"] == {"text": "é"}
    assert 3 in by_id


def test_the_server_leaves_with_its_client():
    """Well within the two seconds that clients give it."""
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
    )
    process.stdin.write((INITIALIZE + "\n").encode())
    process.stdin.flush()
    process.stdout.readline()
    began = time.monotonic()
    process.stdin.close()
    process.stdout.close()
    assert process.wait(10) == 0
    # Clients kill after two seconds; on a busy machine the clock alone proves little, so the bound is wide.
    assert time.monotonic() - began < 8

"""Messages made to break their readers, over HTTP in both eras and on stdio.

The server answers in strict JSON, or not at all, and serves the next one.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from tests.support.attacked_server import (
    CONTROL,
    GENEROUS,
    INITIALIZE,
    READ,
    ROOT,
    AttackedServer,
    attacked_server,
    call_of,
    request,
)

pytestmark = pytest.mark.integration

DEEP = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":%s}}}'


def text_argument(literal: bytes) -> bytes:
    return DEEP % literal


def identity(literal: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":{}}' % literal


HOSTILE = {
    "nested arrays": b"[" * 1_000_000,
    "nested objects": b'{"a":' * 500_000,
    "nested and closed": text_argument(b"[" * 100_000 + b"]" * 100_000),
    "moderately nested": text_argument(b"[" * 150 + b"]" * 150),
    "huge integer": text_argument(b"9" * 4_000),
    "huger integer": text_argument(b"9" * 100_000),
    "huge integer for a number": b'{"jsonrpc":"2.0","id":3,"method":"tools/call",'
    b'"params":{"name":"echo","arguments":{"text":"a","times":%s}}}' % (b"9" * 4_000),
    "fraction for a number": b'{"jsonrpc":"2.0","id":3,"method":"tools/call",'
    b'"params":{"name":"echo","arguments":{"text":"a","times":1e308}}}',
    "huge exponent": text_argument(b"1e999999999"),
    "NaN": text_argument(b"NaN"),
    "Infinity": text_argument(b"-Infinity"),
    "NaN nobody asked for": b'{"jsonrpc":"2.0","id":3,"method":"tools/call",'
    b'"params":{"name":"echo","arguments":{"x":NaN}}}',
    "half a surrogate": text_argument(b'"\\ud800"'),
    "half a surrogate as name": text_argument(b'{"\\udfff":1}'),
    "half a surrogate as tool": b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"\\ud800"}}',
    "half a surrogate as method": b'{"jsonrpc":"2.0","id":4,"method":"\\ud800"}',
    "half a surrogate as URI": b'{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"a:\\ud800"}}',
    "NUL": text_argument(b'"\\u0000"'),
    "NUL as tool": b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"\\u0000"}}',
    "no UTF-8": text_argument(b'"\xff\xfe\x80"'),
    "UTF-16": '{"jsonrpc":"2.0","id":2,"method":"ping"}'.encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf" + identity(b"2"),
    "id null": identity(b"null"),
    "id true": identity(b"true"),
    "id fraction": identity(b"1.5"),
    "id object": identity(b"{}"),
    "id huge": identity(b"9" * 4_000),
    "id huger": identity(b"9" * 5_000),
    "id negative": identity(b"-1"),
    "id half a surrogate": identity(b'"\\ud800"'),
    "id long": identity(b'"' + b"x" * 1_000_000 + b'"'),
    "id with controls": identity(b'"\\u001b[31m\\n\\r\\u2028"'),
    "method long": b'{"jsonrpc":"2.0","id":2,"method":"%s"}' % (b"x" * 1_000_000),
    "tool long": b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"%s"}}' % (b"x" * 1_000_000),
    "keys twice": b'{"jsonrpc":"2.0","id":2,"id":3,"method":"ping","method":"tools/list"}',
    "100,000 keys": text_argument(b"{" + b",".join(b'"%d":0' % i for i in range(100_000)) + b"}"),
    "100,000 arguments": b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{%s}}}'
    % b",".join(b'"%d":0' % i for i in range(100_000)),
    "arguments as array": b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":[]}}',
    "params as array": b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}',
    "batch": b"[" + b",".join([identity(b"2")] * 1_000) + b"]",
    "empty batch": b"[]",
    "null": b"null",
    "string": b'"a"',
    "empty object": b"{}",
    "answer to nothing": b'{"jsonrpc":"2.0","id":99,"result":{}}',
    "error to nothing": b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"a"}}',
    "cancels nothing": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}',
    "cancels itself": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1,[2]]}}',
    "progress of nothing": b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1e400}}',
    "unknown notification": b'{"jsonrpc":"2.0","method":"notifications/\\u0000"}',
    "initialize again": json.dumps(INITIALIZE | {"id": 5}).encode(),
    "initialize with a huge version": json.dumps(
        INITIALIZE | {"params": INITIALIZE["params"] | {"protocolVersion": "9" * 100_000}}
    ).encode(),
    "log level": b'{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"\\u001b"}}',
    "subscribes to much": b'{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"%s"}}'
    % (b"x" * 1_000_000),
    "progress token": b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo",'
    b'"arguments":{"text":"a"},"_meta":{"progressToken":{"a":[1]}}}}',
}
ERAS = {"older": None, "newer": "2026-07-28"}


@pytest.fixture(scope="module")
def server() -> Iterator[AttackedServer]:
    with attacked_server() as attacked:
        yield attacked


@pytest.mark.parametrize("era", ERAS)
async def test_over_http(server: AttackedServer, era: str):
    """Each with a status and, where there is a body, one message."""
    for name, body in HOSTILE.items():
        headers = [f"MCP-Protocol-Version: {ERAS[era]}"] if ERAS[era] else []
        if era == "older":
            _, session = await server.open_session()
            headers.append(f"Mcp-Session-Id: {session}")
        answer = await server.ask(request(body, READ, *headers))
        assert answer.status in (200, 202, 400, 404), (name, answer)
        if answer.body:
            assert answer.message()["jsonrpc"] == "2.0", name
    await server.serves(CONTROL)


def test_on_stdio():
    """All in one conversation, with an honest call at the end, which no newline ends."""
    initialized = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    honest = json.dumps(call_of("echo", {"text": "a"}, "honest")).encode()
    lines = [json.dumps(INITIALIZE).encode(), initialized, *HOSTILE.values(), honest]
    answers = conversation(b"\n".join(line.replace(b"\n", b"") for line in lines))
    by_id = {json.dumps(answer["id"]): answer for answer in answers if "id" in answer}
    assert by_id['"honest"']["result"]["structuredContent"] == {"text": "a"}
    assert sum("error" in answer and answer["id"] is None for answer in answers) > 10


def conversation(data: bytes) -> list[dict]:
    command = [sys.executable, "-m", "tests.support.tool_server"]
    done = subprocess.run(command, input=data, capture_output=True, timeout=GENEROUS, cwd=ROOT, check=True)
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    return [json.loads(line, parse_constant=_no_constant) for line in done.stdout.splitlines()]


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def test_a_line_beyond_the_limit_is_refused_and_the_next_ones_are_served():
    """On stdio. The error names the limit; the rest of the line is passed over."""
    honest = json.dumps(call_of("echo", {"text": "a"}, "honest")).encode()
    answers = conversation(
        b"\n".join([json.dumps(INITIALIZE).encode(), b'{"a":"' + b"x" * (20 << 20) + b'"}', honest, b"y" * (9 << 20)])
    )
    refused = [answer["error"]["message"] for answer in answers if answer.get("id") is None]
    assert refused == [f"a message may have {8 << 20} bytes at most; this line has more"] * 2
    assert any(answer.get("id") == "honest" for answer in answers)


@pytest.mark.nightly
def test_a_client_on_stdio_that_does_not_read_is_not_read_either():
    """So that its questions wait in its own pipe, and no answer is made before it takes one."""
    command = [sys.executable, "-m", "tests.support.tool_server"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        assert process.stdout.readline()
        before = psutil.Process(process.pid).memory_info().rss
        os.set_blocking(process.stdin.fileno(), False)
        block = identity(b"7") + b"\n"
        written = 0
        # It is stuck when nothing can be written for a while; a busy machine makes this only less of an attack.
        while select.select([], [process.stdin], [], 2)[1] and written < 50_000_000:
            written += process.stdin.write(block * 500) or 0
        assert written < 50_000_000
        assert psutil.Process(process.pid).memory_info().rss < before + (100 << 20)
        process.kill()

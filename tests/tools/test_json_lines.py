"""Lines of JSON-RPC: whatever arrives, in whatever pieces."""

from __future__ import annotations

import json

import mcp_types as types
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.serving.json_lines import LineRefusal, LineTooLong, lines_of, parsed, rendered

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


class Pieces(trio.abc.ReceiveStream):
    """A stream that delivers these pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        return self._pieces.pop(0) if self._pieces else b""

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


def cut(pieces: list[bytes], longest: int) -> list[bytes | LineTooLong]:
    async def collect() -> list[bytes | LineTooLong]:
        return [line async for line in lines_of(Pieces(pieces), longest)]

    return trio.run(collect)


@given(st.lists(st.lists(st.sampled_from([b"a", b"bc", b" ", b"\n", b"\n\n", b"defgh", b"\xff"])).map(b"".join)))
@settings(deadline=None)
def test_lines_are_the_same_in_whatever_pieces_they_arrive(pieces: list[bytes]):
    """Empty ones are left out, too long ones told once, the last needs no newline."""
    expected = [
        LineTooLong(6) if len(line) > 6 else line
        for line in b"".join(pieces).split(b"\n")
        if len(line) > 6 or line.strip()
    ]
    assert cut(pieces, 6) == expected


def test_a_line_without_end_is_told_when_it_is_too_long_and_not_kept():
    """What follows its newline is a line again."""

    async def play() -> None:
        send, receive = trio.testing.memory_stream_one_way_pair()
        lines = lines_of(receive, 100)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send.send_all, b"x" * 150)
            assert await anext(lines) == LineTooLong(100)
            nursery.start_soon(send.send_all, b"x" * 100_000 + b"\nab\n")
            assert await anext(lines) == b"ab"
        await lines.aclose()

    trio.run(play)


@pytest.mark.parametrize(
    ("line", "code", "identity"),
    [
        (b"junk", types.PARSE_ERROR, None),
        (b"\xff\xfe", types.PARSE_ERROR, None),
        (b"[" * 100_000, types.PARSE_ERROR, None),
        (b'{"a":' * 100_000, types.PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', types.PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', types.PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', types.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', types.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":7}', types.INVALID_REQUEST, 7),
        (b'{"jsonrpc":"2.0","id":"a","method":5}', types.INVALID_REQUEST, "a"),
        (b'{"jsonrpc":"1.0","id":true,"method":"ping"}', types.INVALID_REQUEST, None),
        (b"[" + PING + b"]", types.INVALID_REQUEST, None),
        (b"null", types.INVALID_REQUEST, None),
    ],
)
def test_a_line_that_is_no_message_is_answered(line: bytes, code: int, identity: object):
    """With its id where it has a usable one."""
    refusal = parsed(line)
    assert isinstance(refusal, LineRefusal)
    answer = json.loads(rendered(refusal.answer))
    assert (answer["id"], answer["error"]["code"]) == (identity, code)
    assert len(answer["error"]["message"]) <= 300


def test_the_limit_is_named():
    """So that a client knows what to send instead."""
    refusal = parsed(LineTooLong(1234))
    assert isinstance(refusal, LineRefusal)
    assert "1234 bytes" in refusal.answer.error.message


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": json_values,
        "method": st.text() | json_values,
        "params": json_values,
        "result": json_values,
        "error": json_values,
    },
)


@given(st.binary() | (messages | json_values).map(lambda value: json.dumps(value).encode()))
@settings(deadline=None)
def test_whatever_a_line_holds_there_is_a_message_or_an_answer(line: bytes):
    """And the answer is a line of JSON."""
    found = parsed(line)
    text = rendered(found.answer if isinstance(found, LineRefusal) else found)
    assert b"\n" not in text
    json.loads(text)


def test_an_answer_that_cannot_be_encoded_becomes_an_error_with_its_id():
    """Half a surrogate pair is no text."""
    answer = types.JSONRPCResponse(jsonrpc="2.0", id=5, result={"text": "\ud800"})
    assert json.loads(rendered(answer))["error"]["code"] == types.INTERNAL_ERROR
    assert json.loads(rendered(answer))["id"] == 5

"""One message of the protocol a line: cutting input into lines, reading and writing them.

Whatever a line holds, there is an answer to it. Memory is needed for one line of the greatest length.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import mcp_types as types
import trio
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json

MAX_LINE_LENGTH = 8 << 20
MAX_REASON_LENGTH = 300


@dataclass(frozen=True, slots=True)
class LineTooLong:
    """Stands for a line of more than `limit` bytes, none of which are kept."""

    limit: int


@dataclass(frozen=True, slots=True)
class LineRefusal:
    """Stands for a line that is no message."""

    answer: types.JSONRPCError


async def lines_of(
    reader: trio.abc.ReceiveStream, longest: int = MAX_LINE_LENGTH
) -> AsyncGenerator[bytes | LineTooLong]:
    """The lines that are not empty, also the last one if no newline ends it. One that is too long is reported as soon
    as it is, and passed over.
    """
    pending = bytearray()
    is_passed_over = False
    async for chunk in reader:
        *ends, rest = bytes(chunk).split(b"\n")
        for end in ends:
            if not is_passed_over:
                pending += end
                if len(pending) > longest:
                    yield LineTooLong(longest)
                elif pending.strip():
                    yield bytes(pending)
            is_passed_over = False
            pending = bytearray()
        if not is_passed_over:
            pending += rest
        if len(pending) > longest:
            yield LineTooLong(longest)
            is_passed_over, pending = True, bytearray()
    if pending.strip():
        yield bytes(pending)


def parsed(line: bytes | LineTooLong) -> types.JSONRPCMessage | LineRefusal:
    """The message of a line, or what is answered where it has none."""
    if isinstance(line, LineTooLong):
        return _refusal(
            None, types.INVALID_REQUEST, f"a message may have {line.limit} bytes at most; this line has more"
        )
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return _explained(line, error)
    if isinstance(message, types.JSONRPCNotification) and "id" in from_json(line):
        # The SDK takes a request with an odd id for a notification, and its client would wait for ever.
        return _refusal(None, types.INVALID_REQUEST, "the id of a request must be a string or an integer")
    return message


def _explained(line: bytes, error: ValidationError) -> LineRefusal:
    try:
        content = from_json(line)
    except ValueError as problem:
        return _refusal(None, types.PARSE_ERROR, f"this line is no JSON: {problem}")
    identity = content.get("id") if isinstance(content, dict) else None
    is_usable = isinstance(identity, str | int) and not isinstance(identity, bool)
    reasons = {f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False)}
    text = f"this line is no message of JSON-RPC 2.0: {'; '.join(sorted(reasons))}"
    return _refusal(identity if is_usable else None, types.INVALID_REQUEST, text)


def _refusal(identity: str | int | None, code: int, message: str) -> LineRefusal:
    return LineRefusal(_error(identity, code, message))


def rendered(message: types.JSONRPCMessage) -> bytes:
    """A message as JSON without a newline; one that cannot be said in UTF-8 becomes an error with its id."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except (PydanticSerializationError, UnicodeEncodeError):
        identity = getattr(message, "id", None)
        error = _error(identity, types.INTERNAL_ERROR, "the answer cannot be encoded")
        return error.model_dump_json(by_alias=True, exclude_unset=True).encode()


def _error(identity: str | int | None, code: int, message: str) -> types.JSONRPCError:
    data = types.ErrorData(code=code, message=message[:MAX_REASON_LENGTH])
    return types.JSONRPCError(jsonrpc="2.0", id=identity, error=data)

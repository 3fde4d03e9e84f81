"""Length-prefixed MessagePack frames, without input or output, for both ends of a worker's pipes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec

from simulator.encoding import encode_msgpack
from simulator.errors import FrameError

Message = TypeVar("Message")
_HEAD = struct.Struct("<I")
MAX_FRAME = 16 * 2**20


class FrameDecoder(Generic[Message]):
    """Feed bytes as they come, iterate over whole messages.

    Raises `FrameError` for a frame over `max_frame` bytes or one that is not a message of the expected union; the
    stream cannot be used after that, because the place of the next frame is unknown.
    """

    def __init__(self, union: type[Message], max_frame: int = MAX_FRAME) -> None:
        self._decoder: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(union)
        self._buffer = bytearray()
        self._max_frame = max_frame

    def feed(self, data: bytes) -> Iterator[Message]:
        self._buffer += data
        position = 0
        try:
            while (body := self._body_at(position)) is not None:
                position += _HEAD.size + len(body)
                yield self._decode(body)
        finally:
            del self._buffer[:position]

    def _body_at(self, position: int) -> bytes | None:
        start = position + _HEAD.size
        if len(self._buffer) < start:
            return None
        (size,) = _HEAD.unpack_from(self._buffer, position)
        if size > self._max_frame:
            raise FrameError(f"a frame of {size} bytes exceeds the limit of {self._max_frame}")
        if len(self._buffer) < start + size:
            return None
        return bytes(self._buffer[start : start + size])

    def _decode(self, body: bytes) -> Message:
        try:
            return self._decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FrameError(f"not a valid frame: {error}") from error


def encode_frame(message: object) -> bytes:
    """One message as it goes over the pipe. Raises `FrameError` when it is larger than the receiver accepts."""
    body = encode_msgpack(message)
    if len(body) > MAX_FRAME:
        raise FrameError(f"a frame of {len(body)} bytes exceeds the limit of {MAX_FRAME}")
    return _HEAD.pack(len(body)) + body

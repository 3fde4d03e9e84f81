"""Server-sent events for any number of pages: each frame is made once, and every page reads it at its own pace."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import trio

from simulator.encoding import encode_json
from simulator.printable import printable_json

KEPT: Final = 64
"""Frames that a slow page may be behind; one that is further behind gets the whole state again."""
KEEP_ALIVE: Final = 15.0
"""Seconds of silence after which a comment is sent, by which both sides notice that the other is gone."""


def frame(kind: str, data: object, identity: str = "") -> bytes:
    """One event as it travels. Its data is one line of JSON without control characters."""
    text = printable_json(encode_json(data).decode())
    head = f"id: {identity}\n" if identity else ""
    return f"{head}event: {kind}\ndata: {text}\n\n".encode()


class Feed:
    """`opening` gives the frames with the whole state, for a page that knows what came up to a last event id."""

    def __init__(self, opening: Callable[[str], bytes]) -> None:
        self._opening = opening
        self._frames: deque[bytes] = deque(maxlen=KEPT)
        self._sent = 0
        self._changed = trio.Event()
        self._came = trio.Event()
        self._listeners = 0

    @property
    def listeners(self) -> int:
        return self._listeners

    def publish(self, made: bytes) -> None:
        """Send a frame to every page."""
        self._frames.append(made)
        self._sent += 1
        self._wake()

    def restart(self) -> None:
        """Another campaign is shown: all pages get the whole state."""
        self._frames.clear()
        # What was sent before is out of reach, so that every page counts as too far behind.
        self._sent += KEPT + 1
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def until_somebody_listens(self) -> None:
        while not self._listeners:
            await self._came.wait()

    @contextmanager
    def listening(self, last: str) -> Iterator[Listener]:
        """Within the block a page listens, which knows the events up to the id `last`, empty for none."""
        self._listeners += 1
        self._came.set()
        self._came = trio.Event()
        try:
            yield Listener(self, last)
        finally:
            self._listeners -= 1

    def after(self, position: int | None, last: str) -> tuple[bytes, int]:
        """Return the frames that a page lacks after `position`, and its new position; None is a new page."""
        oldest = self._sent - len(self._frames)
        if position is None or position < oldest:
            return self._opening(last), self._sent
        return b"".join(list(self._frames)[position - oldest :]), self._sent

    async def wait(self) -> None:
        """Until something new was published."""
        await self._changed.wait()


class Listener:
    """The position of one page."""

    def __init__(self, feed: Feed, last: str) -> None:
        self._feed = feed
        self._last = last
        self._position: int | None = None

    async def next(self) -> bytes:
        """Return what the page lacks; a comment when nothing came for a while."""
        with trio.move_on_after(KEEP_ALIVE):
            while True:
                data, self._position = self._feed.after(self._position, self._last)
                if data:
                    return data
                await self._feed.wait()
        return b": nothing new\n\n"

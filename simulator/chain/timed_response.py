"""An HTTP response that must be there in time, headers and body together, however slowly it drips in."""

from __future__ import annotations

import http.client
import io
import socket
import time
from collections.abc import Callable
from typing import Any


class _TimedReader(io.RawIOBase):
    """Reads a socket until a deadline; `pulse` is called before each wait. Raises `TimeoutError` after the deadline."""

    def __init__(self, sock: socket.socket, deadline: float, wait: float, pulse: Callable[[], None]) -> None:
        super().__init__()
        self._socket = sock
        # Keeps the socket open while the response is read, also after the connection was told to close.
        self._file = sock.makefile("rb")
        self._deadline = deadline
        self._wait = wait
        self._pulse = pulse

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._pulse()
        rest = self._deadline - time.monotonic()
        if rest <= 0:
            raise TimeoutError
        self._socket.settimeout(min(self._wait, rest))
        return self._socket.recv_into(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def timed_response(deadline: float, wait: float, pulse: Callable[[], None]) -> Callable[..., http.client.HTTPResponse]:
    """A `response_class` for `HTTPConnection`: `deadline` on the monotonic clock, `wait` seconds for each read."""

    def make(sock: socket.socket, *arguments: Any, **options: Any) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(sock, *arguments, **options)
        response.fp.close()
        response.fp = io.BufferedReader(_TimedReader(sock, deadline, wait, pulse))
        return response

    return make

"""One HTTP exchange after the other with one endpoint, over a connection that is kept, within limits of time and
size."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from simulator.endpoint import Endpoint

MAX_REDIRECTS: Final = 3
_PIECE = 1 << 16
_REDIRECTS: Final = frozenset({301, 302, 307, 308})
_REFUSED: Final = frozenset({400, 401, 403, 404, 405, 413, 414, 415})


@dataclass(frozen=True)
class HttpLimits:
    """Seconds for connecting and for each wait, seconds for a whole exchange, bytes of an answer."""

    wait: float = 8.0
    exchange: float = 15.0
    size: int = 64 << 20


class TransportError(Exception):
    """An exchange failed. `transient` says whether trying again may help, `wait` how many seconds the node asked to
    wait first, `status` the HTTP status, where there was one. The message is safe to print."""

    def __init__(self, message: str, *, transient: bool = True, wait: float = 0.0, status: int = 0) -> None:
        super().__init__(message)
        self.transient = transient
        self.wait = wait
        self.status = status


Pulse = Callable[[], None]


class HttpTransport:
    """Synchronous. `pulse` is called now and then while an answer comes in; it may raise to give up."""

    def __init__(self, endpoint: Endpoint, limits: HttpLimits, pulse: Pulse = lambda: None) -> None:
        self.endpoint = endpoint
        self._limits = limits
        self._pulse = pulse
        self._path = endpoint.path
        self._connection: http.client.HTTPConnection | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def post(self, body: bytes) -> bytes:
        """Send a JSON text, return the answer's body. Raises `TransportError`."""
        for _ in range(MAX_REDIRECTS + 1):
            answer = self._exchange(body)
            if answer is not None:
                return answer
        raise TransportError(f"{self.endpoint} redirects again and again", transient=False)

    def _exchange(self, body: bytes) -> bytes | None:
        """One request. None after a redirect on the same host, which is followed next."""
        kept = self._connection is not None
        try:
            return self._try(body)
        except (ConnectionError, http.client.RemoteDisconnected, http.client.CannotSendRequest) as error:
            self.close()
            if not kept:
                raise TransportError(f"{self.endpoint} {_reason(error)}") from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise TransportError(f"{self.endpoint} {_reason(error)}", transient=_is_transient(error)) from error
        except BaseException:
            # Half an answer may be left in the connection.
            self.close()
            raise
        # The node had closed the connection that was kept since the last exchange.
        return self._exchange(body)

    def _try(self, body: bytes) -> bytes | None:
        limits = self._limits
        deadline = time.monotonic() + limits.exchange
        if self._connection is None:
            self._connection = self._connect()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self.endpoint.authorization:
            headers["Authorization"] = self.endpoint.authorization
        factory: Any = timed_response(deadline, limits.wait, self._pulse)
        self._connection.response_class = factory
        if self._connection.sock is not None:
            self._connection.sock.settimeout(limits.wait)
        self._connection.request("POST", self._path, body, headers)
        response = self._connection.getresponse()
        content = self._read(response)
        if response.will_close:
            self.close()
        return self._judge(response, content)

    def _connect(self) -> http.client.HTTPConnection:
        endpoint, wait = self.endpoint, self._limits.wait
        if endpoint.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(endpoint.host, endpoint.port, timeout=wait, context=context)
        return http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=wait)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while piece := response.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > self._limits.size:
                self.close()
                size_text = f"{self._limits.size >> 20} MiB"
                raise TransportError(f"{self.endpoint} sent more than {size_text} at once", transient=False)
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return b"".join(pieces)

    def _judge(self, response: http.client.HTTPResponse, content: bytes) -> bytes | None:
        status = response.status
        if status == 200:
            return content
        if status in _REDIRECTS:
            self._follow(response.getheader("Location", ""))
            return None
        if content.lstrip()[:1] in (b"{", b"[") and status not in (401, 403, 429) and status < 500:
            # Some nodes put JSON-RPC errors under an HTTP error.
            return content
        wait = _seconds(response.getheader("Retry-After", ""))
        transient = status not in _REFUSED
        raise TransportError(f"{self.endpoint} answered HTTP {status}", transient=transient, wait=wait, status=status)

    def _follow(self, location: str) -> None:
        """Another path on the same host, port and scheme; a key must not travel elsewhere."""
        base = str(self.endpoint)
        parts = urlsplit(urljoin(base + self._path, location))
        if f"{parts.scheme}://{parts.netloc}" != base:
            raise TransportError(f"{self.endpoint} redirects to another host, which is not followed", transient=False)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _is_transient(error: Exception) -> bool:
    return not isinstance(error, ssl.SSLCertVerificationError)


def _reason(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"has no valid certificate: {error.verify_message}"
        case TimeoutError():
            return "did not answer in time"
        case socket.gaierror():
            return "cannot be found: the host name has no address"
        case ConnectionRefusedError():
            return "refuses connections"
        case ConnectionError() | http.client.RemoteDisconnected():
            return "closed the connection"
        case OSError() if error.strerror:
            return f"cannot be reached: {error.strerror}"
        case _:
            return f"does not speak HTTP as it should ({type(error).__name__})"


def _seconds(text: str) -> float:
    """A `Retry-After` in seconds; dates are not understood."""
    return float(text) if text.isdigit() and len(text) < 6 else 0.0


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

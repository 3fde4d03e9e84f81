"""A JSON-RPC node for tests: real HTTP on loopback, served by a thread, misbehaving on demand."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Handler = BaseHTTPRequestHandler
BLOCK_HASH = "0x" + 32 * "ab"


def header(number: int, /, **members: Any) -> dict[str, Any]:
    """A block as `eth_getBlockByNumber` answers it."""
    return {
        "hash": BLOCK_HASH,
        "number": hex(number),
        "timestamp": hex(1_700_000_000),
        "miner": "0x" + 20 * "c0",
        "mixHash": "0x" + 32 * "11",
        "difficulty": "0x0",
        "gasLimit": hex(30_000_000),
        "baseFeePerGas": hex(7),
        "withdrawalsRoot": "0x" + 32 * "22",
        **members,
    }


@dataclass
class FakeChain:
    """State of one block. `faults` holds misbehaviours for the next exchanges, in order: `Fault`s or None for none.
    `requests` collects every single call, `exchanges` the number of calls in each HTTP request."""

    chain_id: int = 1
    number: int = 100
    balances: dict[int, int] = field(default_factory=dict)
    nonces: dict[int, int] = field(default_factory=dict)
    codes: dict[int, bytes] = field(default_factory=dict)
    slots: dict[tuple[int, int], int] = field(default_factory=dict)
    members: dict[str, Any] = field(default_factory=dict)
    takes_batches: bool = True
    access_list: list[dict[str, Any]] | None = None
    errors: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: deque[Callable[[Handler], None] | None] = field(default_factory=deque)
    always: Callable[[Handler], None] | None = None
    requests: list[tuple[str, list[Any]]] = field(default_factory=list)
    exchanges: list[int] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        method, params = request["method"], request["params"]
        self.requests.append((method, params))
        base = {"jsonrpc": "2.0", "id": request["id"]}
        if method == "eth_createAccessList" and self.access_list is None:
            return {**base, "error": {"code": -32601, "message": "the method does not exist"}}
        if method in self.errors:
            return {**base, "error": self.errors[method]}
        return {**base, "result": self.result(method, params)}

    def result(self, method: str, params: list[Any]) -> Any:
        match method:
            case "eth_chainId":
                return hex(self.chain_id)
            case "eth_getBlockByNumber":
                number = self.number if params[0] == "latest" else int(params[0], 16)
                own = {"hash": f"0x{number:064x}"} if number != self.number else {}
                return header(number, **{**self.members, **own}) if number <= self.number else None
            case "eth_getBalance":
                return hex(self.balances.get(int(params[0], 16), 0))
            case "eth_getTransactionCount":
                return hex(self.nonces.get(int(params[0], 16), 0))
            case "eth_getCode":
                return "0x" + self.codes.get(int(params[0], 16), b"").hex()
            case "eth_createAccessList" if self.access_list is not None:
                return {"accessList": self.access_list, "gasUsed": "0x0"}
            case "eth_getStorageAt":
                return f"0x{self.slots.get((int(params[0], 16), int(params[1], 16)), 0):064x}"
        raise AssertionError(method)


def status(code: int, body: bytes = b"", **headers: str) -> Callable[[Handler], None]:
    """Answer with an HTTP status."""

    def act(handler: Handler) -> None:
        send(handler, code, body, **headers)

    return act


def text(body: bytes) -> Callable[[Handler], None]:
    """Answer with these bytes, as if all were well."""
    return status(200, body)


def disconnect(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def half_an_answer(handler: Handler) -> None:
    """Promise more than is sent, then close."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"jsonrpc"')
    handler.close_connection = True


def send(handler: Handler, code: int, body: bytes, **headers: str) -> None:
    handler.send_response(code)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def serve(chain: FakeChain) -> Iterator[FakeChain]:
    """Serve a chain; `chain.url` is where."""

    class Serve(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            chain.headers.append(dict(self.headers))
            chain.exchanges.append(len(body) if isinstance(body, list) else 1)
            fault = chain.faults.popleft() if chain.faults else chain.always
            if fault is not None:
                fault(self)
            elif isinstance(body, list) and not chain.takes_batches:
                send(self, 200, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}')
            elif isinstance(body, list):
                send(self, 200, json.dumps([chain.answer(each) for each in reversed(body)]).encode())
            else:
                send(self, 200, json.dumps(chain.answer(body)).encode())

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """Clients that hang up are part of the tests."""

    server = Server(("127.0.0.1", 0), Serve)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    chain.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield chain
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

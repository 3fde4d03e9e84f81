"""Exchanges with one node over real HTTP on loopback."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from simulator.chain.json_rpc import JsonRpc, RpcError, RpcRequest
from simulator.chain.transport import HttpLimits, HttpTransport, TransportError
from simulator.endpoint import parse_endpoints
from simulator.errors import FetchInterruptedError
from tests.support.fake_chain import FakeChain, disconnect, half_an_answer, status, text

MakeNode = Callable[..., JsonRpc]
CHAIN_ID = RpcRequest("eth_chainId")


@pytest.fixture
def node_of() -> Iterator[MakeNode]:
    """Nodes whose connections are closed at the end."""
    made: list[JsonRpc] = []

    def make(chain: FakeChain, limits: HttpLimits | None = None, pulse: Callable[[], None] = lambda: None) -> JsonRpc:
        (endpoint,) = parse_endpoints(chain.url)
        made.append(JsonRpc(HttpTransport(endpoint, limits or HttpLimits(), pulse)))
        return made[-1]

    yield make
    for node in made:
        node.close()


def test_requests_go_out_in_one_batch(chain: FakeChain, node_of: MakeNode) -> None:
    """One exchange; answers are put in the order of the requests, whatever order the node chose."""
    balance = RpcRequest("eth_getBalance", ("0x01", "0x64"))
    chain.balances[1] = 5
    assert node_of(chain).ask([CHAIN_ID, balance, CHAIN_ID]) == ["0x1", "0x5", "0x1"]
    assert chain.exchanges == [3]


def test_long_batches_are_cut(chain: FakeChain, node_of: MakeNode) -> None:
    """Nodes limit the length of a batch."""
    assert len(node_of(chain).ask([CHAIN_ID] * 150)) == 150
    assert chain.exchanges == [64, 64, 22]


def test_a_connection_is_kept(chain: FakeChain, node_of: MakeNode) -> None:
    """No handshake for each request."""
    node = node_of(chain)
    node.ask([CHAIN_ID])
    connection = node.transport._connection
    node.ask([CHAIN_ID])
    assert connection is not None
    assert node.transport._connection is connection


def test_a_kept_connection_that_the_node_closed_is_opened_again(chain: FakeChain, node_of: MakeNode) -> None:
    """That is no failure of the node."""
    node = node_of(chain)
    node.ask([CHAIN_ID])
    assert node.transport._connection is not None
    node.transport._connection.sock.shutdown(socket.SHUT_RDWR)
    assert node.ask([CHAIN_ID]) == ["0x1"]


@pytest.mark.parametrize("refusal", [None, status(400, b"no"), status(413)])
def test_without_batches_requests_go_one_by_one(
    chain: FakeChain, node_of: MakeNode, refusal: Callable[[BaseHTTPRequestHandler], None] | None
) -> None:
    """The node is asked for batches only once."""
    if refusal is None:
        chain.takes_batches = False
    else:
        chain.faults.append(refusal)
    node = node_of(chain)
    assert node.ask([CHAIN_ID] * 2) == ["0x1"] * 2
    assert node.ask([CHAIN_ID] * 2) == ["0x1"] * 2
    assert chain.exchanges == [2, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("fault", "message", "transient"),
    [
        (status(429, Retry_After="7"), "HTTP 429", True),
        (status(500), "HTTP 500", True),
        (status(503, b'{"error": 1}'), "HTTP 503", True),
        (status(401), "HTTP 401", False),
        (status(404, b"<html>"), "HTTP 404", False),
        (text(b"<html>"), "not JSON$", True),
        (text(b"[" * 100_000), "not JSON$", True),
        (text(b"3"), "not JSON-RPC", True),
        (text(b"{}"), "not JSON-RPC", True),
        (text(b'{"jsonrpc":"2.0","id":1}'), "not JSON-RPC", True),
        (text(b'{"jsonrpc":"2.0","id":99,"result":"0x1"}'), "not JSON-RPC", True),
        (disconnect, "closed the connection", True),
        (half_an_answer, "does not speak HTTP", True),
        (status(307, Location="http://elsewhere.example/"), "redirects to another host", False),
        (status(301, Location="https://127.0.0.1/"), "redirects to another host", False),
    ],
)
def test_a_misbehaving_node_is_told_from_a_working_one(
    chain: FakeChain, node_of: MakeNode, fault: Callable[[BaseHTTPRequestHandler], None], message: str, transient: bool
) -> None:
    """Each fault has a message for people, and says whether trying again may help."""
    chain.always = fault
    with pytest.raises(TransportError, match=message) as caught:
        node_of(chain).ask([CHAIN_ID])
    assert caught.value.transient is transient
    assert caught.value.wait == (7 if "429" in message else 0)
    assert str(caught.value).startswith(chain.url)


def test_a_redirect_on_the_same_host_is_followed(chain: FakeChain, node_of: MakeNode) -> None:
    """A few times at most."""
    chain.faults.append(status(307, Location="/other"))
    assert node_of(chain).ask([CHAIN_ID]) == ["0x1"]
    chain.always = status(307, Location="/again")
    with pytest.raises(TransportError, match="again and again"):
        node_of(chain).ask([CHAIN_ID])


def test_a_batch_with_missing_answers_is_refused(chain: FakeChain, node_of: MakeNode) -> None:
    """Nothing is guessed."""
    chain.always = text(b'[{"jsonrpc":"2.0","id":1,"result":"0x1"}, 7]')
    with pytest.raises(TransportError, match="left out answers"):
        node_of(chain).ask([CHAIN_ID] * 2)


def test_an_answer_of_any_size_is_not_read(chain: FakeChain, node_of: MakeNode) -> None:
    """It ends at the limit, and so does the connection."""
    chain.always = text(b" " * 300_000)
    node = node_of(chain, HttpLimits(size=200_000))
    with pytest.raises(TransportError, match="at once") as caught:
        node.ask([CHAIN_ID])
    assert not caught.value.transient
    assert node.transport._connection is None


def test_an_answer_that_does_not_come_is_not_waited_for(chain: FakeChain, node_of: MakeNode) -> None:
    """A silent node costs the time of one wait, a dripping one that of one exchange."""
    release = threading.Event()

    def hang(_: BaseHTTPRequestHandler) -> None:
        release.wait(20)

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        while not release.wait(0.01):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    for fault, limits in ((hang, HttpLimits(wait=0.05)), (drip, HttpLimits(exchange=0.1))):
        chain.faults.append(fault)
        with pytest.raises(TransportError, match="did not answer in time"):
            node_of(chain, limits).ask([CHAIN_ID])
    release.set()


def test_a_pulse_can_end_an_exchange(chain: FakeChain, node_of: MakeNode) -> None:
    """The connection is then closed, because half an answer may be left in it."""

    def stop() -> None:
        raise FetchInterruptedError("stop")

    node = node_of(chain, pulse=stop)
    with pytest.raises(FetchInterruptedError):
        node.ask([CHAIN_ID])
    assert node.transport._connection is None


@pytest.mark.parametrize(
    ("error", "transient", "lacks_state"),
    [
        ({"code": -32005, "message": "daily request count exceeded"}, True, False),
        ({"code": 429, "message": "Too Many Requests"}, True, False),
        ({"code": -32603, "message": "internal error"}, True, False),
        ({"code": -32000, "message": "missing trie node 01ab (path )"}, False, True),
        ({"code": -32000, "message": "header not found"}, True, True),
        ({"code": -32001, "message": "historical state unavailable: archive node needed"}, False, True),
        ({"code": -32602, "message": "invalid argument"}, False, False),
    ],
)
def test_errors_of_the_node_are_sorted(
    chain: FakeChain, node_of: MakeNode, error: dict[str, object], transient: bool, lacks_state: bool
) -> None:
    """Those worth another try, and those that ask for another node."""
    chain.errors["eth_chainId"] = error
    (answer,) = node_of(chain).ask([CHAIN_ID])
    assert isinstance(answer, RpcError)
    assert (answer.transient, answer.lacks_state) == (transient, lacks_state)


def test_user_and_password_are_sent_and_never_shown(chain: FakeChain, node_of: MakeNode) -> None:
    """As a header, not as part of the URL; and not in a message that repeats them."""
    chain.url = chain.url.replace("http://", "http://me:hush-hush@") + "/v1/secretkey"
    chain.errors["eth_chainId"] = {"code": 1, "message": "secretkey is no\nproject"}
    (answer,) = node_of(chain).ask([CHAIN_ID])
    assert chain.headers[0]["Authorization"] == "Basic bWU6aHVzaC1odXNo"
    assert "*** is no project" in str(answer)


def test_nothing_listens(node_of: MakeNode) -> None:
    """Said as it is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    node = node_of(FakeChain(url=f"http://127.0.0.1:{port}"))
    with pytest.raises(TransportError, match="refuses connections"):
        node.ask([CHAIN_ID])
    node = node_of(FakeChain(url="http://name.invalid"))
    with pytest.raises(TransportError, match="cannot be found"):
        node.ask([CHAIN_ID])


def test_a_certificate_is_verified(chain: FakeChain, node_of: MakeNode) -> None:
    """A node that does not speak TLS is not spoken to in plain text."""
    chain.url = chain.url.replace("http://", "https://")
    with pytest.raises(TransportError):
        node_of(chain).ask([CHAIN_ID])
    assert chain.requests == []

"""Retries and failover, with nodes that fail by a script and time that passes only by waiting."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from simulator.chain.client import ChainClient, ChainNode
from simulator.chain.json_rpc import Answer, RpcError, RpcRequest
from simulator.chain.patience import Patience
from simulator.chain.transport import TransportError
from simulator.chain.values import MalformedValueError
from simulator.errors import ChainError, ChainLostError, ChainUnavailableError, FetchInterruptedError
from tests.simulator.chain.conftest import FakeTime

ASKED = [RpcRequest("eth_chainId")]


@dataclass
class Script:
    """A node that does these things one after the other, then answers."""

    steps: list[Exception] = field(default_factory=list)
    forever: Exception | None = None
    asked: int = 0

    def ask(self, requests: list[RpcRequest]) -> list[Answer]:
        self.asked += 1
        fault = self.steps.pop(0) if self.steps else self.forever
        if isinstance(fault, RpcError):
            return [fault] * len(requests)
        if fault is not None:
            raise fault
        return ["0x1"] * len(requests)

    def close(self) -> None:
        pass


def client_of(time: FakeTime, *nodes: ChainNode, **options: object) -> ChainClient:
    named = [(f"node {index}", node) for index, node in enumerate(nodes)]
    return ChainClient(named, time.clock(), **options)  # type: ignore[arg-type]


def busy(wait: float = 0.0) -> TransportError:
    return TransportError("busy", wait=wait)


def test_a_passing_fault_is_tried_again_with_growing_waits(time: FakeTime) -> None:
    """A quarter of a second first, then twice as much each time, with some chance; the pulse continues."""
    node = Script([busy() for _ in range(4)])
    assert client_of(time, node).ask(ASKED) == ["0x1"]
    waited = time.now - 1000
    assert 0.75 * 3.75 <= waited <= 1.25 * 3.75
    assert time.pulses >= waited / 0.2


def test_a_node_that_asks_to_wait_is_given_that_time(time: FakeTime) -> None:
    """`Retry-After`, as long as patience lasts."""
    assert client_of(time, Script([busy(7)])).ask(ASKED) == ["0x1"]
    assert time.now == pytest.approx(1007)
    with pytest.raises(ChainUnavailableError):
        client_of(time, Script([busy(70)])).ask(ASKED)
    assert time.now == pytest.approx(1007)


def test_another_endpoint_stands_in_at_once(time: FakeTime) -> None:
    """Without any wait, and it stays the first one."""
    bad, good = Script(forever=busy()), Script()
    client = client_of(time, bad, good)
    assert client.ask(ASKED) == client.ask(ASKED) == ["0x1"]
    assert (bad.asked, good.asked, time.now) == (1, 2, 1000)


def test_an_endpoint_without_the_state_is_left_for_good(time: FakeTime) -> None:
    """When it was the last one, the message says what is needed."""
    pruned = RpcError("node 0: missing trie node", transient=False, lacks_state=True)
    bad, good = Script(forever=pruned), Script()
    client = client_of(time, bad, good)
    client.ask(ASKED)
    client.ask(ASKED)
    assert bad.asked == 1
    with pytest.raises(ChainError, match="missing trie node: the state of this block needs an archive node") as caught:
        client_of(time, bad).ask(ASKED)
    assert not isinstance(caught.value, ChainUnavailableError)
    assert time.now == 1000


def test_a_late_node_is_waited_for(time: FakeTime) -> None:
    """Nodes behind a balancer may not know the newest block yet."""
    late = RpcError("header not found", transient=True, lacks_state=True)
    assert client_of(time, Script([late])).ask(ASKED) == ["0x1"]
    with pytest.raises(ChainUnavailableError, match="needs an archive node"):
        client_of(time, Script(forever=late)).ask(ASKED)


def test_patience_ends(time: FakeTime) -> None:
    """After 25 seconds; after five when the last fetch failed too, until an answer comes."""
    node = Script(forever=busy())
    client = client_of(time, node)
    for least, most in ((20, 25), (0, 5)):
        began = time.now
        with pytest.raises(ChainUnavailableError, match=r"^busy$"):
            client.ask(ASKED)
        assert least < time.now - began <= most
    node.forever = None
    client.ask(ASKED)
    node.forever = busy()
    began = time.now
    with pytest.raises(ChainUnavailableError):
        client.ask(ASKED)
    assert time.now - began > 20


def test_a_chain_that_stays_away_is_lost(time: FakeTime) -> None:
    """Two minutes and three failed fetches after its last answer."""
    client = client_of(time, Script(forever=busy()))
    for _ in range(2):
        with pytest.raises(ChainUnavailableError):
            client.ask(ASKED)
        time.now += 100
    with pytest.raises(ChainLostError, match=r"out of reach for 2[0-9]{2} s: busy"):
        client.ask(ASKED)


def test_work_that_ends_ends_the_fetch(time: FakeTime) -> None:
    """It is no fault of the endpoint."""

    class Stopped(Script):
        def ask(self, requests: list[RpcRequest]) -> list[Answer]:
            raise FetchInterruptedError("stop")

    with pytest.raises(FetchInterruptedError):
        client_of(time, Stopped(), Script()).ask(ASKED)


def test_an_unknown_method_is_an_answer(time: FakeTime) -> None:
    """The caller decides what it means."""
    unknown = RpcError("no such method", transient=False, no_method=True)
    assert client_of(time, Script([unknown])).ask(ASKED) == [unknown]


def test_an_endpoint_is_checked_before_it_is_believed(time: FakeTime) -> None:
    """Once; one on another chain is left for good."""
    checked: list[ChainNode] = []
    wrong, right = Script(), Script()

    def check(node: ChainNode) -> None:
        checked.append(node)
        if node is wrong:
            raise ChainError("another chain")

    client = client_of(time, wrong, right, check=check)
    assert client.ask(ASKED) == client.ask(ASKED) == ["0x1"]
    assert checked == [wrong, right]
    assert (wrong.asked, right.asked) == (0, 2)
    with pytest.raises(ChainError, match=r"^another chain$"):
        client_of(time, wrong, check=check).ask(ASKED)


def test_a_check_that_is_not_understood_is_repeated(time: FakeTime) -> None:
    """Garbage is a passing fault there too."""
    faults = [MalformedValueError("garbage")]

    def check(_: ChainNode) -> None:
        if faults:
            raise faults.pop()

    client = client_of(time, Script(), check=check, patience=Patience())
    assert client.ask(ASKED) == ["0x1"]
    assert time.now > 1000

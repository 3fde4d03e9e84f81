"""The bridge's side of one node, with a host that answers what it likes."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.executors.messages import WINDOW, Exited, FromBridge, ProcessOutput
from simulator.worker.frame import PROTOCOL_VERSION
from tests.support.patience import PATIENCE

if importlib.util.find_spec("ray") is None:
    pytest.skip("Ray is not installed: monotreme[ray]", allow_module_level=True)

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

VERSION = importlib.metadata.version("monotreme")
GREETING = {
    "version": VERSION,
    "protocol": PROTOCOL_VERSION,
    "kernel": "k",
    "has_kernel": True,
    "cores": 4,
    "niceness": 0,
}


class Answer:
    """A method of an actor: each call is answered by the function, the last answer for ever."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self._answer = answer

    def remote(self, *arguments: Any) -> Any:
        async def later() -> Any:
            await asyncio.sleep(0)
            return self._answer(*arguments)

        return later()


class FakeHost:
    def __init__(self, greeting: Any = GREETING, poll: Callable[..., Any] = lambda wants: {}) -> None:
        self.hello = Answer(lambda: greeting)
        self.install_project = Answer(lambda *_: None)
        self.start = Answer(lambda *_: 7)
        self.wake = Answer(lambda: None)
        self.poll = Answer(poll)


def linked(monkeypatch: pytest.MonkeyPatch, host: FakeHost, say: list[FromBridge]) -> Any:
    from actors.executors.ray_bridge import node_link

    class Remote:
        def options(self, **_: object) -> Remote:
            return self

        def remote(self, *_: object) -> FakeHost:
            return host

    class Ray:
        def remote(self, _: object) -> Remote:
            return Remote()

        def put(self, data: bytes) -> bytes:
            return data

        def kill(self, _: object) -> None:
            pass

    monkeypatch.setattr(node_link, "ray", Ray())
    return node_link.NodeLink("a" * 56, "10.0.0.2", 120.0, say.append)


def content() -> Any:
    from actors.executors.ray_bridge.node_link import Content

    return Content(b"project", "", b"")


@pytest.mark.parametrize("other", [{"version": "0.0.1\x1b[31m"}, {"protocol": PROTOCOL_VERSION - 1}])
def test_a_node_with_another_version_is_refused_with_a_sentence(other: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    from actors.executors.ray_bridge.node_link import NodeRefusedError

    link = linked(monkeypatch, FakeHost({**GREETING, **other}), [])
    with pytest.raises(NodeRefusedError, match=r"is installed there, not") as raised:
        asyncio.run(link.open(VERSION, content()))
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("greeting", [None, {}, {**GREETING, "protocol": "many"}, [1, 2]])
def test_a_greeting_that_is_none_is_the_nodes_failure(greeting: Any, monkeypatch: pytest.MonkeyPatch):
    from actors.executors.ray_bridge.node_link import HostFailedError

    link = linked(monkeypatch, FakeHost(greeting), [])
    with pytest.raises(HostFailedError, match="breaks the protocol"):
        asyncio.run(link.open(VERSION, content()))


def test_a_node_whose_workers_keep_rays_niceness_is_told_of_with_the_setting(monkeypatch: pytest.MonkeyPatch):
    link = linked(monkeypatch, FakeHost({**GREETING, "niceness": 15}), [])
    said = asyncio.run(link.open(VERSION, content()))
    assert "niceness 15" in said
    assert "RAY_worker_niceness=0 ray start" in said


def forged(*heard: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda wants: dict.fromkeys(wants, heard)


@pytest.mark.parametrize(
    "poll",
    [
        forged(0, bytes(WINDOW + 1), False, None, b"", 0, None),  # more than was asked for
        forged(1 << 40, b"x", False, None, b"", 0, None),  # out of place
        forged(0, "text", False, None, b"", 0, None),
        forged(0, b"", False, 1 << 80, b"", 0, None),
        forged(0),
        lambda wants: 5,
        lambda wants: 1 // 0,
    ],
)
def test_a_node_that_answers_nonsense_costs_its_own_workers(poll: Any, monkeypatch: pytest.MonkeyPatch):
    """The supervisor hears that they are gone, and what is said can be sent to it."""
    from simulator.worker.framing import encode_frame

    said: list[FromBridge] = []
    link = linked(monkeypatch, FakeHost(poll=poll), said)

    def tell(message: FromBridge) -> None:
        encode_frame(message)
        said.append(message)

    link._tell = tell

    async def run() -> None:
        await link.open(VERSION, content())
        await link.start("0.0", ())
        async with asyncio.timeout(PATIENCE):
            while link.lost is None:  # noqa: ASYNC110  # links tell nobody but the supervisor
                await asyncio.sleep(0.01)

    asyncio.run(run())
    assert [message.cut_off for message in said if isinstance(message, Exited)] == [True]
    assert sum(len(message.data) for message in said if isinstance(message, ProcessOutput)) <= WINDOW


def test_what_a_node_says_of_other_workers_is_not_heard(monkeypatch: pytest.MonkeyPatch):
    """A key that is not one of its own, or was given up, is nobody's."""
    said: list[FromBridge] = []
    polls = 0

    def poll(wants: dict[str, Any]) -> Any:
        nonlocal polls
        polls += 1
        return {"1.7": (0, b"forged", True, 0, b"", 0, None)}

    link = linked(monkeypatch, FakeHost(poll=poll), said)

    async def run() -> None:
        await link.open(VERSION, content())
        await link.start("0.0", ())
        async with asyncio.timeout(PATIENCE):
            while polls < 3:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        link.close()

    asyncio.run(run())
    assert said == []


def test_a_project_cannot_name_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What arrives is put under its digest, and only if that is the content's."""
    from actors.executors.ray_bridge.node_files import NodeFiles

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for digest in ("../../etc", "0" * 63, "0" * 64 + "/x", "", "0" * 64):
        with pytest.raises(ValueError, match="digest"):
            NodeFiles().install_project(digest, b"content")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.read_bytes()]

"""The host of a cluster's node, without a cluster: what it says of its processes, and when."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.executors.messages import WINDOW
from actors.executors.ray_bridge import host as host_module
from actors.executors.ray_bridge.host import NodeHost
from simulator.transaction import Sequence, Transaction
from simulator.worker.framing import encode_frame
from simulator.worker.reports import Done, Heartbeat, Hello
from tests.support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
WANT = (0, WINDOW)
ENDLESS = 1e9


def saying(*frames: object) -> tuple[str, ...]:
    """A process that says this and waits for the end of its input."""
    data = b"".join(map(encode_frame, frames))
    return (sys.executable, "-c", f"import os; os.write(1, {data!r}); os.read(0, 1)")


def with_host(script: Callable[[NodeHost], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        host = NodeHost(ENDLESS, 0.0, ENDLESS)
        host._news, host._poked = asyncio.Event(), asyncio.Event()
        async with asyncio.timeout(PATIENCE):
            try:
                return await script(host)
            finally:
                for key in list(host._workers):
                    await host.end(key)

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Telemetry waits for ever."""
    monkeypatch.setattr(host_module, "MAX_INTERVAL", ENDLESS)
    monkeypatch.setattr(host_module, "POLL_SECONDS", ENDLESS)


async def has_spoken(host: NodeHost, key: str) -> None:
    while not host._workers[key]._out:  # noqa: ASYNC110  # workers tell nobody but the bridge
        await asyncio.sleep(0.01)


def test_what_cannot_wait_leaves_telemetry_of_others_to_gather():
    async def script(host: NodeHost) -> None:
        await host.start("beating", saying(Heartbeat(1, 1, 1, 1)))
        await host.start("done", saying(Done(1, "finished")))
        await has_spoken(host, "beating")
        await has_spoken(host, "done")
        answer = await host.poll({"beating": WANT, "done": WANT})
        assert list(answer) == ["done"]
        assert answer["done"][1] == encode_frame(Done(1, "finished"))

    with_host(script)


def test_a_poll_that_is_woken_brings_all_there_is():
    async def script(host: NodeHost) -> None:
        await host.start("beating", saying(Heartbeat(1, 1, 1, 1)))
        await has_spoken(host, "beating")
        poll = asyncio.create_task(host.poll({"beating": WANT}))
        await asyncio.sleep(0)
        await host.wake()
        answer = await poll
        assert answer["beating"][1] == encode_frame(Heartbeat(1, 1, 1, 1))

    with_host(script)


def test_a_process_that_nobody_knows_has_ended():
    async def script(host: NodeHost) -> None:
        answer = await host.poll({"gone": (7, WINDOW)})
        assert answer == {"gone": (7, b"", True, -9, b"the process is unknown on its node", 0, None)}

    with_host(script)


def test_what_a_process_executed_when_it_crashed_is_known_at_its_end():
    calls = (Transaction(bytes(20), bytes(20), b"deadly"),)
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from simulator.fuzz.sharing.shared_memory import inherited_memory
from simulator.transaction import Transaction
with inherited_memory().holding(({calls[0]!r},)):
    os.kill(os.getpid(), signal.SIGSEGV)
"""

    async def script(host: NodeHost) -> tuple[int | None, bytes]:
        await host.start("one", (sys.executable, "-c", program))
        code = None
        while code is None:
            answer = await host.poll({"one": WANT})
            code = answer["one"][3] if "one" in answer else None
        return code, await host.end("one")

    code, executed = with_host(script)
    assert code == -signal.SIGSEGV
    assert msgspec.msgpack.decode(executed, type=Sequence) == calls


def test_one_host_serves_a_process_from_its_first_frame_to_its_end():
    """Nothing of the output is given twice or left out, whatever the credit."""
    frames = [Hello(1, 1), *(Heartbeat(calls, 0, 0, 0) for calls in range(50)), Done(50, "finished")]
    data = b"".join(map(encode_frame, frames))

    async def script(host: NodeHost) -> tuple[bytes, int | None]:
        await host.start("one", saying(*frames))
        await host.send_many((("one", 0, b"x"),))
        heard, code = bytearray(), None
        while code is None or len(heard) < len(data):
            answer = await host.poll({"one": (len(heard), 100)})
            if "one" in answer:
                heard += answer["one"][1]
                code = answer["one"][3]
        return bytes(heard), code

    assert with_host(script) == (data, 0)

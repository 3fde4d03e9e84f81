"""The executor port over a bridge: workers on the nodes of a cluster."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable

import trio

from actors.executors.bridge import Bridge, BridgeLost, BridgeStream
from actors.executors.messages import Connect, Node
from actors.executors.remote_process import RemoteProcess

CONNECT_SECONDS = 120.0
RECONNECT_SECONDS = 600.0
"""A cluster that was there and is gone is waited for so long, once for all workers; then it is given up."""
_FIRST_PAUSE, _MAX_PAUSE = 1.0, 30.0

OpenStream = Callable[[], Awaitable[BridgeStream]]


class RemoteSpawner:
    """Starts workers behind a bridge, which is opened anew when it was lost.

    Keys of all bridges differ, so that no answer of an earlier one is taken for a later one's. `say` gets lines for the
    user; `on_nodes` hears that `nodes` has changed.
    """

    def __init__(
        self,
        open_stream: OpenStream,
        connect: Connect,
        nursery: trio.Nursery,
        say: Callable[[str], None],
        on_nodes: Callable[[], None] = lambda: None,
    ) -> None:
        self._open_stream = open_stream
        self._connect = connect
        self._nursery = nursery
        self._say = say
        self._on_nodes = on_nodes
        self._bridge: Bridge | None = None
        self._opening = trio.Lock()
        self._given_up = ""
        self._numbers = itertools.count()

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Nodes of the cluster, as last heard."""
        return self._bridge.nodes if self._bridge is not None else ()

    async def open(self) -> Bridge:
        """The bridge, connected. A cluster that was there before is waited for. Raises `BridgeLost`."""
        async with self._opening:
            if self._given_up:
                raise BridgeLost(self._given_up)
            if self._bridge is None:
                self._bridge = await self._open_once()
            elif self._bridge.lost is not None:
                self._bridge = await self._open_again(self._bridge.lost)
            return self._bridge

    async def _open_again(self, reason: str) -> Bridge:
        self._say(f"{reason}; waiting for the cluster, for {RECONNECT_SECONDS:g} s at most")
        end, pause = trio.current_time() + RECONNECT_SECONDS, _FIRST_PAUSE
        while True:
            try:
                bridge = await self._open_once()
            except BridgeLost as error:
                if trio.current_time() + pause > end:
                    self._given_up = f"the cluster did not come back within {RECONNECT_SECONDS:g} s: {error}"
                    raise BridgeLost(self._given_up) from error
                await trio.sleep(pause)
                pause = min(2 * pause, _MAX_PAUSE)
            else:
                self._say("the cluster is back")
                return bridge

    async def _open_once(self) -> Bridge:
        try:
            stream = await self._open_stream()
        except OSError as error:
            raise BridgeLost(f"the bridge to the cluster: {error.strerror or error}") from error
        bridge = Bridge(stream, self._say, self._on_nodes)
        stop = await self._nursery.start(bridge.run, self._connect)
        with trio.move_on_after(CONNECT_SECONDS) as patience:
            await bridge.connected.wait()
        if patience.cancelled_caught:
            stop.cancel()
            raise BridgeLost(f"no cluster answered within {CONNECT_SECONDS:g} s")
        if bridge.lost is not None:
            raise BridgeLost(bridge.lost)
        return bridge

    async def __call__(self, worker: int) -> RemoteProcess:
        bridge = await self.open()
        return await bridge.start(f"{worker}.{next(self._numbers)}", worker)

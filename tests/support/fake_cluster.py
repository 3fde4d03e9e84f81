"""A bridge to a cluster of fake workers: real messages over a memory stream, so that a campaign runs through it under
the mock clock. `lose` ends the bridge as a lost head would; `deaf` keys are workers whose node is cut off."""

from __future__ import annotations

import trio
import trio.testing

from actors.executors.messages import (
    ClusterRefused,
    Connect,
    Connected,
    Consumed,
    End,
    Ended,
    Exited,
    FromBridge,
    Node,
    Nodes,
    OutputEnded,
    ProcessMeasured,
    ProcessOutput,
    Send,
    Start,
    Started,
    ToBridge,
    Written,
)
from simulator.worker.framing import FrameDecoder, encode_frame
from tests.support.fake_worker import FakeProcess, FakeSpawner

NODE = Node("n1", "10.0.0.1", 4)


class FakeBridge:
    """The bridge's end of one connection. `refusal` makes it refuse, as where there is no cluster."""

    def __init__(self, spawner: FakeSpawner, refusal: str = "") -> None:
        self.ours, self.theirs = trio.testing.memory_stream_pair()
        self.spawner = spawner
        self.refusal = refusal
        self.processes: dict[str, FakeProcess] = {}
        self.consumed: dict[str, int] = {}
        self.starts: list[str] = []
        self.deaf: set[str] = set()
        self.life = trio.CancelScope()
        self._speaking = trio.Lock()

    # --- BridgeStream ------------------------------------------------------------------------------------------------

    async def send_all(self, data: bytes) -> None:
        await self.ours.send_all(data)

    async def receive_some(self) -> bytes:
        return bytes(await self.ours.receive_some(65_536))

    async def end(self, patience: float) -> str:
        self.lose()
        await trio.lowlevel.checkpoint()
        return ""

    # --- the cluster -------------------------------------------------------------------------------------------------

    def lose(self) -> None:
        """What is behind the bridge ends with it."""
        self.life.cancel()
        for process in self.processes.values():
            process.life.cancel()
        self.theirs.send_stream.close()
        self.theirs.receive_stream.close()

    async def lose_node(self, key: str, reason: str = "node 10.0.0.1 has left the cluster") -> None:
        """The node of this process vanishes, and the process with it."""
        self.deaf.add(key)
        self.processes[key].life.cancel()
        await self.say(OutputEnded(key))
        await self.say(Exited(key, -9, reason.encode(), cut_off=True))

    async def serve(self) -> None:
        with self.life:
            async with trio.open_nursery() as nursery:
                decoder: FrameDecoder[ToBridge] = FrameDecoder(ToBridge)  # type: ignore[arg-type]
                while data := await self.theirs.receive_some(65_536):
                    for message in decoder.feed(bytes(data)):
                        await self._obey(message, nursery)
                nursery.cancel_scope.cancel()

    async def say(self, message: FromBridge) -> None:
        async with self._speaking:
            await self.theirs.send_all(encode_frame(message))

    async def _obey(self, message: ToBridge, nursery: trio.Nursery) -> None:
        match message:
            case Connect():
                await self.say(ClusterRefused(self.refusal) if self.refusal else Connected())
                if not self.refusal:
                    await self.say(Nodes((NODE,)))
            case Start(key=key, worker=worker):
                self.starts.append(key)
                process = self.processes[key] = await self.spawner(worker)
                await self.say(Started(key, process.pid, NODE.address))
                nursery.start_soon(self._relay, key, process)
            case Send(key=key, data=data):
                if key not in self.deaf:
                    await self.processes[key].send(data)
                    await self.say(Written(key, 1 << 40))
            case Consumed(key=key, total=total):
                self.consumed[key] = total
            case End(key=key):
                await self.processes[key].end()
                await self.say(Ended(key, self.processes[key].executing))

    async def _relay(self, key: str, process: FakeProcess) -> None:
        await self.say(ProcessMeasured(key, 50 << 20, 1.5))
        while data := await process.receive():
            if key not in self.deaf:
                await self.say(ProcessOutput(key, data))
        await self.say(OutputEnded(key))
        await self.say(Exited(key, await process.wait(), b"last words"))


class FakeCluster:
    """Opens bridges, one after the other. `refusals` are used up first."""

    def __init__(self, nursery: trio.Nursery, spawner: FakeSpawner) -> None:
        self.nursery = nursery
        self.spawner = spawner
        self.refusals: list[str] = []
        self.bridges: list[FakeBridge] = []

    async def open_stream(self) -> FakeBridge:
        bridge = FakeBridge(self.spawner, self.refusals.pop(0) if self.refusals else "")
        self.bridges.append(bridge)
        self.nursery.start_soon(bridge.serve)
        await trio.lowlevel.checkpoint()
        return bridge

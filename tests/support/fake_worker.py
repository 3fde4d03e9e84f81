"""A worker that speaks the real frames without an EVM: what it finds follows from its seed alone.

`FakeBrain` answers commands with frames and is used in two ways: behind an in-memory process under the mock clock
(`FakeProcess`), and in a real process (`fake_worker_program.py`).
"""

from __future__ import annotations

import random
import struct
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

import trio
import trio.testing

from actors.workers.process import Usage
from simulator.coverage.code_map import CodeMap
from simulator.transaction import Transaction, address_bytes
from simulator.worker.commands import (
    Adopt,
    CloseTest,
    Execute,
    Focus,
    Fuzz,
    Inject,
    Replay,
    Setup,
    Shrink,
    Stop,
    Together,
    ToWorker,
)
from simulator.worker.frame import PROTOCOL_VERSION
from simulator.worker.framing import FrameDecoder, encode_frame
from simulator.worker.reports import (
    CallOutcome,
    Coverage,
    Done,
    Executed,
    Falsified,
    FromWorker,
    FunctionInfo,
    Heartbeat,
    Hello,
    Injected,
    Interesting,
    Ready,
    Shrunk,
    TestInfo,
    Words,
)

LENGTH = 10
_MOMENT = 1e-6
"""Seconds of the mock clock in which what is on its way arrives."""
CODE = CodeMap("Fake.sol:Fake", "runtime", tuple(range(0, 80, 10)), tuple(range(10, 90, 10)), (5, 15, 25, 35))
TESTS = (
    TestInfo(0, "echidna_first", "property", "Fake"),
    TestInfo(1, "echidna_second", "property", "Fake"),
    TestInfo(2, "echidna_holds", "property", "Fake"),
)
FUNCTIONS = (
    FunctionInfo("Fake", "poke(uint256)", b"\x01\x02\x03\x04", False),
    FunctionInfo("Fake", "give(address,uint256)", b"\x05\x06\x07\x08", False),
)
SELECTOR = b"\x01\x02\x03\x04"
DEADLY = Transaction(address_bytes(0x10000), address_bytes(0xA), SELECTOR + b"\xdd" * 32)


@dataclass
class FakeScript:
    """`falsify` maps a test to the number of calls after which it fails; the other numbers are calls as well. After
    `deadly_after` a process makes sequences of which it dies, and so does any that replays one, until a function is
    excluded."""

    falsify: dict[int, int] = field(default_factory=lambda: {0: 3_000, 1: 7_000})
    new_coverage_every: int = 700
    most_coverage: int = 12
    heartbeat_every: int = 1_000
    crash_after: int | None = None
    silent_after: int | None = None
    deadly_after: int | None = None
    crash_in_shrink: bool = False
    never_minimal: bool = False


class CrashedError(Exception):
    """The fake worker is to die here."""


class SilentError(Exception):
    """The fake worker is to hang here."""


class FakeBrain:
    """One process's life. `answer` yields the frames that a command causes, in order."""

    def __init__(self, script: FakeScript | None = None) -> None:
        self.script = script or FakeScript()
        self.calls = 0
        self.sequences = 0
        self.points = 0
        self.closed: set[int] = set()
        self.adopted = 0
        self.replayed = 0
        self.commands: list[ToWorker] = []
        self.rng = random.Random(0)
        self.executing: tuple[Transaction, ...] = ()
        self.is_restrained = False
        self.has_finished = False
        self.beyond = 0

    def answer(self, command: ToWorker) -> Iterator[FromWorker]:
        if isinstance(command, Together):
            for each in command.commands:
                yield from self.answer(each)
            return
        self.commands.append(command)
        match command:
            case Setup():
                self.rng = random.Random(command.seed)
                yield Ready(TESTS, FUNCTIONS, (CODE,), ((address_bytes(0xA), "Fake"),))
            case Fuzz():
                yield from self._fuzz_piece(command)
            case Focus():
                self.is_restrained = bool(command.excluded)
            case Replay():
                self._die_of(command.sequences)
                self.replayed += len(command.sequences)
                yield Done(sum(map(len, command.sequences)), "finished")
            case Shrink():
                yield from self.shrink(command)
            case CloseTest():
                self.closed.add(command.test)
            case Inject():
                yield Injected(command.id, covered=False)
            case Execute():
                yield Executed(command.id, (CallOutcome(True, b"", 21_000, "success"),) * len(command.sequence), ())
            case Adopt():
                self.adopted += len(command.sequences)
            case _:
                pass

    def _fuzz_piece(self, command: Fuzz) -> Iterator[FromWorker]:
        if command.ahead and not self.has_finished:
            yield Done(0, "interrupted")
            return
        self.has_finished = False
        wanted = command.calls - (self.beyond if command.ahead else 0)
        for frame in self.fuzz(wanted):
            if isinstance(frame, Done):
                self.has_finished, self.beyond = frame.reason == "finished", frame.calls - wanted
            yield frame

    def fuzz(self, calls: int) -> Iterator[FromWorker]:
        done = 0
        while done < calls:
            done += LENGTH
            self._check_faults()
            yield from self._run_sequence()
            if (found := self._failing_test()) is not None:
                self.closed.add(found)
                yield Falsified(found, self.sequence(), f"{TESTS[found].name} returned false")
                yield self.heartbeat()
                yield Done(done, "falsified")
                return
        yield self.heartbeat()
        yield Done(done, "finished")

    def _check_faults(self) -> None:
        if self.script.crash_after is not None and self.calls >= self.script.crash_after:
            raise CrashedError
        if self.script.silent_after is not None and self.calls >= self.script.silent_after:
            raise SilentError
        after = self.script.deadly_after
        if after is not None and self.calls >= after and not self.is_restrained:
            self._die_of(((*self.sequence(), DEADLY),))

    def _die_of(self, sequences: tuple[tuple[Transaction, ...], ...]) -> None:
        for sequence in sequences:
            if sequence[-1] == DEADLY:
                self.executing = sequence
                raise CrashedError

    def _run_sequence(self) -> Iterator[FromWorker]:
        before = self.calls
        self.calls += LENGTH
        self.sequences += 1
        if before // self.script.heartbeat_every != self.calls // self.script.heartbeat_every:
            yield self.heartbeat()
        step = self.script.new_coverage_every
        if before // step != self.calls // step and self.points < min(self.script.most_coverage, CODE.cells):
            yield Coverage(0, struct.pack("<I", self.points), struct.pack("<Q", 1 + self.rng.randrange(100)))
            self.points += 1
            yield Interesting(self.sequence(), self.points, 1)
            yield Words((self.rng.randbytes(32),))

    def _failing_test(self) -> int | None:
        for test, after in self.script.falsify.items():
            if test not in self.closed and self.calls >= after:
                return test
        return None

    def shrink(self, command: Shrink) -> Iterator[FromWorker]:
        sequence, attempts = command.sequence, 0
        while attempts < command.attempts:
            attempts += 1
            minimal = len(sequence) <= 2 and not self.script.never_minimal
            trace = ("Fake::poke(1)",) if minimal else ()
            yield Shrunk(command.test, sequence, attempts, minimal, "returned false", trace)
            if self.script.crash_in_shrink:
                raise CrashedError
            if minimal:
                break
            sequence = sequence[1:] if len(sequence) > 2 else sequence
        yield Done(attempts * LENGTH, "finished")

    def heartbeat(self) -> Heartbeat:
        return Heartbeat(self.calls, self.sequences, self.calls // 10, self.calls * 21_000)

    def sequence(self) -> tuple[Transaction, ...]:
        return tuple(
            Transaction(address_bytes(0x10000), address_bytes(0xA), SELECTOR + self.rng.randbytes(32)) for _ in range(4)
        )


class FakeProcess:
    """The orchestrator's end of a fake worker; `serve` runs its other end as a task."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.node = ""
        self.ours, self.theirs = trio.testing.memory_stream_pair()
        self.exited = trio.Event()
        self.code = 0
        self.resident = 50 << 20
        self.ended = False
        self.is_cut_off = False
        self.delay = 0.0
        self.executing: tuple[Transaction, ...] = ()
        self.life = trio.CancelScope()

    async def send(self, data: bytes) -> None:
        await trio.sleep(self.delay)
        await self.ours.send_all(data)

    async def receive(self) -> bytes:
        return bytes(await self.ours.receive_some(65_536))

    async def drain_stderr(self) -> None:
        await trio.lowlevel.checkpoint()

    def stderr_tail(self) -> str:
        return "first line\nlast words" if self.code else ""

    async def wait(self) -> int:
        await self.exited.wait()
        return self.code

    async def end(self) -> None:
        self.life.cancel()
        self.ended = True
        await trio.lowlevel.cancel_shielded_checkpoint()

    def last_executed(self) -> tuple[Transaction, ...]:
        return self.executing

    def was_cut_off(self) -> bool:
        return self.is_cut_off

    def usage(self) -> Usage | None:
        return Usage(self.resident, 1.5)

    def exit(self, code: int) -> None:
        self.code = code
        self.exited.set()
        self.theirs.send_stream.close()
        self.theirs.receive_stream.close()


class CommandQueue:
    """Commands in the order in which a worker takes them: a piece that was given ahead comes last."""

    def __init__(self) -> None:
        self._decoder: FrameDecoder[ToWorker] = FrameDecoder(ToWorker)  # type: ignore[arg-type]  # a union
        self._ahead: list[ToWorker] = []
        self._others: list[ToWorker] = []

    def feed(self, data: bytes) -> None:
        for command in self._decoder.feed(data):
            (self._ahead if isinstance(command, Fuzz) and command.ahead else self._others).append(command)

    @property
    def is_empty(self) -> bool:
        return not self._others and not self._ahead

    @property
    def has_only_ahead(self) -> bool:
        """More commands may come before what there is."""
        return not self._others and bool(self._ahead)

    def next(self) -> ToWorker:
        return (self._others or self._ahead).pop(0)


Behaviour = Callable[[FakeProcess, FakeBrain], Awaitable[None]]


async def behave(process: FakeProcess, brain: FakeBrain, *, seconds_per_frame: float = 0.0) -> None:
    """The well-behaved worker, with the faults of its script."""
    await process.theirs.send_all(encode_frame(Hello(process.pid, PROTOCOL_VERSION)))
    commands = CommandQueue()
    while await _hear(process, commands):
        command = commands.next()
        if isinstance(command, Stop):
            break
        try:
            for frame in brain.answer(command):
                await trio.sleep(seconds_per_frame)
                await process.theirs.send_all(encode_frame(frame))
        except CrashedError:
            process.executing = brain.executing
            process.exit(-11)
            return
        except SilentError:
            await trio.sleep_forever()
    process.exit(0)


async def _hear(process: FakeProcess, commands: CommandQueue) -> bool:
    """Read until there is a command, and whatever comes before it. False at the end of the input."""
    if commands.has_only_ahead:
        with trio.move_on_after(_MOMENT):
            commands.feed(bytes(await process.theirs.receive_some(65_536)))
    while commands.is_empty:
        data = await process.theirs.receive_some(65_536)
        if not data:
            return False
        commands.feed(bytes(data))
    return True


class FakeSpawner:
    """Starts fake workers in a nursery. `script` and `behaviour` may depend on worker and incarnation."""

    def __init__(
        self,
        nursery: trio.Nursery,
        script: Callable[[int, int], FakeScript] = lambda worker, incarnation: FakeScript(),
        behaviour: Callable[[int, int], Behaviour] = lambda worker, incarnation: behave,
    ) -> None:
        self.nursery = nursery
        self.brain: type[FakeBrain] = FakeBrain
        self.script = script
        self.behaviour = behaviour
        self.processes: list[FakeProcess] = []
        self.brains: list[FakeBrain] = []
        self.latest: dict[int, FakeBrain] = {}
        self.incarnations: dict[int, int] = {}

    async def __call__(self, worker: int) -> FakeProcess:
        await trio.lowlevel.checkpoint()
        incarnation = self.incarnations.get(worker, -1) + 1
        self.incarnations[worker] = incarnation
        process = FakeProcess(1000 + len(self.processes))
        brain = self.brain(self.script(worker, incarnation))
        self.processes.append(process)
        self.brains.append(brain)
        self.latest[worker] = brain
        self.nursery.start_soon(self._live, process, brain, self.behaviour(worker, incarnation))
        return process

    async def _live(self, process: FakeProcess, brain: FakeBrain, behaviour: Behaviour) -> None:
        with process.life:
            try:
                await behaviour(process, brain)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                process.exit(1)

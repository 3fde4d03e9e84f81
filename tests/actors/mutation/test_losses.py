"""Processes that try mutants and are lost, and results that cannot be kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from actors.mutation.campaign import MutationCampaign, MutationPlan
from actors.mutation.store import ResultStore
from actors.runtime.errors import WorkerLost
from simulator.mutation.frames import Begin, Begun, ToTrier, Tried, Try
from simulator.mutation.mutant import Mutant
from simulator.settings import CampaignSettings
from simulator.worker.commands import Setup
from simulator.worker.framing import FrameDecoder, encode_frame

MUTANTS = tuple(
    Mutant(f"m{number}", "Pot.sol", number, 1, "pay", "Pot", "store", "x = 1", "(not stored)", 0, 5, ())
    for number in range(5)
)


class Trier:
    """A process in memory: it kills every mutant, and is lost where `dies` says so of a mutant."""

    pid = 1

    def __init__(self, dies: dict[int, int]) -> None:
        union: Any = ToTrier
        self._decoder: FrameDecoder[ToTrier] = FrameDecoder(union)
        self._dies = dies
        self._answers: list[bytes] = []

    async def send(self, data: bytes) -> None:
        for frame in self._decoder.feed(data):
            if isinstance(frame, Try):
                self._dies[frame.index] = self._dies.get(frame.index, 0) - 1
                is_lost = self._dies[frame.index] >= 0
                self._answers.append(b"" if is_lost else encode_frame(Tried(frame.index, "killed", (), 3)))
            else:
                self._answers.append(encode_frame(Begun((), (), (0, 1), 0, 0.0)))

    async def receive(self) -> bytes:
        return self._answers.pop(0)

    async def drain_stderr(self) -> None:
        pass

    def stderr_tail(self) -> str:
        return ""

    async def wait(self) -> int:
        return -9

    async def end(self) -> None:
        pass


def campaign(dies: dict[int, int], problems: list[str], store: ResultStore | None = None) -> MutationCampaign:
    async def spawn(_: int) -> Trier:
        return Trier(dies)

    begin = Begin(Setup(0, 1, b"", CampaignSettings()), b"", b"", 0, 1.0, 0)
    spawner: Any = spawn
    return MutationCampaign(MutationPlan(begin, MUTANTS, 1), spawner, store, on_problem=problems.append)


async def test_a_mutant_whose_process_is_lost_is_tried_again() -> None:
    """It would be told as a survivor otherwise. Losses with trials between them never end a run."""
    problems: list[str] = []
    run = campaign(dict.fromkeys(range(5), 1), problems)
    await run.run()
    assert [result.status for result in run.results()] == ["killed"] * 5
    assert len(problems) == 5


async def test_a_mutant_that_costs_every_process_is_told_as_a_survivor_with_the_reason() -> None:
    """And the others are tried."""
    run = campaign({2: 2}, [])
    await run.run()
    assert [result.status for result in run.results()] == ["killed", "killed", "survived", "killed", "killed"]
    assert run.results()[2].note == "every process that tried it was lost"


async def test_processes_that_never_try_anything_end_the_run() -> None:
    """It would not end by itself."""
    with pytest.RaisesGroup(pytest.RaisesGroup(WorkerLost)):
        await campaign(dict.fromkeys(range(5), 9), []).run()


async def test_a_timeout_ends_the_run_with_what_was_tried(autojump_clock: MockClock) -> None:
    """And says how many were not. Mutants of the end of the list are as likely as others to be tried."""

    class Slow(Trier):
        async def receive(self) -> bytes:
            await trio.sleep(10.0)
            return await super().receive()

    async def spawn(_: int) -> Slow:
        return Slow({})

    begin = Begin(Setup(0, 1, b"", CampaignSettings()), b"", b"", 0, 1.0, 0)
    spawner: Any = spawn
    problems: list[str] = []
    mutants = tuple(reversed(MUTANTS))
    run = MutationCampaign(MutationPlan(begin, mutants, 1, timeout=35.0), spawner, on_problem=problems.append)
    await run.run()
    assert [result.mutant.id for result in run.results()] == ["m1", "m0"]
    assert problems == ["the timeout of 35 s was over before 3 mutants were tried"]
    assert not run.status().running


async def test_results_that_cannot_be_kept_are_told_once_and_the_run_continues(tmp_path: Path) -> None:
    """As where the disk is full."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    problems: list[str] = []
    run = campaign({}, problems, ResultStore(blocked / "mutation.json", "key"))
    await run.run()
    assert run.status().killed == 5
    assert [problem.partition(": ")[2].partition(":")[0] for problem in problems] == ["cannot be written"]


async def test_kept_results_are_taken_up_by_a_run_of_the_same_key_alone(tmp_path: Path) -> None:
    """A file of another run, or of anything else, is no hindrance."""
    path = tmp_path / "mutation.json"
    await campaign({}, [], ResultStore(path, "key")).run()
    assert campaign({}, [], ResultStore(path, "key")).take_up() == 5
    assert campaign({}, [], ResultStore(path, "other")).take_up() == 0
    for hostile in ("", "[" * 100_000, '{"key": "key", "results": [{"id": 1}]}', "\udcff".encode(errors="replace")):
        path.write_bytes(hostile if isinstance(hostile, bytes) else hostile.encode())
        assert campaign({}, [], ResultStore(path, "key")).take_up() == 0

"""All mutants of a run, tried by several processes at a time: who tries what, and what is known by now."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import trio

from actors.mutation.results import MutantResult
from actors.mutation.store import ResultStore
from actors.mutation.trier import TrierProcess
from actors.runtime.errors import WorkerLost
from actors.workers.process import Spawner
from simulator.mutation.frames import Begin, Begun, Tried
from simulator.mutation.mutant import Mutant

SAVE_SECONDS = 5.0
MAX_LOSSES = 3
"""Processes of one place that may be lost, one after the other without a trial, before the run is given up."""
MAX_TRIES = 2
"""Processes that one mutant may cost."""


@dataclass(frozen=True)
class MutationPlan:
    """Plan of a run: `begin` for every process, `mutants` those of its file, by `workers` processes, for at most
    `timeout` seconds."""

    begin: Begin
    mutants: tuple[Mutant, ...]
    workers: int
    timeout: float = math.inf


@dataclass(frozen=True)
class MutationStatus:
    """Progress of a run. `begun` is None until the code as it is has been executed."""

    total: int
    killed: int
    survived: int
    stillborn: int
    seconds: float
    begun: Begun | None
    running: bool

    @property
    def tried(self) -> int:
        return self.killed + self.survived + self.stillborn


Listener = Callable[[MutantResult], None]


@dataclass
class MutationCampaign:
    """`store` keeps results of an unfinished run; `on_result` hears of each as it comes."""

    plan: MutationPlan
    spawner: Spawner
    store: ResultStore | None = None
    on_result: Listener = lambda _: None
    on_problem: Callable[[str], None] = lambda _: None
    begun: Begun | None = None
    _results: dict[int, MutantResult] = field(default_factory=dict)
    _began: float = 0.0
    _ended: float | None = None

    def __post_init__(self) -> None:
        self._waiting = deque(self._in_order())
        self._started = False
        self._lost: Counter[int] = Counter()
        self._losses: Counter[int] = Counter()

    def _in_order(self) -> list[int]:
        """Indexes by id, a digest: a run that ends early has tried mutants of all files."""
        return sorted(range(len(self.plan.mutants)), key=lambda index: self.plan.mutants[index].id)

    # --- what is known -----------------------------------------------------------------------------------------------

    def results(self) -> tuple[MutantResult, ...]:
        """Return the results of the mutants tried by now, in the order of the plan."""
        return tuple(self._results[index] for index in sorted(self._results))

    def status(self) -> MutationStatus:
        """Figures for people."""
        states = [result.status for result in self._results.values()]
        now = trio.current_time() if self._ended is None and self._started else self._ended or self._began
        return MutationStatus(
            len(self.plan.mutants),
            states.count("killed"),
            states.count("survived"),
            states.count("stillborn"),
            now - self._began,
            self.begun,
            self._started and self._ended is None,
        )

    # --- the run -----------------------------------------------------------------------------------------------------

    def take_up(self) -> int:
        """Take over the results of an earlier run of the same mutants; returns how many."""
        known = self.store.load() if self.store is not None else None
        for index, mutant in enumerate(self.plan.mutants):
            if known and (kept := known.get(mutant.id)) is not None:
                tried = Tried(index, kept.status, kept.kills, kept.calls, kept.note, kept.seconds)
                self._results[index] = _result(mutant, tried, reached=True)
        self._waiting = deque(index for index in self._in_order() if index not in self._results)
        return len(self._results)

    async def run(self) -> None:
        """Try all mutants; returns when the last one has been tried or the time is over, which `on_problem` hears, and
        ends all processes when cancelled. Raises `WorkerRefused` when the code as it is cannot be deployed, and
        `WorkerLost`."""
        self._began, self._started = trio.current_time(), True
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep_saving)
                with trio.move_on_after(self.plan.timeout) as limit:
                    async with trio.open_nursery() as triers:
                        for number in range(max(1, min(self.plan.workers, len(self._waiting)))):
                            triers.start_soon(self._work, number, nursery)
                nursery.cancel_scope.cancel(reason="all mutants are tried, or the time is over")
            if limit.cancelled_caught:
                self._tell_of_timeout()
        finally:
            self._ended = trio.current_time()
            self._save()

    async def _work(self, number: int, nursery: trio.Nursery) -> None:
        while self._waiting or self.begun is None:
            try:
                async with TrierProcess.started(self.spawner, number, nursery) as process:
                    self._begin(await process.begin(self.plan.begin))
                    await self._try_all(number, process)
            except WorkerLost as error:
                self._losses[number] += 1
                if self._losses[number] >= MAX_LOSSES:
                    raise
                self.on_problem(f"a process that tries mutants was lost, and is replaced: {error}")

    def _tell_of_timeout(self) -> None:
        left = len(self.plan.mutants) - len(self._results)
        if left:
            self.on_problem(f"the timeout of {self.plan.timeout:g} s was over before {left} mutants were tried")

    def _begin(self, begun: Begun) -> None:
        if self.begun is None:
            self.begun = begun
            reached = set(begun.reached)
            for index, result in self._results.items():
                tried = Tried(index, result.status, result.kills, result.calls, result.note, result.seconds)
                self._results[index] = _result(result.mutant, tried, reached=index in reached)

    async def _try_all(self, number: int, process: TrierProcess) -> None:
        assert self.begun is not None, "the process has begun"
        reached = frozenset(self.begun.reached)
        while self._waiting:
            index = self._waiting.popleft()
            try:
                tried = await process.attempt(index)
            except WorkerLost:
                self._lost[index] += 1
                if self._lost[index] < MAX_TRIES:
                    self._waiting.appendleft(index)
                else:
                    note = "every process that tried it was lost"
                    self._book(Tried(index, "survived", (), 0, note), index in reached)
                raise
            self._losses[number] = 0
            self._book(tried, index in reached)

    def _book(self, tried: Tried, is_reached: bool) -> None:
        result = _result(self.plan.mutants[tried.index], tried, reached=is_reached)
        self._results[tried.index] = result
        self.on_result(result)

    async def _keep_saving(self) -> None:
        while True:
            await trio.sleep(SAVE_SECONDS)
            self._save()

    def _save(self) -> None:
        if self.store is None or not self._results:
            return
        try:
            self.store.save(self.results())
        except OSError as error:
            self.on_problem(f"{self.store.path}: cannot be written: {error.strerror}")
            self.store = None


def _result(mutant: Mutant, tried: Tried, *, reached: bool) -> MutantResult:
    return MutantResult(mutant, tried.status, tried.kills, tried.calls, reached, tried.note, tried.seconds)


def found_by_id(results: Sequence[MutantResult], identity: str) -> MutantResult | None:
    """The result of the mutant with this id, or with the only id that begins so."""
    exact = [result for result in results if result.mutant.id == identity]
    alike = exact or [result for result in results if identity and result.mutant.id.startswith(identity)]
    return alike[0] if len(alike) == 1 else None

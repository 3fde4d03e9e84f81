"""Steering that concerns workers: sequences, templates, functions, dictionary values, concrete execution.

Works for the campaign actor, which alone calls it. Commands go to all live workers at once, and again to each
process that becomes ready later.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from actors.campaign.pool import WorkerPool
from actors.campaign.slot import Slot
from actors.campaign.status import SteeringStatistics
from actors.events.types import CAMPAIGN, Steered
from actors.priorities.manager import PriorityState
from actors.runtime.errors import CommandRejected, NoLiveWorkers
from actors.runtime.mailbox import Reply
from actors.steering.call_reader import CallRequestReader, ReadCall
from actors.steering.clamps import ClampBook, restored
from actors.steering.commands import (
    AddDictionaryValues,
    AddTemplate,
    AllowFunctions,
    CallRequest,
    ClampFunction,
    ClearFunctions,
    ClearPriorities,
    ExcludeFunction,
    ExecuteSequence,
    FunctionClamped,
    FunctionsChanged,
    Injection,
    InjectSequence,
    ListTemplates,
    PrioritizeFunction,
    RemoveTemplates,
    TemplateInfo,
    WeighFunction,
    WeighFunctions,
)
from actors.steering.dictionary_reader import read_values
from actors.steering.effects import SteeringEffects
from actors.steering.executions import MAX_TRANSACTIONS, Executions
from actors.steering.injections import InjectionBook
from actors.steering.steered_words import SteeredWords
from actors.steering.templates import TemplateBook
from actors.workers.sequence_groups import sequence_groups
from actors.workers.services import WorkerServices
from simulator.settings import PRIORITY_SHARE
from simulator.transaction import Sequence
from simulator.worker.commands import AddWords, Execute, Focus, Inject, SetClamps, SetTemplates, Together
from simulator.worker.reports import Executed, Injected

INSTANCES = 8
"""Ways in which the wildcards of one injection are filled."""

SteeringFrame = Execute | Focus | Inject | SetTemplates | SetClamps | AddWords

WorkerCommand = (
    InjectSequence
    | AddTemplate
    | ListTemplates
    | RemoveTemplates
    | PrioritizeFunction
    | ExcludeFunction
    | AllowFunctions
    | WeighFunction
    | WeighFunctions
    | ClearPriorities
    | ClampFunction
    | ClearFunctions
    | AddDictionaryValues
)


class SteeringState(msgspec.Struct, frozen=True):
    """Steering state kept by a checkpoint. Injected sequences are in the corpus."""

    priorities: PriorityState = PriorityState()
    templates: tuple[TemplateInfo, ...] = ()
    dictionary_additions: tuple[AddWords, ...] = ()
    clamps: tuple[ClampFunction, ...] = ()


class WorkerSteering:
    """`keep` takes an injected sequence for the corpus, and must not wait; `calls` counts those of the campaign."""

    def __init__(
        self,
        reader: CallRequestReader,
        services: WorkerServices,
        pool: WorkerPool,
        keep: Callable[[Sequence], None],
        calls: Callable[[], int],
    ) -> None:
        self._reader = reader
        self._priorities = services.priorities
        self._log = services.log
        self._quarantine = services.quarantine
        self._pool = pool
        self._keep = keep
        self.effects = SteeringEffects(calls)
        self._next_id = 1
        self._templates = TemplateBook(reader)
        self._clamps = ClampBook(reader.contracts)
        self._words = SteeredWords()
        self._dictionary_additions = 0
        self._injections = InjectionBook()
        self._executions = Executions(reader)

    @property
    def reader(self) -> CallRequestReader:
        """Reads calls as commands have them."""
        return self._reader

    # --- commands ----------------------------------------------------------------------------------------------------

    def answer(self, command: WorkerCommand) -> object:
        """Carry out a command; returns its answer. Raises `CommandRejected` and `NoLiveWorkers`."""
        match command:
            case InjectSequence():
                return self._inject(command)
            case AddTemplate():
                return self._add_template(command.calls, command.share)
            case ListTemplates():
                return self.templates()
            case RemoveTemplates():
                return self._remove_templates(command.ids)
            case PrioritizeFunction(function=name):
                return self._focus("prioritize", name, self._priorities.prioritize(name))
            case ExcludeFunction(function=name):
                return self._focus("exclude", name, self._priorities.exclude(name))
            case AllowFunctions(functions=names):
                return self._focus("allow", ", ".join(names)[:1_000], self._priorities.allow(names))
            case WeighFunction(function=name, weight=weight):
                return self._focus("weigh", f"{name} {weight:g}", self._priorities.weigh(name, weight))
            case WeighFunctions(weights=weights):
                detail = ", ".join(f"{name} {weight:g}" for name, weight in weights)
                return self._focus("weigh", detail[:1_000], self._weigh(weights))
            case ClearPriorities():
                return self._focus("clear priorities", "", self._priorities.clear_priorities())
            case ClampFunction():
                return self._clamp(command)
            case ClearFunctions():
                return self._clear_functions()
            case AddDictionaryValues():
                return self._add_words(command)

    def _inject(self, command: InjectSequence) -> Injection:
        calls = () if command.transactions else self._reader.read(command.calls)
        if len(command.transactions) > MAX_TRANSACTIONS:
            raise CommandRejected(f"a sequence has at most {MAX_TRANSACTIONS} transactions")
        live = self._pool.live
        if not live:
            raise NoLiveWorkers("no worker is running at this moment")
        instances = (command.transactions,) if command.transactions else self._instances(calls)
        self._injections.admit(instances)
        for slot in live:
            self._hand_over(slot, instances)
        for sequence in instances:
            self._keep(sequence)
        self._injections.add(instances)
        ways = f", filled in {len(instances)} ways" if len(instances) > 1 else ""
        count = len(instances[0])
        self._say("inject", f"{count} calls to {len(live)} workers{ways}")
        return Injection(count, len(live), len(instances))

    def _instances(self, calls: tuple[ReadCall, ...]) -> tuple[Sequence, ...]:
        """The sequence with values for its wildcards, in several ways that differ where it has any."""
        ways = INSTANCES if any(call.parsed.has_wildcards for call in calls) else 1
        return tuple(dict.fromkeys(self._reader.fill(calls) for _ in range(ways)))

    def _hand_over(self, slot: Slot, sequences: tuple[Sequence, ...]) -> None:
        """Have sequences executed, all at one call as far as they fit one frame."""
        for group in sequence_groups(sequences):
            frames = [Inject(self._new_id(), sequence) for sequence in group]
            self._injections.give(slot.index, frames)
            self._tell(slot, *frames)

    def _add_template(self, requests: tuple[CallRequest, ...], share: float) -> TemplateInfo:
        self._templates.check(requests, share)
        text = self._templates.add(self._next_id, requests, share)
        # A number is taken once the calls are read: ids are those of a replay, which leaves out what was refused.
        number = self._new_id()
        self._send_templates()
        self._say("template", f"{number}: {text[:200]}")
        return next(info for info in self.templates() if info.id == number)

    def templates(self) -> tuple[TemplateInfo, ...]:
        """The templates in use with the shares that they really get."""
        shares = self._templates.effective(beside_priorities=self._priorities.is_focused)
        return tuple(msgspec.structs.replace(info, effective=shares[info.id]) for info in self._templates.infos())

    def _remove_templates(self, ids: tuple[int, ...]) -> int:
        removed = self._templates.remove(ids)
        if removed:
            self._send_templates()
            self._say("remove templates", ", ".join(map(str, removed)))
        return len(removed)

    def _send_templates(self) -> None:
        """Shares of templates and of prioritized functions go together: one limits the other."""
        templates, focus = self._template_command(), self._focus_command()
        for slot in self._pool.live:
            self._tell(slot, templates, *((focus,) if focus.prioritized else ()))

    def _template_command(self) -> SetTemplates:
        return self._templates.command(beside_priorities=self._priorities.is_focused)

    def _focus_command(self) -> Focus:
        """Prioritized functions get nine tenths of all calls, whatever share templates have."""
        focus = self._priorities.focus()
        if not self._priorities.is_focused:
            return focus
        rest = 1 - sum(self._templates.effective(beside_priorities=True).values())
        return msgspec.structs.replace(focus, chance=min(1.0, PRIORITY_SHARE / rest))

    def _weigh(self, weights: tuple[tuple[str, float], ...]) -> FunctionsChanged:
        before = self._priorities.state()
        if not weights:
            raise CommandRejected("name at least one function")
        try:
            return [self._priorities.weigh(name, weight) for name, weight in weights][-1]
        except CommandRejected:
            self._priorities.restore(before)
            raise

    def _clamp(self, command: ClampFunction) -> FunctionClamped:
        answer = self._clamps.set(command)
        for slot in self._pool.live:
            self._tell(slot, self._clamps.command())
        bound = ", ".join((*(limit.argument for limit in command.arguments), *(["senders"] if command.senders else ())))
        self._say("clamp", f"{command.function[:500]}: {bound[:500] or 'nothing'}")
        return answer

    def bind(self, clamp: ClampFunction) -> tuple[str, ...]:
        """Let a clamp of the campaign's plan hold, before any worker is greeted; returns the functions of its name.
        Raises `CommandRejected`."""
        return self._clamps.set(clamp).functions

    def _clear_functions(self) -> int:
        clamps = self._clamps.clear()
        count = self._priorities.clear() + clamps
        templates, focus = self._template_command(), self._focus_command()
        for slot in self._pool.live:
            cleared = (SetClamps(),) if clamps else ()
            self._tell(slot, *cleared, *((templates,) if templates.templates else ()), focus)
        self._say("clear functions", "")
        return count

    @property
    def clamps(self) -> tuple[ClampFunction, ...]:
        """Return the clamps of functions."""
        return self._clamps.infos()

    def _add_words(self, command: AddDictionaryValues) -> int:
        fresh = self._words.add(read_values(command.values))
        self._dictionary_additions += 1
        for slot in self._pool.live:
            self._tell(slot, fresh)
        self._say("dictionary", f"{len(command.values)} values")
        return len(command.values)

    def _focus(self, command: str, detail: str, answer: FunctionsChanged | int) -> FunctionsChanged | int:
        self.send_focus()
        self._say(command, detail)
        return answer

    def send_focus(self) -> None:
        """Let every worker know which functions are called how often."""
        templates, focus = self._template_command(), self._focus_command()
        for slot in self._pool.live:
            self._tell(slot, *((templates,) if templates.templates else ()), focus)

    def _tell(self, slot: Slot, *commands: SteeringFrame) -> None:
        """Send commands that take effect at one call."""
        self.effects.told(slot.index)
        slot.worker.tell(commands[0] if len(commands) == 1 else Together(commands))

    def _say(self, command: str, detail: str) -> None:
        self._log.append(CAMPAIGN, Steered(command, detail))

    # --- concrete execution ------------------------------------------------------------------------------------------

    def execute(self, command: ExecuteSequence, reply: Reply[object]) -> None:
        """Have a sequence executed; `reply` gets the outcome when it comes. Raises as `answer` does."""
        sequence = self._executions.read(command)
        if not self._quarantine.admits(sequence):
            raise CommandRejected("workers die of these calls, so they are quarantined and not executed")
        slot = min(self._pool.live, key=lambda slot: (slot.work is not None, slot.index), default=None)
        if slot is None:
            raise NoLiveWorkers("no worker is running at this moment")
        order = self._executions.begin(slot.index, sequence, reply, command)
        self._tell(slot, order)

    def executed(self, frame: Executed) -> None:
        """A worker answers."""
        self._executions.end(frame)

    def close(self) -> None:
        """The campaign ends: notify callers that wait for an execution."""
        self._executions.close()

    # --- workers come and go -----------------------------------------------------------------------------------------

    def injected(self, worker: int, frame: Injected) -> None:
        """A worker has executed an injected sequence."""
        self._injections.answered(worker, frame.id)

    def greet(self, slot: Slot, admits: Callable[[Sequence], bool]) -> None:
        """Send the steering commands in force to a process that has become ready."""
        self.effects.begin(slot.index)
        focus = self._focus_command()
        if focus.prioritized or focus.excluded or focus.weights:
            self._tell(slot, focus)
        if self._clamps:
            self._tell(slot, self._clamps.command())
        if self._words:
            self._tell(slot, self._words.addition())
        if self._templates:
            self._tell(slot, self._template_command())
        for sequence in filter(admits, self._injections.kept):
            self._hand_over(slot, (sequence,))

    def given(self, worker: int) -> tuple[Sequence, ...]:
        """Injected sequences that a worker has yet to answer."""
        return self._injections.given(worker)

    def is_tried(self, worker: int, executed: Sequence) -> bool:
        """Return whether a worker may be executing, once, calls that begin with these."""
        return self._executions.is_running(worker, executed)

    def lose(self, worker: int, deadly: Sequence | None = None) -> tuple[Sequence, ...]:
        """A worker's process is gone. Returns what was injected and not answered. What was to be executed once is told
        to those who wait; with `deadly` the worker died of what begins so."""
        self.effects.lose(worker)
        self._executions.lose(worker, deadly)
        return self._injections.lose(worker)

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    # --- figures -----------------------------------------------------------------------------------------------------

    def state(self) -> SteeringState:
        return SteeringState(self._priorities.state(), self._templates.infos(), self._additions(), self.clamps)

    def _additions(self) -> tuple[AddWords, ...]:
        return (self._words.addition(),) if self._words else ()

    def restore(self, state: SteeringState) -> tuple[str, ...]:
        """Say again what a checkpoint holds, before any worker is greeted. Templates that do not fit the target are
        left out; returns one sentence for each of them."""
        self._priorities.restore(state.priorities)
        problems = restored(self._clamps, state.clamps)
        for addition in state.dictionary_additions:
            try:
                self._words.add(addition)
            except CommandRejected as error:
                problems.append(f"dictionary values are dropped: {error}")
        for info in state.templates:
            try:
                self._templates.add(info.id, info.calls, info.share)
            except CommandRejected as error:
                problems.append(f"template {info.id} is dropped: {error}")
            self._next_id = max(self._next_id, info.id + 1)
        return tuple(problems)

    def statistics(self) -> SteeringStatistics:
        return SteeringStatistics(
            self._injections.count,
            self._injections.unanswered,
            len(self._templates),
            self._dictionary_additions,
            len(self._executions),
            len(self._words),
        )

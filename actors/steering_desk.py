"""Steering that concerns workers: sequences, templates, functions, dictionary values, concrete execution.

Works for the campaign actor, which alone calls it. What was said is told to all live workers at once, and again to each
process that becomes ready later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from actors.call_reader import CallReader
from actors.campaign_status import SteeringStatistics
from actors.dictionary_reader import read_values
from actors.errors import CommandRejected, NoLiveWorkers
from actors.event_log import EventLog
from actors.executions import Executions
from actors.mailbox import Reply
from actors.messages import CAMPAIGN, Steered
from actors.priority_manager import PriorityManager, PriorityState
from actors.sequence_templates import SequenceTemplates
from actors.slot import Slot
from actors.steering import (
    DEFAULT_TEMPLATE_SHARE,
    AddDictionaryValues,
    AddTemplate,
    CallRequest,
    ClearFunctions,
    ClearPriorities,
    ExcludeFunction,
    ExecuteSequence,
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
from actors.steering_effects import SteeringEffects
from simulator.transaction import Sequence
from simulator.worker.protocol import Execute, Executed, Focus, Inject, Injected, SetTemplates, Teach

MOST_INJECTED = 256
"""Injected sequences that later processes get as well; older ones reach them with the corpus, where they covered."""
MOST_LESSONS = 256

Told = Execute | Focus | Inject | SetTemplates | Teach

DeskCommand = (
    InjectSequence
    | AddTemplate
    | ListTemplates
    | RemoveTemplates
    | PrioritizeFunction
    | ExcludeFunction
    | WeighFunction
    | WeighFunctions
    | ClearPriorities
    | ClearFunctions
    | AddDictionaryValues
)


class DeskState(msgspec.Struct, frozen=True):
    """What a checkpoint keeps of steering. Injected sequences are in the corpus."""

    priorities: PriorityState = PriorityState()
    templates: tuple[TemplateInfo, ...] = ()
    lessons: tuple[Teach, ...] = ()


class SteeringDesk:
    """`slots` are the campaign's, whatever their state; `keep` takes an injected sequence for the corpus, and must not
    wait; `calls` counts those of the campaign."""

    def __init__(
        self,
        reader: CallReader,
        priorities: PriorityManager,
        log: EventLog,
        slots: Callable[[], Iterable[Slot]],
        keep: Callable[[Sequence], None],
        calls: Callable[[], int],
    ) -> None:
        self._reader = reader
        self._priorities = priorities
        self._log = log
        self._slots = slots
        self._keep = keep
        self.effects = SteeringEffects(calls)
        self._next_id = 1
        self._templates = SequenceTemplates(reader)
        self._lessons: deque[Teach] = deque(maxlen=MOST_LESSONS)
        self._injected: deque[Sequence] = deque(maxlen=MOST_INJECTED)
        self._injections = 0
        self._in_hand: dict[int, dict[int, Sequence]] = {}
        self._executions = Executions(reader)

    # --- commands ----------------------------------------------------------------------------------------------------

    def answer(self, command: DeskCommand) -> object:
        """Carry out a command; returns its answer. Raises `CommandRejected` and `NoLiveWorkers`."""
        match command:
            case InjectSequence():
                return self._inject(command)
            case AddTemplate():
                return self._add_template(command.calls, command.share)
            case ListTemplates():
                return self._templates.infos()
            case RemoveTemplates():
                return self._remove_templates(command.ids)
            case PrioritizeFunction(function=name):
                return self._focus("prioritize", name, self._priorities.prioritize(name))
            case ExcludeFunction(function=name):
                return self._focus("exclude", name, self._priorities.exclude(name))
            case WeighFunction(function=name, weight=weight):
                return self._focus("weigh", f"{name} {weight:g}", self._priorities.weigh(name, weight))
            case WeighFunctions(weights=weights):
                detail = ", ".join(f"{name} {weight:g}" for name, weight in weights)
                return self._focus("weigh", detail[:1_000], self._weigh(weights))
            case ClearPriorities():
                return self._focus("clear priorities", "", self._priorities.clear_priorities())
            case ClearFunctions():
                return self._focus("clear functions", "", self._priorities.clear())
            case AddDictionaryValues():
                return self._teach(command)

    def _inject(self, command: InjectSequence) -> Injection:
        calls = self._reader.read(command.calls)
        live = [slot for slot in self._slots() if slot.live]
        if not live:
            raise NoLiveWorkers("no worker is running at this moment")
        sequence = self._reader.fill(calls)
        template = templates = None
        if any(call.parsed.has_wildcards for call in calls) and not self._templates.is_full:
            template = self._note_template(command.calls, DEFAULT_TEMPLATE_SHARE).id
            templates = self._templates.command()
        self._injected.append(sequence)
        self._injections += 1
        for slot in live:
            self._hand_over(slot, sequence, templates)
        self._keep(sequence)
        self._say("inject", f"{len(sequence)} calls to {len(live)} workers")
        return Injection(len(sequence), len(live), template)

    def _hand_over(self, slot: Slot, sequence: Sequence, templates: SetTemplates | None = None) -> None:
        number = self._new_id()
        self._in_hand.setdefault(slot.index, {})[number] = sequence
        self._tell(slot, Inject(number, sequence, templates))

    def _add_template(self, requests: tuple[CallRequest, ...], share: float) -> TemplateInfo:
        self._templates.check(share)
        info = self._note_template(requests, share)
        self._tell_templates()
        return info

    def _note_template(self, requests: tuple[CallRequest, ...], share: float) -> TemplateInfo:
        text = self._templates.add(self._next_id, requests, share)
        # A number is taken once the calls are read: ids are those of a replay, which leaves out what was refused.
        number = self._new_id()
        self._say("template", f"{number}: {text[:200]}")
        return self._templates.info(number)

    def _remove_templates(self, ids: tuple[int, ...]) -> int:
        removed = self._templates.remove(ids)
        if removed:
            self._tell_templates()
            self._say("remove templates", ", ".join(map(str, removed)))
        return len(removed)

    def _tell_templates(self) -> None:
        command = self._templates.command()
        for slot in self._live():
            self._tell(slot, command)

    def _weigh(self, weights: tuple[tuple[str, float], ...]) -> FunctionsChanged:
        before = self._priorities.state()
        if not weights:
            raise CommandRejected("name at least one function")
        try:
            return [self._priorities.weigh(name, weight) for name, weight in weights][-1]
        except CommandRejected:
            self._priorities.restore(before)
            raise

    def _teach(self, command: AddDictionaryValues) -> int:
        lesson = read_values(command.values)
        self._lessons.append(lesson)
        for slot in self._live():
            self._tell(slot, lesson)
        self._say("dictionary", f"{len(command.values)} values")
        return len(command.values)

    def _focus(self, command: str, detail: str, answer: FunctionsChanged | int) -> FunctionsChanged | int:
        self.tell_focus()
        self._say(command, detail)
        return answer

    def tell_focus(self) -> None:
        """Let every worker know which functions are called how often."""
        for slot in self._live():
            self._tell(slot, self._priorities.focus())

    def _tell(self, slot: Slot, command: Told) -> None:
        self.effects.told(slot.index)
        slot.worker.tell(command)

    def _say(self, command: str, detail: str) -> None:
        self._log.append(CAMPAIGN, Steered(command, detail))

    # --- concrete execution ------------------------------------------------------------------------------------------

    def execute(self, command: ExecuteSequence, reply: Reply[object]) -> None:
        """Have a sequence executed; `reply` gets the outcome when it comes. Raises as `answer` does."""
        sequence = self._executions.read(command)
        slot = min(self._live(), key=lambda slot: (slot.work is not None, slot.index), default=None)
        if slot is None:
            raise NoLiveWorkers("no worker is running at this moment")
        order = self._executions.begin(self._new_id(), slot.index, sequence, reply, trace=command.trace)
        self._tell(slot, order)

    def executed(self, frame: Executed) -> None:
        """A worker answers."""
        self._executions.end(frame)

    def close(self) -> None:
        """The campaign ends: whoever waits for an execution hears of it."""
        self._executions.close()

    # --- workers come and go -----------------------------------------------------------------------------------------

    def injected(self, worker: int, frame: Injected) -> None:
        """A worker has executed an injected sequence."""
        self._in_hand.get(worker, {}).pop(frame.id, None)

    def greet(self, slot: Slot, admits: Callable[[Sequence], bool]) -> None:
        """Tell a process that has become ready everything that was said, as far as there is anything."""
        self.effects.begin(slot.index)
        focus = self._priorities.focus()
        if focus.prioritized or focus.excluded or focus.weights:
            self._tell(slot, focus)
        for lesson in self._lessons:
            self._tell(slot, lesson)
        if self._templates:
            self._tell(slot, self._templates.command())
        for sequence in filter(admits, self._injected):
            self._hand_over(slot, sequence)

    def lose(self, worker: int) -> tuple[Sequence, ...]:
        """A worker's process is gone. Returns what it had been given to execute and did not answer."""
        self.effects.lose(worker)
        return (*self._in_hand.pop(worker, {}).values(), *self._executions.lose(worker))

    def _live(self) -> list[Slot]:
        return [slot for slot in self._slots() if slot.live]

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    # --- figures -----------------------------------------------------------------------------------------------------

    def state(self) -> DeskState:
        return DeskState(self._priorities.state(), self._templates.infos(), tuple(self._lessons))

    def restore(self, state: DeskState) -> tuple[str, ...]:
        """Say again what a checkpoint holds, before any worker is greeted. Templates that do not fit the target are
        left out; returns one sentence for each of them."""
        self._priorities.restore(state.priorities)
        self._lessons.extend(state.lessons)
        problems = []
        for info in state.templates:
            try:
                self._templates.add(info.id, info.calls, info.share)
            except CommandRejected as error:
                problems.append(f"template {info.id} is dropped: {error}")
            self._next_id = max(self._next_id, info.id + 1)
        return tuple(problems)

    def statistics(self) -> SteeringStatistics:
        unanswered = sum(map(len, self._in_hand.values()))
        return SteeringStatistics(
            self._injections, unanswered, len(self._templates), len(self._lessons), len(self._executions)
        )

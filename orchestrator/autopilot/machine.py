"""Imitates a plan by the text of the contracts: where it fails, on which condition, and what that was made of."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from orchestrator.autopilot.arithmetic import Reverted, compute, truth
from orchestrator.autopilot.evaluation import Evaluation, Left, Returned, TooLong
from orchestrator.autopilot.linked import Linked
from orchestrator.autopilot.syntax import Block, Do, FunctionText, If, Leave, Let, Loop, Opaque, Return, Statement
from orchestrator.autopilot.values import Input, Items, Slot, Value
from orchestrator.autopilot.world import (
    Frame,
    Instance,
    PlannedCall,
    Surroundings,
    default_value,
    input_value,
    unknown,
)

MAX_STEPS = 60_000
MAX_TURNS = 600
MAX_DEPTH = 40


@dataclass(frozen=True, eq=False)
class Decision:
    """A condition on which the text goes one of two ways; `skipped` is what was not executed."""

    call: int
    condition: Value
    taken: bool
    line: int
    skipped: Statement | None


@dataclass(frozen=True, eq=False)
class Stop:
    """The call that fails, and the condition that should have been `wanted`."""

    call: int
    condition: Value | None
    wanted: bool
    guards: int


@dataclass
class Trail:
    """Record of a run: decisions and asserts on the way; `stop` where the plan fails; the last call's result."""

    decisions: list[Decision] = field(default_factory=list)
    asserts: list[Decision] = field(default_factory=list)
    stop: Stop | None = None
    result: Value | None = None
    failed_assert: bool = False


class Machine(Evaluation):
    """One imitation, from the deployed state."""

    def __init__(self, surroundings: Surroundings) -> None:
        super().__init__(surroundings)
        self.trail = Trail()
        self._steps = 0
        self._call = -1
        self._guards = 0
        for name, address in surroundings.addresses.items():
            self.instances[address] = Instance(address, surroundings.contracts[name])
        for name, address in surroundings.addresses.items():
            self._construct(self.instances[address], surroundings.deployer, ())
            self._correct(name, self.instances[address])

    def _correct(self, name: str, instance: Instance) -> None:
        """Take the values that the contract itself answers with, in place of those that the text seems to give."""
        for (contract, variable), data in self.surroundings.known.items():
            if contract == name and variable in instance.slots:
                slot = instance.slots[variable]
                if not isinstance(slot.value.data, Slot | Items) and slot.value.data != data:
                    slot.value = Value(data, slot.value.type)

    def run(self, plan: Sequence[PlannedCall]) -> Trail:
        """Execute calls until one fails."""
        for number, call in enumerate(plan):
            self._call, self._guards = number, 0
            self.timestamp += call.seconds
            self.block += call.blocks
            try:
                self.trail.result = self._outer_call(number, call)
            except Reverted as stop:
                self.trail.failed_assert = stop.is_assert
                self.trail.stop = Stop(number, stop.condition, stop.wanted, self._guards)
                break
            except (TooLong, RecursionError):
                self.trail.stop = Stop(number, None, True, self._guards)
                break
        return self.trail

    def _outer_call(self, number: int, call: PlannedCall) -> Value:
        instance = self.instances[self.surroundings.addresses[call.contract]]
        scope = instance.code
        sender = Value(call.sender, "address", Input(number, ("sender",)))
        value = Value(call.value, "uint256", Input(number, ("value",)))
        self.now = Value(self.timestamp, "uint256", Input(number, ("time",)))
        self.height = Value(self.block, "uint256", Input(number, ("block",)))
        arguments = [
            input_value(data, each.type, scope, number, ("argument", place))
            for place, (data, each) in enumerate(zip(call.arguments, call.function.parameters, strict=True))
        ]
        if call.value and "payable" not in call.function.words:
            raise Reverted(compute("==", value, Value(0, "uint256")))
        instance.balance += call.value
        return self.invoke(Frame(instance, sender, value, origin=sender), call.function, arguments)

    def create(self, code: Linked, sender: Value, arguments: Sequence[Value]) -> Value:
        address = 0xC0DE << 128 | len(self.instances) + 1
        self.instances[address] = Instance(address, code)
        self._construct(self.instances[address], sender, arguments)
        return Value(address, code.name)

    def _construct(self, instance: Instance, sender: Value | int, arguments: Sequence[Value]) -> None:
        code = instance.code
        creator = Value(sender, "address") if isinstance(sender, int) else sender
        frame = Frame(instance, creator, Value(0, "uint256"), origin=creator)
        self.now = Value(self.timestamp, "uint256")
        self.height = Value(self.block, "uint256")
        for name, variable in code.variables.items():
            instance.slots[name] = Slot(default_value(variable.type, code, name), name)
        for name, variable in code.variables.items():
            if variable.value is not None:
                self._attempt(lambda frame=frame, name=name, value=variable.value: self._initialise(frame, name, value))
        for constructor in code.constructors:
            given = list(arguments) if len(constructor.parameters) == len(arguments) else []
            given += [unknown(each.type) for each in constructor.parameters[len(given) :]]
            self._attempt(
                lambda frame=frame, constructor=constructor, given=given: self.invoke(frame, constructor, given)
            )

    def _attempt(self, step: Any) -> None:
        try:
            step()
        except (Reverted, TooLong, RecursionError):
            return

    def _initialise(self, frame: Frame, name: str, expression: Any) -> None:
        slot = frame.instance.slots[name]
        self.store(slot, self.cast(self.evaluate(frame, expression), slot.value.type, frame))

    def invoke(self, frame: Frame, function: FunctionText, arguments: Sequence[Value]) -> Value:
        """Execute a function in a frame of its own; its result, several as an array of values."""
        if frame.depth > MAX_DEPTH or function.body is None:
            raise TooLong
        inner = frame.within(frame.instance)
        for parameter, value in zip(function.parameters, arguments, strict=True):
            inner.locals[parameter.name] = Slot(self.cast(value, parameter.type, inner))
        for each in function.returns:
            if each.name:
                inner.locals[each.name] = Slot(default_value(each.type, frame.instance.code))
        modifiers = [
            (found, given) for name, given in function.modifiers if (found := frame.instance.code.modifiers.get(name))
        ]
        result = self._modified(inner, modifiers, function)
        if result is None:
            named = [inner.locals[each.name].value for each in function.returns if each.name]
            result = named[0] if len(named) == 1 else Value(Items("", [Slot(each) for each in named]), "")
        if len(function.returns) == 1:
            return self.cast(result, function.returns[0].type, inner)
        return result

    def _modified(
        self, frame: Frame, modifiers: Sequence[tuple[FunctionText, Any]], function: FunctionText
    ) -> Value | None:
        """The body within its modifiers; what it returned, None where it came to its end."""
        if not modifiers:
            assert function.body is not None, "it was looked at"
            frame.text = function.body
            try:
                self.execute(frame, function.body)
            except Returned as returned:
                return returned.value
            return None
        (modifier, given), rest = modifiers[0], modifiers[1:]
        inner = frame.within(frame.instance)
        for parameter, argument in zip(modifier.parameters, given, strict=False):
            inner.locals[parameter.name] = Slot(self.evaluate(frame, argument))
        found: list[Value | None] = [None]

        def body() -> None:
            found[0] = self._modified(frame, rest, function)

        inner.body = body
        if modifier.body is not None:
            with suppress(Returned):
                self.execute(inner, modifier.body)
        return found[0]

    def spend(self, count: int) -> None:
        self._steps += count
        if self._steps > MAX_STEPS:
            raise TooLong

    def execute(self, frame: Frame, statement: Statement) -> None:
        self.spend(1)
        match statement:
            case Block(statements, is_unchecked):
                before, self.is_checked = self.is_checked, self.is_checked and not is_unchecked
                try:
                    for each in statements:
                        self.execute(frame, each)
                finally:
                    self.is_checked = before
            case Let(variables, value):
                self._declare(frame, variables, value)
            case Do(expression, line):
                self.line = line
                self.evaluate(frame, expression)
            case If():
                self._if(frame, statement)
            case Loop():
                self._loop(frame, statement)
            case Return(value):
                raise Returned(None if value is None else self.evaluate(frame, value))
            case Leave("revert"):
                raise Reverted
            case Leave("_"):
                if frame.body is not None:
                    frame.body()
            case Leave(how):
                raise Left(how)
            case Opaque():
                return

    def _declare(self, frame: Frame, variables: Sequence[tuple[str, str] | None], value: Any) -> None:
        if value is None:
            for each in variables:
                if each is not None:
                    frame.locals[each[1]] = Slot(default_value(each[0], frame.instance.code))
            return
        found = self.evaluate(frame, value)
        if len(variables) == 1 and variables[0] is not None:
            kind, name = variables[0]
            frame.locals[name] = Slot(self.cast(found, kind, frame))
            return
        given = found.data.slots if isinstance(found.data, Items) else []
        for place, each in enumerate(variables):
            if each is not None:
                member = given[place].value if place < len(given) else unknown(each[0])
                frame.locals[each[1]] = Slot(self.cast(member, each[0], frame))

    def _if(self, frame: Frame, statement: If) -> None:
        condition = self.evaluate(frame, statement.condition)
        wanted_away = _reverts(statement.then)
        known = truth(condition)
        taken = known if known is not None else not wanted_away
        self._guards += 1
        if taken and wanted_away:
            self.decide(condition, True, statement.line, statement.otherwise)
            raise Reverted(condition, wanted=False)
        if not taken and statement.otherwise is not None and _reverts(statement.otherwise):
            raise Reverted(condition, wanted=True)
        skipped = statement.otherwise if taken else statement.then
        if taken and _leaves(statement.then):
            skipped = frame.text
        self.decide(condition, taken, statement.line, skipped)
        followed = statement.then if taken else statement.otherwise
        if followed is not None:
            self.execute(frame, followed)

    def decide(self, condition: Value, taken: bool, line: int, skipped: Statement | None) -> None:
        self.trail.decisions.append(Decision(self._call, condition, taken, line, skipped))

    def require(self, condition: Value) -> None:
        self._guards += 1
        taken = truth(condition)
        self.decide(condition, taken is not False, self.line, None)
        if taken is False:
            raise Reverted(condition)

    def check(self, condition: Value) -> None:
        """`assert`."""
        taken = truth(condition)
        self.trail.asserts.append(Decision(self._call, condition, taken is not False, self.line, None))
        self.decide(condition, taken is not False, self.line, None)
        if taken is False:
            raise Reverted(condition, is_assert=True)

    def _loop(self, frame: Frame, loop: Loop) -> None:
        if loop.first is not None:
            self.execute(frame, loop.first)
        is_first = loop.at_least_once
        for _ in range(MAX_TURNS):
            if loop.condition is not None and not is_first:
                condition = self.evaluate(frame, loop.condition)
                taken = truth(condition)
                self.decide(condition, bool(taken), self.line, None if taken else loop.body)
                if not taken:
                    return
            is_first = False
            try:
                self.execute(frame, loop.body)
            except Left as left:
                if left.how == "break":
                    return
            if loop.after is not None:
                self.evaluate(frame, loop.after)
        raise TooLong


def _leaves(statement: Statement) -> bool:
    """The statement ends the function, so that the rest of it is not executed."""
    match statement:
        case Return():
            return True
        case Block(statements):
            return bool(statements) and _leaves(statements[-1])
    return False


def _reverts(statement: Statement) -> bool:
    """The statement does nothing but fail."""
    match statement:
        case Leave("revert"):
            return True
        case Block(statements):
            return bool(statements) and _reverts(statements[-1])
    return False

"""Expressions of the imitated execution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from orchestrator.autopilot.arithmetic import Reverted, compute, converted, negate, truth
from orchestrator.autopilot.built_in import BUILT_IN, global_member
from orchestrator.autopilot.linked import Linked
from orchestrator.autopilot.syntax import (
    Apply,
    Assign,
    Binary,
    Choice,
    Do,
    Expression,
    FunctionText,
    Index,
    Member,
    Name,
    New,
    Number,
    Several,
    Statement,
    Text,
    Truth,
    Unary,
)
from orchestrator.autopilot.values import (
    UNKNOWN,
    Items,
    Operation,
    Record,
    Slot,
    Table,
    Value,
    element_of,
    is_fixed_bytes,
    is_integer,
)
from orchestrator.autopilot.world import Frame, Instance, Surroundings, copied, default_value, entry, unknown

MAX_ITEMS = 1_000
_SIMPLE = ("address", "bytes", "string", "payable", "bool")


class TooLong(Exception):  # noqa: N818  # a limit
    """The imitation would take too long, or nests too deep."""


class Returned(Exception):  # noqa: N818  # control flow
    """`return`."""

    def __init__(self, value: Value | None) -> None:
        super().__init__("returned")
        self.value = value


class Left(Exception):  # noqa: N818  # control flow
    """`break` or `continue`."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class Evaluation(ABC):
    """Evaluates expressions; the statements are a subclass's."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.instances: dict[int, Instance] = {}
        self.timestamp, self.block = surroundings.timestamp, surroundings.block
        self.now = self.height = Value(0, "uint256")
        self.hashes: dict[int, Value] = {}
        self.is_checked = True
        self.line = 0
        self.assigning: Statement | None = None

    @abstractmethod
    def invoke(self, frame: Frame, function: FunctionText, arguments: Sequence[Value]) -> Value: ...

    @abstractmethod
    def create(self, code: Linked, sender: Value, arguments: Sequence[Value]) -> Value: ...

    @abstractmethod
    def spend(self, count: int) -> None:
        """So many steps, or places of values. Raises `TooLong`."""

    @abstractmethod
    def require(self, condition: Value) -> None: ...

    @abstractmethod
    def decide(self, condition: Value, taken: bool, line: int, skipped: Statement | None) -> None: ...

    @abstractmethod
    def check(self, condition: Value) -> None: ...

    def evaluate(self, frame: Frame, expression: Expression) -> Value:
        match expression:
            case Number(value):
                return Value(value, "number")
            case Text(content):
                return Value(content, "string")
            case Truth(value):
                return Value(value, "bool")
            case Name("this"):
                return Value(frame.instance.address, frame.instance.code.name)
            case Name() | Index():
                return self.place(frame, expression).read()
            case Member():
                return self._member(frame, expression)
            case Unary("delete", of):
                slot = self.place(frame, of)
                slot.value = default_value(slot.value.type, frame.instance.code, slot.variable, slot.keys)
                return slot.value
            case Unary(operator, of):
                return negate(operator, self.evaluate(frame, of))
            case Binary("&&" | "||"):
                return self._logical(frame, expression)
            case Binary(operator, left, right):
                sides = self.evaluate(frame, left), self.evaluate(frame, right)
                return compute(operator, *sides, is_checked=self.is_checked)
            case Choice():
                return self._chosen(frame, expression)
            case Several(members):
                values = [unknown("") if each is None else self.evaluate(frame, each) for each in members]
                return Value(Items(values[0].type if values else "", [Slot(each) for each in values]), "")
            case Assign():
                return self._assign(frame, expression)
            case Apply():
                return self._apply(frame, expression)
            case New():
                return unknown("")

    def _chosen(self, frame: Frame, expression: Choice) -> Value:
        """One of two; what the other one would be may tell which condition helps."""
        condition = self.evaluate(frame, expression.condition)
        taken = bool(truth(condition))
        self.decide(condition, taken, self.line, self.assigning)
        chosen, other = (expression.then, expression.otherwise)[:: 1 if taken else -1]
        found = self.evaluate(frame, chosen)
        try:
            rest = self.evaluate(frame, other) if isinstance(other, Number | Truth | Name) else unknown(found.type)
        except Reverted:
            rest = unknown(found.type)
        if isinstance(found.data, Items | Record | Table):
            return found
        kind = rest.type if found.type == "number" and rest.type else found.type
        return Value(found.data, kind, Operation("?", (condition, found, rest)))

    def _logical(self, frame: Frame, expression: Binary) -> Value:
        """Both sides are looked at: that of the right one may tell what helps."""
        left = self.evaluate(frame, expression.left)
        decided = truth(left)
        short = decided is (expression.operator == "||")
        try:
            right = self.evaluate(frame, expression.right)
        except Reverted:
            if not short:
                raise
            right = unknown("bool")
        term = Operation(expression.operator, (left, right))
        if short:
            return Value(decided, "bool", term)
        if decided is None:
            return Value(UNKNOWN, "bool", term)
        return Value(right.data, "bool", term)

    def place(self, frame: Frame, expression: Expression) -> Slot:
        """Return the place at which a name, an element or a member is kept."""
        match expression:
            case Name(text):
                if text in frame.locals:
                    return frame.locals[text]
                return frame.instance.slots.get(text) or Slot(unknown(text))
            case Index(of, key):
                return self._element(frame, self.place(frame, of), self.evaluate(frame, key))
            case Member(of, name):
                owner = self.place(frame, of)
                if isinstance(owner.value.data, Record) and name in owner.value.data.members:
                    return owner.value.data.members[name]
                return Slot(unknown(""))
            case _:
                return Slot(self.evaluate(frame, expression))

    def _element(self, frame: Frame, owner: Slot, key: Value) -> Slot:
        held = owner.value.data
        if isinstance(held, Table):
            return entry(held, self.cast(key, held.key_type, frame), owner, frame.instance.code, self.spend)
        if isinstance(held, Items):
            if not key.is_known:
                return Slot(unknown(held.element))
            if not 0 <= key.data < len(held.slots):
                raise Reverted(compute("<", key, self._length(owner.value)))
            return self._slot(held, int(key.data))
        if isinstance(held, bytes) and key.is_known:
            if not 0 <= key.data < len(held):
                raise Reverted(compute("<", key, self._length(owner.value)))
            term = Operation("byte", (owner.read(), key))
            return Slot(Value(held[key.data], "bytes1", term))
        if isinstance(held, int) and key.is_known and is_fixed_bytes(owner.value.type):
            size = int(owner.value.type[5:])
            if key.data < size:
                term = Operation("byte", (owner.read(), key))
                return Slot(Value(held >> 8 * (size - 1 - key.data) & 255, "bytes1", term))
        return Slot(unknown(""))

    @staticmethod
    def _slot(items: Items, place: int) -> Slot:
        return items.slots[place]

    def _length(self, value: Value) -> Value:
        if isinstance(value.data, Items):
            return Value(len(value.data.slots), "uint256", Operation("length", (value,)) if value.term else None)
        if isinstance(value.data, bytes):
            return Value(len(value.data), "uint256", Operation("length", (value,)))
        return unknown("uint256")

    def _member(self, frame: Frame, expression: Member) -> Value:
        found = global_member(self, frame, expression)
        if found is not None:
            return found
        name = expression.name
        slot = self.place(frame, expression.of) if isinstance(expression.of, Name | Index | Member) else None
        owner = slot.read() if slot is not None else self.evaluate(frame, expression.of)
        if name == "length":
            return self._stored_length(slot, owner)
        if name == "balance":
            held = self.instances.get(owner.data) if owner.is_known else None
            return Value(held.balance, "uint256") if held is not None else unknown("uint256")
        return self.place(frame, expression).read()

    def _stored_length(self, slot: Slot | None, owner: Value) -> Value:
        length = self._length(owner)
        if slot is None or not slot.variable:
            return length
        return Slot(Value(length.data, "uint256"), slot.variable, slot.keys, slot.table).read()

    def _assign(self, frame: Frame, expression: Assign) -> Value:
        before, self.assigning = self.assigning, Do(expression, self.line)
        value = self.evaluate(frame, expression.value)
        self.assigning = before
        if isinstance(expression.target, Several):
            given = value.data.slots if isinstance(value.data, Items) else []
            for target, slot in zip(expression.target.members, given, strict=False):
                if target is not None:
                    self.store(self.place(frame, target), slot.value)
            return value
        slot = self.place(frame, expression.target)
        old = slot.read()
        if expression.operator:
            value = compute(expression.operator, old, value, is_checked=self.is_checked)
        self.store(slot, self.cast(value, slot.value.type, frame))
        return old if expression.is_postfix else slot.read()

    def store(self, slot: Slot, value: Value) -> None:
        """Put a value into a place; structs and arrays are copied."""
        slot.value = copied(value, slot, self.spend)

    def cast(self, value: Value, kind: str, frame: Frame) -> Value:
        """The value as one of this type, as an assignment has it."""
        if isinstance(value.data, Items | Record | Table) or value.type == kind:
            return value
        if not value.is_known:
            return replace(value, type=kind)
        if is_fixed_bytes(kind) or (is_integer(kind) and isinstance(value.data, int) and value.type != "number"):
            found = converted(value, kind)
            return replace(found, term=value.term) if found.data == value.data else found
        return replace(value, type=kind)

    def _apply(self, frame: Frame, expression: Apply) -> Value:
        built_in = BUILT_IN.get(_path(expression.function))
        if built_in is not None:
            return built_in(self, frame, expression)
        arguments = [self.evaluate(frame, each) for each in expression.arguments]
        match expression.function:
            case New(kind):
                return self._new(frame, kind, arguments)
            case Name(text):
                return self._named(frame, text, arguments, expression)
            case Member(Name("super"), name):
                return self._super(frame, name, arguments)
            case Member(of, name):
                return self._method(frame, of, name, arguments, expression)
        return unknown("")

    def _new(self, frame: Frame, kind: str, arguments: Sequence[Value]) -> Value:
        code = self.surroundings.contracts.get(kind)
        if code is not None:
            return self.create(code, Value(frame.instance.address, "address"), arguments)
        size = max(0, min(arguments[0].data, MAX_ITEMS)) if arguments and arguments[0].is_known else 0
        if kind in ("bytes", "string"):
            return Value(bytes(size), kind)
        base, _ = element_of(kind)
        slots = [Slot(default_value(base, frame.instance.code, spend=self.spend)) for _ in range(size)]
        return Value(Items(base, slots), kind)

    def _named(self, frame: Frame, text: str, arguments: Sequence[Value], expression: Apply) -> Value:
        code = frame.instance.code
        if text in code.structs:
            members = [each.name for each in code.structs[text]]
            given = dict(zip(expression.names or members, arguments, strict=False))
            kinds = {each.name: each.type for each in code.structs[text]}
            slots = {name: Slot(self.cast(given.get(name, unknown(kind)), kind, frame)) for name, kind in kinds.items()}
            return Value(Record(text, slots), text)
        if is_integer(text) or is_fixed_bytes(text) or text in _SIMPLE or text == "uint" or text == "int":
            kind = {"uint": "uint256", "int": "int256", "payable": "address"}.get(text, text)
            return converted(arguments[0], kind) if arguments else unknown(kind)
        if text in code.enums or text in self.surroundings.contracts:
            return replace(arguments[0], type=text) if arguments else unknown(text)
        function = code.function(text, len(arguments))
        if function is None:
            return unknown("")
        return self.invoke(frame, function, arguments)

    def _super(self, frame: Frame, name: str, arguments: Sequence[Value]) -> Value:
        found = [each for each in frame.instance.code.functions.get(name, ()) if len(each.parameters) == len(arguments)]
        return self.invoke(frame, found[1], arguments) if len(found) > 1 else unknown("")

    def _method(self, frame: Frame, of: Expression, name: str, arguments: list[Value], expression: Apply) -> Value:
        if isinstance(of, Name) and of.text in self.surroundings.contracts and of.text not in frame.locals:
            return self._library(frame, of.text, name, arguments)
        owner = self.place(frame, of) if isinstance(of, Name | Index | Member) else Slot(self.evaluate(frame, of))
        held = owner.value.data
        if isinstance(held, Items) and name in ("push", "pop"):
            return self._resize(frame, owner, name, arguments)
        instance = self.instances.get(held) if isinstance(held, int) else None
        if instance is not None and (function := instance.code.function(name, len(arguments))) is not None:
            return self._external(frame, instance, function, arguments, expression)
        if name in ("transfer", "send", "call") and isinstance(held, int) and len(arguments) == 1:
            sent = arguments[0] if name != "call" else self._sent(frame, expression)
            return self._pay(frame, sent, name)
        for library in self.surroundings.contracts.values():
            attached = library.function(name, len(arguments) + 1)
            if attached is not None and "internal" in attached.words:
                return self._library(frame, library.name, name, [owner.read(), *arguments])
        return unknown("")

    def _library(self, frame: Frame, library: str, name: str, arguments: list[Value]) -> Value:
        function = self.surroundings.contracts[library].function(name, len(arguments))
        return self.invoke(frame, function, arguments) if function is not None else unknown("")

    def _external(
        self, frame: Frame, instance: Instance, function: FunctionText, arguments: list[Value], expression: Apply
    ) -> Value:
        sent = self._sent(frame, expression)
        if sent.is_known and sent.data:
            frame.instance.balance -= sent.data
            instance.balance += sent.data
        inner = replace(frame.within(instance), sender=Value(frame.instance.address, "address"), value=sent)
        return self.invoke(inner, function, arguments)

    def _sent(self, frame: Frame, expression: Apply) -> Value:
        return self.evaluate(frame, expression.value) if expression.value is not None else Value(0, "uint256")

    def _pay(self, frame: Frame, sent: Value, name: str) -> Value:
        """Ether leaves; what the receiver does is not looked at."""
        if sent.is_known:
            if sent.data > frame.instance.balance:
                raise Reverted(compute("<=", sent, Value(frame.instance.balance, "uint256")))
            frame.instance.balance -= sent.data
        done = Value(True, "bool")
        return done if name != "call" else Value(Items("", [Slot(done), Slot(unknown("bytes"))]), "")

    def _resize(self, frame: Frame, owner: Slot, name: str, arguments: Sequence[Value]) -> Value:
        items: Items = owner.value.data
        if name == "pop":
            if not items.slots:
                raise Reverted(compute(">", self._stored_length(owner, owner.value), Value(0, "uint256")))
            items.slots.pop()
            return unknown("")
        fresh = default_value(items.element, frame.instance.code, owner.variable, owner.keys, self.spend)
        slot = Slot(fresh, owner.variable, owner.keys)
        if arguments:
            self.store(slot, self.cast(arguments[0], items.element, frame))
        items.slots.append(slot)
        return slot.value


def _path(expression: Expression) -> str:
    match expression:
        case Name(text):
            return text
        case Member(Name(text), name):
            return f"{text}.{name}"
    return ""

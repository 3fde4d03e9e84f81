"""Choice of the inputs to change so that a condition holds: the operators on the way to an input are inverted one by
one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from orchestrator.autopilot.arithmetic import truth
from orchestrator.autopilot.values import (
    WORD,
    Input,
    Items,
    Operation,
    Read,
    Record,
    Table,
    Value,
    is_fixed_bytes,
    is_integer,
    range_of,
)

MAX_WAYS = 24
MAX_EXTREMES = 6
MAX_TERMS = 500
MAX_ETHER = 10**26
"""Wei that a sender surely has."""
MAX_DEPTH = 24
Changes: TypeAlias = Mapping[Input, Any]
"""New data of inputs; of `time` and `block`, by how much they grow."""
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True)
class Solver:
    """`senders` may send; `hashes` has what hashes were made of, `signers` the private key of an address."""

    senders: tuple[int, ...]
    hashes: Mapping[int, Value]
    signers: Mapping[int, int]
    sign: Any = None

    def ways(self, condition: Value, wanted: bool) -> list[Changes]:
        """Ways to make a condition hold, or fail; none of them is sure to."""
        found: list[Changes] = []
        for changes in islice(self._condition(condition, wanted, 0), 4 * MAX_WAYS):
            if changes and changes not in found:
                found.append(changes)
        return found[:MAX_WAYS]

    def extremes(self, condition: Value) -> list[Changes]:
        """Ends of the types of arguments, for what cannot be inverted."""
        ends = ({term: data} for term, kind in _arguments(condition) for data in range_of(kind))
        return list(islice(ends, MAX_EXTREMES))

    def _condition(self, value: Value, wanted: bool, depth: int) -> Iterator[Changes]:
        if depth > MAX_DEPTH:
            return
        match value.term:
            case Operation("!", (inner,)):
                yield from self._condition(inner, not wanted, depth + 1)
            case Operation("&&" | "||" as operator, (left, right)):
                if wanted is (operator == "&&"):
                    yield from self._both(left, right, wanted, depth)
                else:
                    yield from self._condition(left, wanted, depth + 1)
                    yield from self._condition(right, wanted, depth + 1)
            case Operation(operator, (left, right)) if operator in _OPPOSITE:
                yield from self._comparison(operator if wanted else _OPPOSITE[operator], left, right, depth + 1)
            case _:
                yield from self.towards(value, wanted, depth + 1)

    def _both(self, left: Value, right: Value, wanted: bool, depth: int) -> Iterator[Changes]:
        """The side that is wrong; both at once where both are."""
        wrong = [side for side in (left, right) if truth(side) is not wanted]
        if len(wrong) == 2:
            firsts = list(islice(self._condition(left, wanted, depth + 1), 4))
            for second in islice(self._condition(right, wanted, depth + 1), 4):
                yield from filter(None, (_merged((first, second)) for first in firsts))
        for side in wrong:
            yield from self._condition(side, wanted, depth + 1)

    def _comparison(self, operator: str, left: Value, right: Value, depth: int) -> Iterator[Changes]:
        match operator:
            case "==":
                yield from self.equal(left, right, depth)
            case "!=":
                for side, other in ((left, right), (right, left)):
                    if isinstance(other.data, int):
                        yield from self.towards(side, int(other.data) + 1, depth)
                        yield from self.towards(side, int(other.data) - 1, depth)
                        for sender in self.senders:
                            yield from self.towards(side, sender, depth)
            case "<":
                yield from self._ordered(left, right, 1, depth)
            case "<=":
                yield from self._ordered(left, right, 0, depth)
            case ">":
                yield from self._ordered(right, left, 1, depth)
            case _:
                yield from self._ordered(right, left, 0, depth)

    def _ordered(self, less: Value, more: Value, gap: int, depth: int) -> Iterator[Changes]:
        if not (isinstance(less.data, int) and isinstance(more.data, int)):
            return
        yield from self.towards(more, less.data + gap, depth)
        yield from self.towards(less, more.data - gap, depth)
        yield from self.towards(more, 2 * less.data + gap, depth)
        yield from self.towards(less, 0, depth)

    def equal(self, left: Value, right: Value, depth: int = 0) -> Iterator[Changes]:
        """Make two values equal."""
        if depth > MAX_DEPTH:
            return
        one, other = self._made_of(left), self._made_of(right)
        if one is not None and other is not None:
            yield from self._all_equal(one, other, depth + 1)
        elif one is not None and isinstance(right.data, int) and right.data in self.hashes:
            yield from self.equal(one[0], self.hashes[right.data], depth + 1)
        elif other is not None and isinstance(left.data, int) and left.data in self.hashes:
            yield from self.equal(self.hashes[left.data], other[0], depth + 1)
        yield from self.towards(left, right.data, depth + 1)
        yield from self.towards(right, left.data, depth + 1)

    def _made_of(self, value: Value) -> tuple[Value, ...] | None:
        """Return the parts that a hash or an encoding was made of."""
        term = value.term
        while isinstance(term, Read):
            term = term.inner.term
        if isinstance(term, Operation) and term.operator in ("keccak256", "encode", "pack"):
            return term.operands
        if isinstance(term, Operation) and term.operator.startswith("as "):
            return self._made_of(term.operands[0])
        return None

    def _all_equal(self, left: tuple[Value, ...], right: tuple[Value, ...], depth: int) -> Iterator[Changes]:
        if len(left) != len(right):
            return
        pairs = [pair for pair in zip(left, right, strict=True) if not _same(*pair)]
        # The left ones follow the right ones, or the other way round, or each as it can.
        for order in ((0, 1), (1, 0)):
            chosen: list[Changes] = []
            for pair in pairs:
                target, model = pair[order[0]], pair[order[1]]
                way = next(self._follow(target, model, depth), None) or next(self._follow(model, target, depth), None)
                if way is None:
                    break
                chosen.append(way)
            else:
                if (merged := _merged(chosen)) is not None:
                    yield merged

    def _follow(self, target: Value, model: Value, depth: int) -> Iterator[Changes]:
        if self._made_of(target) is not None and self._made_of(model) is not None:
            yield from self.equal(target, model, depth + 1)
            return
        yield from self.towards(target, model.data, depth + 1)

    def towards(self, value: Value, goal: Any, depth: int = 0) -> Iterator[Changes]:
        """Make a value this data."""
        if depth > MAX_DEPTH:
            return
        match value.term:
            case Input() as place:
                yield from self._set(place, value, goal)
            case Read(_, _, _, inner):
                yield from self.towards(inner, goal, depth + 1)
            case Operation(operator, operands):
                if isinstance(goal, Record | Items | Table):
                    return
                yield from self._inverted(operator, operands, goal, depth + 1)
            case None:
                if isinstance(value.data, Record) and isinstance(goal, Record):
                    pairs = zip(value.data.members.values(), goal.members.values(), strict=False)
                    merged = _merged([next(self.towards(a.value, b.value.data, depth + 1), {}) for a, b in pairs])
                    if merged:
                        yield merged

    def _set(self, place: Input, value: Value, goal: Any) -> Iterator[Changes]:
        kind = place.path[0]
        if isinstance(goal, Record):
            goal = [slot.value.data for slot in goal.members.values()]
        if isinstance(goal, Items):
            goal = [slot.value.data for slot in goal.slots]
        match kind:
            case "sender":
                if goal in self.senders:
                    yield {place: goal}
            case "value":
                if isinstance(goal, int) and 0 <= goal <= MAX_ETHER:
                    yield {place: goal}
            case "time" | "block":
                if isinstance(goal, int) and goal > value.data:
                    yield {place: goal - value.data}
            case _ if isinstance(goal, int) and not isinstance(value.data, bytes):
                low, high = range_of(value.type)
                if value.type == "bool":
                    yield {place: bool(goal)}
                elif low <= goal <= high:
                    yield {place: int(goal)}
            case _ if isinstance(goal, bytes) and is_fixed_bytes(value.type):
                size = int(value.type[5:])
                yield {place: int.from_bytes(goal[:size].ljust(size, b"\0"), "big")}
            case _ if isinstance(goal, bytes | list):
                yield {place: goal}

    def _inverted(self, operator: str, operands: tuple[Value, ...], goal: Any, depth: int) -> Iterator[Changes]:
        match operator, operands:
            case ("&&" | "||" | "!", _) | ("==" | "!=" | "<" | ">" | "<=" | ">=", _):
                condition = Value(not goal, "bool", Operation(operator, operands))
                yield from self._condition(condition, bool(goal), depth)
            case "?", (condition, chosen, other):
                yield from self.towards(chosen, goal, depth)
                if not other.is_known or other.data == goal:
                    yield from self._condition(condition, not truth(condition), depth)
            case "keccak256", (content,):
                if goal in self.hashes:
                    yield from self.equal(content, self.hashes[goal], depth)
            case "recover", (digest, *signature):
                yield from self._signed(digest, signature, goal, depth)
            case "length", (container,):
                yield from self._resized(container, goal, depth)
            case "byte", (container, key) if isinstance(container.data, bytes) and key.is_known:
                letters = bytearray(container.data)
                letters[key.data] = _byte(goal)
                yield from self.towards(container, bytes(letters), depth)
            case "byte", (container, key) if isinstance(container.data, int) and key.is_known:
                shift = 8 * (int(container.type[5:]) - 1 - key.data)
                yield from self.towards(container, container.data & ~(255 << shift) | _byte(goal) << shift, depth)
            case "-", (inner,):
                yield from self.towards(inner, -goal, depth)
            case "~", (inner,):
                yield from self.towards(inner, ~goal % WORD, depth)
            case _, (inner,) if operator.startswith("as "):
                yield from self._converted(operator[3:], inner, goal, depth)
            case _, (left, right) if isinstance(goal, int) and left.is_known and right.is_known:
                if isinstance(left.data, int) and isinstance(right.data, int):
                    for side, data in _inverses(operator, left.data, right.data, int(goal)):
                        yield from self.towards(operands[side], data, depth)

    def _converted(self, kind: str, inner: Value, goal: Any, depth: int) -> Iterator[Changes]:
        if isinstance(inner.data, bytes) and isinstance(goal, int) and is_fixed_bytes(kind):
            yield from self.towards(inner, goal.to_bytes(int(kind[5:]), "big").rstrip(b"\0"), depth)
            return
        if is_fixed_bytes(kind) and is_fixed_bytes(inner.type) and isinstance(goal, int):
            shift = 8 * (int(kind[5:]) - int(inner.type[5:]))
            goal = goal >> shift if shift >= 0 else goal << -shift
        yield from self.towards(inner, goal, depth)
        # What is cut off may stay as it is.
        if isinstance(inner.data, int) and isinstance(goal, int) and is_integer(kind):
            size = range_of(kind)[1] - range_of(kind)[0] + 1
            if inner.data >= size:
                yield from self.towards(inner, inner.data - inner.data % size + goal % size, depth)

    def _resized(self, container: Value, goal: Any, depth: int) -> Iterator[Changes]:
        if not isinstance(goal, int) or not 0 <= goal <= 1_000:
            return
        if isinstance(container.data, bytes):
            yield from self.towards(container, container.data[:goal].ljust(goal, b"\0"), depth)
        elif isinstance(container.data, Items) and isinstance(container.term, Input):
            present = [slot.value.data for slot in container.data.slots][:goal]
            fresh = present[-1] if present else 1
            # Without a member to repeat, nothing is known of structs, arrays and texts.
            if not isinstance(fresh, Record | Items) and (present or _is_word(container.data.element)):
                yield {container.term: present + [fresh] * (goal - len(present))}

    def _signed(self, digest: Value, signature: list[Value], goal: Any, depth: int) -> Iterator[Changes]:
        key = self.signers.get(goal) if isinstance(goal, int) else None
        if key is None or not digest.is_known or self.sign is None:
            return
        parts = self.sign(key, digest.data)
        found = [
            next(self.towards(value, part, depth), None)
            for value, part in zip(signature, parts, strict=True)
            if value.data != part
        ]
        if None not in found and (merged := _merged([each for each in found if each is not None])) is not None:
            yield merged


def _is_word(kind: str) -> bool:
    return is_integer(kind) or is_fixed_bytes(kind) or kind in ("bool", "address")


def _inverses(operator: str, left: int, right: int, goal: int) -> Iterator[tuple[int, int]]:
    """Sides and the data that would give the goal."""
    match operator:
        case "+":
            yield 0, goal - right
            yield 1, goal - left
        case "-":
            yield 0, goal + right
            yield 1, left - goal
        case "*":
            for side, other in ((0, right), (1, left)):
                if other:
                    yield side, goal // other
                    if goal % other:
                        yield side, goal // other + 1
        case "/":
            yield 0, goal * right
            yield 0, goal * right + max(right - 1, 0)
            if goal:
                yield 1, left // goal
        case "%":
            if right and goal < right:
                yield 0, left - left % right + goal
                yield 0, goal
                yield 0, right + goal
            if left > goal:
                yield 1, left - goal
        case "^":
            yield 0, goal ^ right
            yield 1, goal ^ left
        case "&" | "|":
            yield 0, goal
            yield 1, goal
            yield 0, left | goal
        case "<<":
            yield 0, goal >> min(right, 512)
        case ">>":
            yield 0, goal << min(right, 256)
        case "**":
            yield from _roots(left, right, goal)


def _roots(left: int, right: int, goal: int) -> Iterator[tuple[int, int]]:
    if right > 0 and goal > 0:
        root = round(goal ** (1 / right)) if goal < 1 << 1000 else 0
        yield 0, root
    if left > 1:
        power = 0
        while left**power < goal and power < 256:
            power += 1
        yield 1, power


def _same(left: Value, right: Value) -> bool:
    simple = not isinstance(left.data, Record | Items | Table)
    return simple and left.is_known and bool(left.data == right.data)


def _merged(ways: Iterable[Changes]) -> Changes | None:
    """All changes at once; None where two of them differ on an input."""
    found: dict[Input, Any] = {}
    for way in ways:
        for place, data in way.items():
            if place in found and found[place] != data:
                return None
            found[place] = data
    return found


def _byte(data: Any) -> int:
    return data[0] if isinstance(data, bytes) and data else int(data) & 255 if isinstance(data, int) else 0


def _arguments(value: Value) -> Iterator[tuple[Input, str]]:
    """Integer arguments that a value was made of, with their types."""
    waiting, seen = [value], 0
    while waiting and (seen := seen + 1) < MAX_TERMS:
        current = waiting.pop(0)
        match current.term:
            case Input(_, ("argument", *_)) as place if is_integer(current.type):
                yield place, current.type
            case Operation(_, operands):
                waiting.extend(operands)
            case Read(_, _, _, inner):
                waiting.append(inner)

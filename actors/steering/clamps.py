"""Clamps from users: arguments of functions bound to values or ranges, and functions bound to senders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from actors.runtime.errors import CommandRejected
from actors.steering.call_reader import TargetContract
from actors.steering.commands import ArgumentLimit, ClampFunction, FunctionClamped
from simulator.abi.argument_paths import ArgumentPlace, argument_place
from simulator.abi.call_parser import parse_value
from simulator.abi.codec import encode
from simulator.abi.contract import Function
from simulator.abi.literals import Wildcard
from simulator.abi.types import Int, UInt, Value
from simulator.errors import AbiError
from simulator.known_names import known_names
from simulator.worker.commands import ArgumentBinding, Clamp, SetClamps

MAX_CLAMPS = 256
MAX_ARGUMENTS = 64
MAX_CHOICES = 1_000
MAX_CHARACTERS = 1 << 20
_SENDER_CHARACTERS = 40
FORM = "bind an argument to values, or to a range with min and max of which one may be left out"


class ClampBook:
    """Plain state; owned by the steering actor. `contracts` lists what is deployed."""

    def __init__(self, contracts: Callable[[], Sequence[TargetContract]]) -> None:
        self._contracts = contracts
        self._clamps: dict[str, tuple[ClampFunction, Clamp]] = {}

    def __bool__(self) -> bool:
        return bool(self._clamps)

    def __len__(self) -> int:
        return len(self._clamps)

    def set(self, wanted: ClampFunction) -> FunctionClamped:
        """Bind one function, in place of what bound it under the same name before; nothing, where nothing is wanted.
        Raises `CommandRejected`."""
        if not wanted.arguments and not wanted.senders:
            self._clamps.pop(wanted.function, None)
            return FunctionClamped((), self.infos())
        functions = self._functions(wanted.function)
        clamp = _read(wanted, functions)
        others = [each for name, (each, _) in self._clamps.items() if name != wanted.function]
        if len(others) >= MAX_CLAMPS:
            raise CommandRejected(f"at most {MAX_CLAMPS} functions can be bound; reset_functions takes all back")
        if sum(map(_characters, (*others, wanted))) > MAX_CHARACTERS:
            raise CommandRejected(f"the values of all clamps have more than {MAX_CHARACTERS} characters together")
        self._clamps.pop(wanted.function, None)
        self._clamps[wanted.function] = (wanted, clamp)
        return FunctionClamped(tuple(functions), self.infos())

    def clear(self) -> int:
        """Bind nothing; returns how many functions were bound."""
        count = len(self._clamps)
        self._clamps.clear()
        return count

    def infos(self) -> tuple[ClampFunction, ...]:
        """The clamps in force as users gave them."""
        return tuple(wanted for wanted, _ in self._clamps.values())

    def command(self) -> SetClamps:
        """The same in the form sent to workers."""
        return SetClamps(tuple(clamp for _, clamp in self._clamps.values()))

    def _functions(self, name: str) -> dict[str, Function]:
        """The functions that are called so, by contract and signature."""
        known = {
            f"{contract.name}.{function.signature}": function
            for contract in self._contracts()
            for function in contract.abi.functions
        }
        found = {
            full: function for full, function in known.items() if name in (full, function.signature, function.name)
        }
        if not found:
            raise CommandRejected(f"there is no function {name[:200]!r}; known are {known_names(name, known)}")
        return found


def _read(wanted: ClampFunction, functions: dict[str, Function]) -> Clamp:
    if len(wanted.arguments) > MAX_ARGUMENTS or len(wanted.senders) > MAX_CHOICES:
        raise CommandRejected(f"a function has at most {MAX_ARGUMENTS} bound arguments and {MAX_CHOICES} senders")
    if any(len(sender) != 20 or not any(sender) for sender in wanted.senders):
        raise CommandRejected("a sender is an address of 20 bytes other than zero")
    bindings = [binding for limit in wanted.arguments for binding in _bindings(limit, functions)]
    return Clamp(wanted.function, tuple(bindings), tuple(dict.fromkeys(wanted.senders)))


def _bindings(limit: ArgumentLimit, functions: dict[str, Function]) -> list[ArgumentBinding]:
    """One for each type that overloads give the argument. Raises `CommandRejected` where none has it."""
    places: dict[str, ArgumentPlace] = {}
    errors: list[AbiError] = []
    for function in functions.values():
        try:
            place = argument_place(function, limit.argument)
        except AbiError as error:
            errors.append(error)
        else:
            places.setdefault(place.type.canonical, place)
    if not places:
        raise CommandRejected(str(errors[0]))
    try:
        return [_binding(limit, place) for place in places.values()]
    except AbiError as error:
        raise CommandRejected(f"argument {limit.argument}: {error}") from None


def _binding(limit: ArgumentLimit, place: ArgumentPlace) -> ArgumentBinding:
    canonical = place.type.canonical
    if limit.values:
        if limit.minimum is not None or limit.maximum is not None:
            raise AbiError(f"values and a range exclude each other: {FORM}")
        if len(limit.values) > MAX_CHOICES:
            raise AbiError(f"at most {MAX_CHOICES} values, not {len(limit.values)}")
        words = dict.fromkeys(_word(text, place) for text in limit.values)
        return ArgumentBinding(limit.argument, canonical, tuple(words))
    if limit.minimum is None and limit.maximum is None:
        raise AbiError(f"neither values nor a range is given: {FORM}")
    if not isinstance(place.type, UInt | Int):
        raise AbiError(f"a range needs a number, and this is {canonical}; give values instead")
    bits, is_signed = place.type.bits, isinstance(place.type, Int)
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    low = least if limit.minimum is None else _number(limit.minimum, place)
    high = most if limit.maximum is None else _number(limit.maximum, place)
    if low > high:
        raise AbiError(f"min {low} is above max {high}")
    return ArgumentBinding(limit.argument, canonical, (), _encoded(low, place), _encoded(high, place))


def _value(text: str, place: ArgumentPlace) -> Value:
    value = parse_value(text, place.type)
    if isinstance(value, Wildcard):
        raise AbiError("a wildcard is no value")
    return cast("Value", value)


def _number(text: str, place: ArgumentPlace) -> int:
    return cast("int", _value(text, place))


def _word(text: str, place: ArgumentPlace) -> bytes:
    return _encoded(_value(text, place), place)


def _encoded(value: Value, place: ArgumentPlace) -> bytes:
    return encode((place.type,), (value,))


def _characters(clamp: ClampFunction) -> int:
    texts = (text for limit in clamp.arguments for text in (*limit.values, limit.minimum or "", limit.maximum or ""))
    return sum(map(len, texts)) + _SENDER_CHARACTERS * len(clamp.senders)


def restored(book: ClampBook, clamps: tuple[ClampFunction, ...]) -> list[str]:
    """Restore the clamps of a checkpoint. Return one sentence for each that no longer fits the target."""
    problems = []
    for clamp in clamps:
        try:
            book.set(clamp)
        except CommandRejected as error:
            problems.append(f"the clamp of {clamp.function} is dropped: {error}")
    return problems

"""Functions, events and errors that a contract's JSON ABI offers: functions, events, errors, constructor, fallback
and receive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from simulator.abi import hashing
from simulator.abi.codec import decode, encode
from simulator.abi.types import AbiType, Array, FixedBytes, Tuple, Value, parse_tuple
from simulator.errors import AbiError

Mutability = Literal["pure", "view", "nonpayable", "payable"]
_NO_PARAMETERS = Tuple(())


@dataclass(frozen=True)
class Function:
    """One external function. `inputs` and `outputs` carry the parameters' names. `written` is the signature where the
    types do not give it, as for libraries."""

    name: str
    inputs: Tuple
    outputs: Tuple = _NO_PARAMETERS
    mutability: Mutability = "nonpayable"
    written: str = ""

    @cached_property
    def signature(self) -> str:
        """Canonical, e.g. `transfer(address,uint256)`."""
        return self.written or self.name + self.inputs.canonical

    @cached_property
    def selector(self) -> bytes:
        return hashing.selector(self.signature)

    @property
    def payable(self) -> bool:
        return self.mutability == "payable"

    @property
    def is_view(self) -> bool:
        """Declared `view` or `pure`."""
        return self.mutability in ("view", "pure")

    def encode_call(self, values: Sequence[Value]) -> bytes:
        """Selector and arguments. Raises `AbiError` naming function and argument."""
        try:
            return self.selector + encode(self.inputs.members, values)
        except AbiError as error:
            raise AbiError(f"{self.signature}: {error}") from None

    def decode_call(self, data: bytes, *, strict: bool = True) -> tuple[Value, ...]:
        """The arguments of calldata with this function's selector. Raises `AbiError`."""
        if data[:4] != self.selector:
            raise AbiError(
                f"{self.signature}: the calldata has selector 0x{data[:4].hex()}, not 0x{self.selector.hex()}"
            )
        return decode(self.inputs.members, data[4:], strict=strict)

    def decode_result(self, data: bytes, *, strict: bool = True) -> tuple[Value, ...]:
        """The values a successful call returned. Raises `AbiError`."""
        return decode(self.outputs.members, data, strict=strict)


@dataclass(frozen=True)
class AbiEvent:
    """`indexed` has one flag per input."""

    name: str
    inputs: Tuple
    indexed: tuple[bool, ...]
    anonymous: bool = False

    @cached_property
    def signature(self) -> str:
        return self.name + self.inputs.canonical

    @cached_property
    def topic0(self) -> bytes:
        return hashing.event_topic(self.signature)

    def decode(self, topics: Sequence[bytes], data: bytes) -> tuple[Value, ...]:
        """One value per input, in declaration order, padding not examined. An indexed value of a reference type is
        the 32-byte hash the log holds instead. Raises `AbiError` when topics or data do not fit."""
        hashed = list(topics if self.anonymous else topics[1:])
        if len(hashed) != sum(self.indexed) or (not self.anonymous and topics[0] != self.topic0):
            raise AbiError(f"{self.signature}: the log's topics are not this event's")
        plain = [member for member, flag in zip(self.inputs.members, self.indexed, strict=True) if not flag]
        stored = iter(decode(plain, data, strict=False))
        topic = iter(hashed)
        return tuple(
            decode((_topic_type(member),), next(topic), strict=False)[0] if flag else next(stored)
            for member, flag in zip(self.inputs.members, self.indexed, strict=True)
        )


def _topic_type(abi_type: AbiType) -> AbiType:
    return FixedBytes(32) if abi_type.is_dynamic or isinstance(abi_type, Array | Tuple) else abi_type


@dataclass(frozen=True)
class CustomError:
    """An `error` declaration; its revert data looks like a call of it."""

    name: str
    inputs: Tuple

    @cached_property
    def signature(self) -> str:
        return self.name + self.inputs.canonical

    @cached_property
    def selector(self) -> bytes:
        return hashing.selector(self.signature)


@dataclass(frozen=True)
class Constructor:
    inputs: Tuple = _NO_PARAMETERS
    payable: bool = False


@dataclass(frozen=True)
class Fallback:
    payable: bool


@dataclass(frozen=True)
class ContractAbi:
    """The whole ABI of one contract.

    A constructor that is not declared is the default one. `problems` names entries that were left out, because their
    types are none of the ABI (`fixed`, a library's storage pointers); everything else stays usable.
    """

    functions: tuple[Function, ...] = ()
    events: tuple[AbiEvent, ...] = ()
    errors: tuple[CustomError, ...] = ()
    constructor: Constructor = Constructor()
    fallback: Fallback | None = None
    receive: bool = False
    problems: tuple[str, ...] = field(default=(), compare=False)

    @staticmethod
    def from_json(abi: Iterable[Mapping[str, Any]]) -> ContractAbi:
        """Read a JSON ABI, of solc 0.4 (`constant`, `payable`) as well as of today (`stateMutability`).

        Raises `AbiError` when it is not a list of objects.
        """
        if isinstance(abi, str | Mapping) or not isinstance(abi, Iterable):
            raise AbiError("a JSON ABI must be a list of objects")
        return _read(abi)

    @cached_property
    def by_selector(self) -> Mapping[bytes, Function]:
        return {function.selector: function for function in self.functions}

    @cached_property
    def by_signature(self) -> Mapping[str, Function]:
        return {function.signature: function for function in self.functions}

    @cached_property
    def by_topic(self) -> Mapping[bytes, AbiEvent]:
        """Events that are not anonymous, by their first topic."""
        return {event.topic0: event for event in self.events if not event.anonymous}

    def overloads(self, name: str) -> tuple[Function, ...]:
        """All functions with this name, in the order of the ABI."""
        return tuple(function for function in self.functions if function.name == name)


def _read(abi: Iterable[Mapping[str, Any]]) -> ContractAbi:
    functions: list[Function] = []
    events: list[AbiEvent] = []
    errors: list[CustomError] = []
    constructor, fallback, receive = Constructor(), None, False
    problems: list[str] = []
    for entry in abi:
        if not isinstance(entry, Mapping):
            raise AbiError(f"a JSON ABI must hold objects, not {type(entry).__name__}")
        kind = entry.get("type", "function")
        try:
            match kind:
                case "function":
                    functions.append(_read_function(entry))
                case "event":
                    events.append(_read_event(entry))
                case "error":
                    errors.append(CustomError(_name(entry), _parameters(entry, "inputs")))
                case "constructor":
                    constructor = Constructor(_parameters(entry, "inputs"), _mutability(entry) == "payable")
                case "fallback":
                    fallback = Fallback(_mutability(entry) == "payable")
                case "receive":
                    receive = True
                case _:
                    raise AbiError("unknown kind of entry")
        except AbiError as error:
            problems.append(f"{kind} {entry.get('name', '')}: {error}")
    return ContractAbi(tuple(functions), tuple(events), tuple(errors), constructor, fallback, receive, tuple(problems))


def _read_function(entry: Mapping[str, Any]) -> Function:
    inputs, outputs = _parameters(entry, "inputs"), _parameters(entry, "outputs")
    return Function(_name(entry), inputs, outputs, _mutability(entry))


def _read_event(entry: Mapping[str, Any]) -> AbiEvent:
    inputs = _parameters(entry, "inputs")
    indexed = tuple(bool(parameter.get("indexed", False)) for parameter in entry.get("inputs", ()))
    return AbiEvent(_name(entry), inputs, indexed, bool(entry.get("anonymous", False)))


def _name(entry: Mapping[str, Any]) -> str:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise AbiError("the entry has no name")
    return name


def _parameters(entry: Mapping[str, Any], key: str) -> Tuple:
    return parse_tuple(entry.get(key, ()))


def _mutability(entry: Mapping[str, Any]) -> Mutability:
    declared = entry.get("stateMutability")
    if declared is None:
        declared = "view" if entry.get("constant") else "payable" if entry.get("payable") else "nonpayable"
    for known in get_args(Mutability):
        if declared == known:
            return known  # type: ignore[no-any-return]
    raise AbiError(f"stateMutability is {declared!r}; allowed are pure, view, nonpayable, payable")

"""Built-in functions and variables of Solidity: `require`, `keccak256`, `abi`, `msg`, `block`, `type`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from orchestrator.autopilot.arithmetic import Reverted, compute
from orchestrator.autopilot.encoding import Unencodable, abi_type, encoded, hashed, selector_of
from orchestrator.autopilot.syntax import Apply, Expression, Member, Name
from orchestrator.autopilot.values import UNKNOWN, Operation, Value, range_of
from orchestrator.autopilot.world import Frame, Surroundings, unknown
from tools.campaign.expressions import evaluate


class Host(Protocol):
    """The execution that a built-in function is a part of."""

    surroundings: Surroundings
    now: Value
    height: Value
    hashes: dict[int, Value]
    """What each hash was made of."""

    def evaluate(self, frame: Frame, expression: Expression) -> Value: ...

    def require(self, condition: Value) -> None: ...

    def check(self, condition: Value) -> None: ...


BuiltIn = Callable[[Host, Frame, Apply], Value]


def _require(machine: Host, frame: Frame, call: Apply) -> Value:
    machine.require(machine.evaluate(frame, call.arguments[0]))
    return unknown("")


def _assert(machine: Host, frame: Frame, call: Apply) -> Value:
    machine.check(machine.evaluate(frame, call.arguments[0]))
    return unknown("")


def _revert(machine: Host, frame: Frame, call: Apply) -> Value:
    raise Reverted


def _keccak(machine: Host, frame: Frame, call: Apply) -> Value:
    content = machine.evaluate(frame, call.arguments[0])
    found = hashed(content)
    if found.is_known:
        machine.hashes[found.data] = content
    return found


def _encode(machine: Host, frame: Frame, call: Apply) -> Value:
    return encoded("encode", [machine.evaluate(frame, each) for each in call.arguments], frame.instance.code)


def _pack(machine: Host, frame: Frame, call: Apply) -> Value:
    return encoded("pack", [machine.evaluate(frame, each) for each in call.arguments], frame.instance.code)


def _recover(machine: Host, frame: Frame, call: Apply) -> Value:
    """Leave the signer of a hash open: a plan that signs says so by the same term."""
    operands = tuple(machine.evaluate(frame, each) for each in call.arguments)
    data = [each.data for each in operands]
    signer = machine.surroundings.signatures.get(tuple(data)) if UNKNOWN not in data else None
    return Value(signer if signer is not None else 0, "address", Operation("recover", operands))


def _modular(operator: str) -> BuiltIn:
    def apply(machine: Host, frame: Frame, call: Apply) -> Value:
        a, b, modulus = (machine.evaluate(frame, each) for each in call.arguments)
        term = Operation(f"{operator}mod", (a, b, modulus))
        if not (a.is_known and b.is_known and modulus.is_known):
            return Value(UNKNOWN, "uint256", term)
        if not modulus.data:
            raise Reverted(compute("!=", modulus, Value(0, "uint256")))
        found = a.data + b.data if operator == "add" else a.data * b.data
        return Value(found % modulus.data, "uint256", term)

    return apply


def _blockhash(machine: Host, frame: Frame, call: Apply) -> Value:
    return unknown("bytes32")


BUILT_IN: dict[str, BuiltIn] = {
    "require": _require,
    "assert": _assert,
    "revert": _revert,
    "keccak256": _keccak,
    "abi.encode": _encode,
    "abi.encodePacked": _pack,
    "bytes.concat": _pack,
    "string.concat": _pack,
    "ecrecover": _recover,
    "addmod": _modular("add"),
    "mulmod": _modular("mul"),
    "blockhash": _blockhash,
}


def global_member(machine: Host, frame: Frame, expression: Member) -> Value | None:
    """`msg.sender` and the like; None for a member of something else."""
    match expression:
        case Member(Name("msg"), "sender"):
            return frame.sender
        case Member(Name("msg"), "value"):
            return frame.value
        case Member(Name("tx"), "origin"):
            return frame.origin
        case Member(Name("block"), "timestamp"):
            return machine.now
        case Member(Name("block"), "number"):
            return machine.height
        case Member(Name("block" | "tx"), _):
            return unknown("uint256")
        case Member(Apply(Name("type"), (Name(kind),), _, _), "max" | "min" as end):
            return Value(range_of(kind)[end == "max"], kind)
        case Member(Name(kind), name) if kind in frame.instance.code.enums and kind not in frame.locals:
            values = frame.instance.code.enums[kind]
            return Value(values.index(name), kind) if name in values else unknown(kind)
        case Member(Member(Name("this"), name), "selector") | Member(Name(name), "selector"):
            return _selector(frame, name)
        case Member(Name(library), name) if library in machine.surroundings.contracts and library not in frame.locals:
            slot = frame.instance.slots.get(name)
            return slot.read() if slot is not None else None
    return None


def _selector(frame: Frame, name: str) -> Value:
    code = frame.instance.code
    for function in code.functions.get(name, ()):
        try:
            kinds = [abi_type(each.type, code) for each in function.parameters]
        except Unencodable:
            continue
        return Value(int.from_bytes(selector_of(name, kinds), "big"), "bytes4")
    return unknown("bytes4")


def signature_of(key: int, digest: int) -> tuple[int, int, int]:
    """v, r and s of a digest, as the tool `evaluate` signs it."""
    blob = bytes.fromhex(evaluate(f"sign({key}, 0x{digest:064x})").text.removeprefix("0x"))
    return blob[64], int.from_bytes(blob[:32], "big"), int.from_bytes(blob[32:64], "big")


def address_of(key: int) -> int:
    """The account of a private key, as the tool `evaluate` computes it."""
    return int(evaluate(f"addressOf({key})").text, 16)

"""Constants that are others, writes that are left out or seen too late, calls whose outcome is not looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from simulator.compile.syntax.operations import Operation
from simulator.evm.opcodes import OPCODES
from simulator.mutation.arithmetic import checks_a_constant
from simulator.mutation.change import Change
from simulator.mutation.code_view import JUMP, CodeView
from simulator.mutation.editing import edit, edit_all
from simulator.mutation.mutant import Edit
from simulator.mutation.places import UnitPlaces
from simulator.mutation.routines import assembled, number_type, push

_BYTES = {opcode.name: opcode.byte for opcode in OPCODES.values()}
_SSTORE = _BYTES["SSTORE"]
_SLOAD = _BYTES["SLOAD"]
_CALL, _STATICCALL = _BYTES["CALL"], _BYTES["STATICCALL"]
_DUP1 = _BYTES["DUP1"]
_WORD = 1 << 256
_TRUTHS = {"true": 1, "false": 0}


def literal_changes(
    operation: Operation, file: int, places: UnitPlaces, operand_of: Operation | None
) -> Iterator[Change]:
    """Other numbers in place of one: one more, one less, none, the greatest. `operand_of` is the arithmetic that the
    number is an operand of: nothing is divided by 0, which compilers check when they compile."""
    value = _TRUTHS.get(operation.value)
    if value is not None:
        others = {("false" if value else "true"): 1 - value}
    else:
        value = int(operation.value)
        others = {str(other): other for other in _other_numbers(value, operation.type)}
        if operation.type:
            highest = _highest(operation.type)
            others[f"type({operation.type}).max"] = highest
            others = {name: other for name, other in others.items() if other <= highest}
        if operand_of is not None and operand_of.operator[:1] in "/%":
            others = {name: other for name, other in others.items() if other}
    for name, other in others.items():
        if other == value:
            continue
        change = Change("constant", name)
        for view, found in places.of(operation, file):
            pushes = [index for index in found if view.pushed(index) == value % _WORD]
            is_checked = operand_of is not None and checks_a_constant(operand_of, file, view)
            edits = (_push_instead(view, index, other % _WORD, found) for index in pushes)
            change.add(view, (None if is_checked else each for each in edits))
        yield change


def _other_numbers(value: int, type_: str) -> list[int]:
    signed = type_.startswith("int")
    return [other for other in dict.fromkeys((value + 1, value - 1, 0)) if other >= 0 or signed]


def _highest(type_: str) -> int:
    signed, bits = number_type(type_)
    return (1 << (bits - 1 if signed else bits)) - 1


def _push_instead(view: CodeView, index: int, value: int, found: Collection[int]) -> Edit | None:
    if view.via_ir and not view.is_used_once(index):
        return None  # Equal numbers of a function may be one.
    step = view.steps[index]
    behind = index + 1
    if behind < len(view.steps) and view.steps[behind].opcode == _DUP1 and behind not in found:
        # The compiler has made one PUSH and DUP1 of two equal PUSHes; the second, such as a slot, keeps its number.
        return edit(view, index, behind, push(value, 1) + view.code[step.pc : step.end])
    return edit(view, index, index, push(value, min(max(step.end - step.pc - 1, 1), 32)))


def store_changes(operation: Operation, file: int, places: UnitPlaces) -> Iterator[Change]:
    """A write to storage left out."""
    change = Change("store", "(not stored)")
    for view, found in places.of(operation, file):
        stores = [index for index in found if view.steps[index].opcode == _SSTORE]
        change.add(view, (edit(view, index, index, assembled("POP POP")) for index in stores))
        change.add(view, (_return_at_once(view, index) for index in _calls_that_store(view, found)))
    yield change


# Beside each slot, at the complement of its address in transient storage, stands what the last write has changed of it.
_NOTE = "DUP2 DUP2 SLOAD XOR DUP2 NOT TSTORE SSTORE"
_AS_BEFORE = "DUP1 NOT TLOAD SWAP1 SLOAD XOR"


def read_changes(operation: Operation, file: int, places: UnitPlaces, text: str) -> Iterator[Change]:
    """A read of storage that gets what stood there before the last write of the same transaction."""
    change = Change("stale", f"{text} (before its last write)")
    for view, found in places.of(operation, file):
        loads = {at: assembled(_AS_BEFORE) for at in found if view.steps[at].opcode == _SLOAD}
        # A write that cannot be noted spoils the change, as what it has changed would be unknown.
        stores = {at: assembled(_NOTE) for at in view.with_opcode(_SSTORE)} if loads else {}
        change.add(view, (_marked(view, one, loads) for one in edit_all(view, {**stores, **loads})))
    yield change


def _marked(view: CodeView, noted: Edit | None, loads: Collection[int]) -> Edit | None:
    """The edit, marked where it only notes what a write changes."""
    if noted is None or any(noted.start <= view.steps[at].pc < noted.end for at in loads):
        return noted
    return msgspec.structs.replace(noted, aside=True)


def _calls_that_store(view: CodeView, found: Sequence[int]) -> Iterator[int]:
    """Jumps to helpers that write and return nothing."""
    for index in found:
        helper = view.helper_called_at(index) if view.steps[index].opcode == JUMP else None
        if helper is not None and helper.results == 0 and _SSTORE in helper.opcodes:
            yield index


def _return_at_once(view: CodeView, index: int) -> Edit | None:
    helper = view.helper_called_at(index)
    assert helper is not None, "the caller has looked"
    return edit(view, index - 1, index, assembled(" ".join(["POP"] * helper.arguments + ["JUMP"])))


def call_changes(operation: Operation, file: int, places: UnitPlaces, text: str) -> Iterator[Change]:
    """An external call whose failure is ignored, whose value is not sent, whose result is zero, or that is left out."""
    returns_word = operation.value == "1"
    kinds = [("call", f"{text} (failure ignored)", (_CALL,), "CALL POP 1")]
    if "value" in operation.operator or operation.operator in ("transfer", "send"):
        kinds.append(("call", f"{text} (no value sent)", (_CALL,), "SWAP2 POP 0 SWAP2 CALL"))
    if operation.value in ("", "0"):
        kinds.append(("call", "(not called)", (_CALL,), "POP POP POP POP POP POP POP 1"))
    for operator, after, opcodes, code in kinds:
        yield _with_calls(operator, after, operation, file, places, dict.fromkeys(opcodes, code))
    if returns_word:
        # Behind the call, the word at the address of its output, kept in scratch memory, is made zero.
        behind = "0 0 MLOAD MSTORE"
        codes = {_CALL: f"DUP6 0 MSTORE CALL {behind}", _STATICCALL: f"DUP5 0 MSTORE STATICCALL {behind}"}
        yield _with_calls("call", f"{text} (result 0)", operation, file, places, codes)


def _with_calls(
    operator: str, after: str, operation: Operation, file: int, places: UnitPlaces, codes: dict[int, str]
) -> Change:
    change = Change(operator, after)
    for view, found in places.of(operation, file):
        calls = [index for index in found if view.steps[index].opcode in codes]
        change.add(view, (edit(view, index, index, assembled(codes[view.steps[index].opcode])) for index in calls))
    return change

"""Arithmetic that is done otherwise: another operator, or without the panics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from simulator.compile.syntax.operations import Operation
from simulator.evm.opcodes import OPCODES
from simulator.mutation.change import Change
from simulator.mutation.code_view import JUMP, CodeView
from simulator.mutation.editing import edit, redirect
from simulator.mutation.mutant import Edit, Routine
from simulator.mutation.places import UnitPlaces
from simulator.mutation.routines import assembled, number_type, opcode_of

_BYTES = {opcode.name: opcode.byte for opcode in OPCODES.values()}
_STATE = frozenset((_BYTES["SLOAD"], _BYTES["SSTORE"], _BYTES["CALL"], _BYTES["STATICCALL"]))
_OTHERS = {
    "+": ("-", "*"), "-": ("+", "*"), "*": ("/", "+"), "/": ("*", "%"), "%": ("/", "*"),
    "&": ("|", "^"), "|": ("&",), "^": ("|",), "<<": (">>",), ">>": ("<<",),
}  # fmt: skip
_SHIFTS = {"<<": ("SHL",), ">>": ("SHR", "SAR")}
_NUMBER = re.compile(rb"[\s(]*\d[\s\d_.()*+/%eExXa-fA-F-]*(wei|gwei|ether|seconds|minutes|hours|days|weeks)?[\s)]*")
_PANICS = frozenset("+-*")


def arithmetic_changes(operation: Operation, file: int, places: UnitPlaces, text: str) -> Iterator[Change]:
    """Other operators in place of one, `text` being the operation's."""
    if operation.kind == "increment":
        yield from _increment(operation, file, places, text)
        return
    compound = operation.kind == "assignment"
    operator = operation.operator.removesuffix("=") if compound else operation.operator
    if not operation.type or operator not in _OTHERS:
        return
    right = operation.parts[1]
    is_number = not compound and _NUMBER.fullmatch(text.encode()[right[0] - operation.start :][: right[1]]) is not None
    for other in _OTHERS[operator]:
        if is_number and operator in "+*" and other in "-/%" and _may_be_swapped(operation, file, places):
            continue
        change = Change("arithmetic", _with_operator(operation, text, operator, other))
        for view, found in places.of(operation, file):
            change.add(view, _edits(view, found, operation, operator, other))
        yield change
    if operation.checked and operator in _PANICS:
        change = Change("unchecked", f"unchecked({text})")
        for view, found in places.of(operation, file):
            routine = Routine(operator, operation.type, False)
            change.add(view, (redirect(view, index - 1, routine) for index in _helper_calls(view, found, operation)))
        yield change


def checks_a_constant(operation: Operation, file: int, view: CodeView) -> bool:
    """Return whether a checked operation is computed in place in this code. Its check was then made for the numbers
    that the compiler saw, and would not be that of another number."""
    operator = operation.operator.removesuffix("=")
    if not operation.checked or operator not in _PANICS | frozenset("/%"):
        return False
    found = view.steps_of(file, operation.start, operation.length)
    return bool(found) and not _helper_calls(view, found, operation)


def _may_be_swapped(operation: Operation, file: int, places: UnitPlaces) -> bool:
    """Return whether a number on the right may have become the first operand: solc's optimizer does that where the
    operator allows it, and evaluates the number last then."""
    (start, size), right = operation.parts
    for view, found in places.of(operation, file):
        numbers = view.steps_of(file, *right)
        for index in found:
            before = [number for number in numbers if number < index]
            if not before:
                return True
            between = range(max(before) + 1, index)
            sources = (view.steps[each].source for each in between)
            if not any(one.file == file and start <= one.start and one.end <= start + size for one in sources):
                return True
            break
    return False


def _with_operator(operation: Operation, text: str, operator: str, other: str) -> str:
    """The text with the operator between its two operands replaced; operands that bind less are put in brackets."""
    (left, left_size), (right, right_size) = operation.parts
    data = text.encode()
    begin, behind = left + left_size - operation.start, right - operation.start
    between = data[begin:behind].replace(operator.encode(), other.encode(), 1)
    first, second = data[:begin], data[behind : behind + right_size]
    if operation.kind == "arithmetic":
        first, second = _bracketed(first), _bracketed(second)
    return (first + between + second + data[behind + right_size :]).decode("utf-8", "replace")


def _bracketed(operand: bytes) -> bytes:
    depth = 0
    for character in operand:
        depth += (character in b"([") - (character in b")]")
        if depth == 0 and character in b"+-*/%&|^<>?":
            return b"(" + operand + b")"
    return operand


def _edits(view: CodeView, found: Sequence[int], operation: Operation, operator: str, other: str) -> list[Edit | None]:
    signed, bits = number_type(operation.type)
    if operator in _SHIFTS:
        names = [_BYTES[name] for name in _SHIFTS[operator]]
        new = _BYTES["SHL" if other == "<<" else ("SAR" if signed else "SHR")]
        return [
            edit(view, index, index, bytes([new]))
            for index in found
            if view.steps[index].opcode in names and bits == 256
        ]
    raw, new_name = opcode_of(operator, signed=signed), opcode_of(other, signed=signed)
    if raw is None or new_name is None:
        return []
    if operator in "&|^":
        # Those of fewer bits are masked with the same instructions.
        places = [index for index in found if view.steps[index].opcode == _BYTES[raw] and bits == 256]
        return [edit(view, index, index, assembled(new_name)) for index in places]
    calls = _helper_calls(view, found, operation)
    if calls:
        routine = Routine(other, operation.type, operation.checked)
        return [redirect(view, index - 1, routine) for index in calls]
    if operation.checked:
        return []  # What stands here is a part of the check.
    places = [index for index in found if view.steps[index].opcode == _BYTES[raw]]
    return [edit(view, index, index, assembled(new_name)) for index in places]


def _helper_calls(view: CodeView, found: Sequence[int], operation: Operation, arguments: int = 2) -> list[int]:
    """Indexes of the jumps to the helper that computes an operation."""
    operator = operation.operator.removesuffix("=")[:1]
    signed, _ = number_type(operation.type)
    name = opcode_of(operator, signed=signed)
    calls: list[int] = []
    for index in found:
        helper = view.helper_called_at(index) if view.steps[index].opcode == JUMP else None
        if helper is None or (helper.arguments, helper.results) != (arguments, 1) or helper.opcodes & _STATE:
            continue
        if name is not None and _BYTES[name] in helper.opcodes:
            calls.append(index)
    return calls


def _increment(operation: Operation, file: int, places: UnitPlaces, text: str) -> Iterator[Change]:
    if not operation.type:
        return
    other = "--" if operation.operator == "++" else "++"
    change = Change("arithmetic", text.replace(operation.operator, other))
    routine = Routine(f"{other[0]}1", operation.type, operation.checked)
    for view, found in places.of(operation, file):
        change.add(view, (redirect(view, index - 1, routine) for index in _helper_calls(view, found, operation, 1)))
    yield change

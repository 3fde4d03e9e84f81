"""Comparisons and branches that decide otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from simulator.compile.syntax.operations import Operation
from simulator.evm.opcodes import OPCODES
from simulator.mutation.change import Change
from simulator.mutation.code_view import PUSH0, PUSH32, CodeView
from simulator.mutation.editing import edit
from simulator.mutation.mutant import Edit
from simulator.mutation.places import Branch, UnitPlaces, clusters
from simulator.mutation.routines import assembled, number_type

_BYTES = {opcode.name: opcode.byte for opcode in OPCODES.values()}
_ISZERO, _EQ = _BYTES["ISZERO"], _BYTES["EQ"]
_OTHERS = {
    "<": ("<=", ">="), ">": (">=", "<="), "<=": ("<", ">"), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
}  # fmt: skip
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
_PLAIN = {"<": "LT", ">": "GT", "==": "EQ"}
_CALLER = re.compile(r"\b(msg\s*\.\s*sender|tx\s*\.\s*origin|_msgSender\s*\(\s*\))")


def comparison_changes(operation: Operation, file: int, places: UnitPlaces, text: str) -> Iterator[Change]:
    """Other comparisons in place of one; where the caller is compared, also an answer that suits everybody."""
    operator = operation.operator
    for other in _OTHERS[operator]:
        change = Change("comparison", _with_operator(operation, text, other))
        for view, found in places.of(operation, file):
            change.add(view, _edits(view, found, operation, other))
        yield change
    if operator in ("==", "!=") and _CALLER.search(text):
        change = Change("caller", "true" if operator == "==" else "false")
        for view, found in places.of(operation, file):
            # Both are computed by EQ, the second negated.
            equals = [index for index in found if view.steps[index].opcode == _EQ]
            change.add(view, (edit(view, index, index, assembled("POP POP 1")) for index in equals))
        yield change


def not_changes(operation: Operation, file: int, places: UnitPlaces, text: str) -> Iterator[Change]:
    """A negation left out."""
    begin = operation.parts[0][0] - operation.start
    change = Change("negation", text.encode()[begin:].decode("utf-8", "replace"))
    for view, found in places.of(operation, file):
        zeros = [index for index in found if view.steps[index].opcode == _ISZERO]
        change.add(view, (edit(view, copy[0], copy[0], b"") for copy in clusters(zeros)))
    yield change


def _with_operator(operation: Operation, text: str, other: str) -> str:
    (left, left_size), (right, _) = operation.parts
    data = text.encode()
    begin, end = left + left_size - operation.start, right - operation.start
    between = data[begin:end].replace(operation.operator.encode(), other.encode(), 1)
    return (data[:begin] + between + data[end:]).decode("utf-8", "replace")


def _edits(view: CodeView, found: Sequence[int], operation: Operation, other: str) -> list[Edit | None]:
    signed = bool(operation.type) and number_type(operation.type)[0]
    prefix = "S" if signed else ""
    # The instruction computes the operator, or what it is the negation of.
    negated = operation.operator not in _PLAIN
    plain = _NEGATED[operation.operator] if negated else operation.operator
    wanted = _NEGATED[other] if negated else other
    own = _BYTES[_instruction(plain, prefix)]
    swapped = _BYTES[_instruction(_MIRRORED[plain], prefix)]
    edits = []
    for index in found:
        opcode = view.steps[index].opcode
        if opcode == own:
            edits.append(edit(view, index, index, _computing(wanted, prefix)))
        elif opcode == swapped:
            edits.append(edit(view, index, index, _computing(_MIRRORED[wanted], prefix)))
    if edits or operation.operator != "==":
        return edits
    # Optimizers compare with zero in one instruction.
    zeros = [index for index in found if view.steps[index].opcode == _ISZERO]
    return [edit(view, zeros[0], zeros[0], assembled("ISZERO ISZERO"))] if len(zeros) == 1 else []


def _instruction(operator: str, prefix: str) -> str:
    name = _PLAIN[operator]
    return name if name == "EQ" else prefix + name


def _computing(operator: str, prefix: str) -> bytes:
    """The comparison of the two words on top."""
    if operator in _PLAIN:
        return assembled(_instruction(operator, prefix))
    return assembled(f"{_instruction(_NEGATED[operator], prefix)} ISZERO")


# --- branches --------------------------------------------------------------------------------------------------------


def branch_changes(
    operation: Operation, branches: Sequence[Branch], data: bytes, plain_conditions: set[tuple[int, int]]
) -> Iterator[Change]:
    """One side of a branch forced, or both exchanged. `data` is the source; conditions among `plain_conditions` have
    mutants of their own that exchange the sides."""
    condition = _slice(data, operation.parts[0])
    whole = data[operation.start : operation.start + operation.length]
    head = operation.start
    begin, size = operation.parts[0][0] - head, operation.parts[0][1]

    def with_condition(new: str) -> str:
        return (whole[:begin] + new.encode() + whole[begin + size :]).decode("utf-8", "replace")

    match operation.kind:
        case "logic":
            left, right = condition, _slice(data, operation.parts[1])
            other = "||" if operation.operator == "&&" else "&&"
            yield _forced("condition", left, branches, lambda one: _is_short_jump(operation, one))
            yield _forced("condition", right, branches, lambda one: not _is_short_jump(operation, one))
            yield _exchanged("condition", f"{left} {other} {right}", branches)
            return
        case "loop":
            yield _forced("condition", f"{condition} -> false", branches, lambda one: not one.jumps_when_true)
            return
        case "require":
            yield _forced("check", "(left out)", branches, lambda one: one.jumps_when_true)
        case _:
            yield _forced("condition", with_condition("true"), branches, lambda one: one.jumps_when_true)
            yield _forced("condition", with_condition("false"), branches, lambda one: not one.jumps_when_true)
    if operation.parts[0] not in plain_conditions:
        yield _exchanged("condition", with_condition(f"!({condition})"), branches)


def _slice(data: bytes, part: tuple[int, int]) -> str:
    return data[part[0] : part[0] + part[1]].decode("utf-8", "replace")


def _is_short_jump(operation: Operation, branch: Branch) -> bool:
    """Return whether the jump is what leaves the second operand out."""
    return branch.jumps_when_true == (operation.operator == "||")


def _forced(operator: str, after: str, branches: Sequence[Branch], jumps: Callable[[Branch], bool]) -> Change:
    change = Change(operator, after)
    for branch in branches:
        change.add(branch.view, [_force(branch, jump=jumps(branch))])
    return change


def _exchanged(operator: str, after: str, branches: Sequence[Branch]) -> Change:
    change = Change(operator, after)
    for branch in branches:
        pushed = _push_before(branch)
        jump = bytes([_ISZERO]) + pushed + bytes([_BYTES["JUMPI"]])
        change.add(branch.view, [edit(branch.view, branch.index - 1, branch.index, jump) if pushed else None])
    return change


def _force(branch: Branch, *, jump: bool) -> Edit | None:
    pushed = _push_before(branch)
    if not pushed:
        return None
    code = assembled("POP") + (pushed + bytes([_BYTES["JUMP"]]) if jump else b"")
    return edit(branch.view, branch.index - 1, branch.index, code)


def _push_before(branch: Branch) -> bytes:
    """The PUSH of the jump's destination; empty where that is not known."""
    step = branch.view.steps[branch.index - 1]
    if branch.index == 0 or not PUSH0 <= step.opcode <= PUSH32:
        return b""
    return branch.view.code[step.pc : step.end]

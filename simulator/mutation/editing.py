"""Edits of codes: made where there is room, and applied to the bytes of a deployed code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from simulator.mutation.code_view import HOOK_BYTES, CodeView
from simulator.mutation.mutant import Edit, Routine
from simulator.mutation.routines import assemble_routine, push

_JUMP, _JUMPDEST, _STOP, _PUSH1, _PUSH2 = 0x56, 0x5B, 0x00, 0x60, 0x61
_MAX_CODE = 0xFFFF
_GAP = 32
"""Bytes between a code and what is appended to it, so that no data of a last PUSH reaches that far."""


def edit(view: CodeView, first: int, last: int, code: bytes) -> Edit | None:
    """Put a code without jumps in place of the instructions from index `first` to `last`; what it lacks in room is
    taken from their neighbours, which go with it. None where that cannot be done."""
    steps = view.steps
    start, end = steps[first].pc, steps[last].end
    if len(code) > end - start:
        window = view.window(first, last)
        if window is None:
            return None
        low, high = steps[window[0]].pc, steps[window[1]].end
        start, end, code = low, high, view.code[low:start] + code + view.code[end:high]
    if any(at < end and start < at + size for at, size in view.holes):
        return None
    return Edit(start, end, code)


def edit_all(view: CodeView, codes: Mapping[int, bytes]) -> list[Edit | None]:
    """Put codes without jumps in place of instructions, by index; those of one block are one edit."""
    blocks: dict[tuple[int, int], list[int]] = {}
    for index in sorted(codes):
        blocks.setdefault(view.block_around(index), []).append(index)
    edits = []
    for indexes in blocks.values():
        steps = view.steps[indexes[0] : indexes[-1] + 1]
        parts = (codes.get(at, view.code[step.pc : step.end]) for at, step in enumerate(steps, indexes[0]))
        edits.append(edit(view, indexes[0], indexes[-1], b"".join(parts)))
    return edits


def redirect(view: CodeView, push_index: int, routine: Routine) -> Edit | None:
    """Let a PUSH of a function's address push that of a routine. None where the address would have no room."""
    step = view.steps[push_index]
    return Edit(step.pc, step.end, b"", routine) if step.end - step.pc > 2 else None


def fit(edits: Iterable[Edit | None]) -> tuple[Edit, ...] | None:
    """The edits in the order of their places; None where one could not be made, or two are in each other's way."""
    found: list[Edit] = []
    for each in edits:
        if each is None:
            return None
        found.append(each)
    ordered = sorted(set(found), key=lambda one: (one.start, one.end))
    if any(before.end > behind.start for before, behind in pairwise(ordered)):
        return None
    return tuple(ordered)


def apply_edits(code: bytes, edits: Sequence[Edit]) -> bytes | None:
    """The code with its edits; what has no room in place is appended. None where the code becomes too long."""
    changed = bytearray(code)
    tail = bytearray([_STOP] * _GAP)
    for each in edits:
        room, address = each.end - each.start, len(code) + len(tail)
        if each.routine is not None:
            tail += assemble_routine(each.routine, address)
            changed[each.start : each.end] = push(address, room - 1)
        elif len(each.code) <= room:
            changed[each.start : each.end] = each.code.ljust(room, bytes([_JUMPDEST]))
        else:
            back = each.start + HOOK_BYTES - 1
            hook = push(address, 2) + bytes([_JUMP])
            changed[each.start : each.end] = hook.ljust(room, bytes([_JUMPDEST]))
            tail += bytes([_JUMPDEST]) + each.code + push(back, 2) + bytes([_JUMP])
    if len(changed) != len(code) or len(code) + len(tail) > _MAX_CODE:
        return None
    return bytes(changed) if len(tail) == _GAP else bytes(changed + tail)

"""`require`s of the IR pipeline, whose jumps have no source of their own.

The pipeline moves the check into a helper: where the helper stays a function, the `require` is a jump into it and a
label behind that, reached when the check passed; where it was inlined, a jump with the range of the whole contract
follows the code of the condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from simulator.coverage.source_map import SourceRange
from simulator.coverage.source_text import SourceText

_JUMP, _JUMPI, _JUMPDEST = 0x56, 0x57, 0x5B
_STATEMENT = re.compile(rb"require\b")
_BEFORE = re.compile(rb"\brequire\s*\([\s!(]*$")
_BEHIND = re.compile(rb"[\s)]*[,;]")
_COMPARISON = re.compile(rb"[<>]|[=!]=|&&|\|\|")
_LOOK_BACK = 6
_MAX_HEAD_LENGTH = 80


@dataclass(frozen=True, slots=True)
class HiddenRequire:
    """`start` is the offset of the word `require` in the source `file`. An inlined check has the JUMPI at `jump`, and
    its condition at the offset `condition`; otherwise `call` is the jump into the helper and `passed` the label behind
    it."""

    file: int
    start: int
    jump: int | None = None
    condition: int = 0
    call: int = 0
    passed: int = 0


def find_hidden_requires(
    code: bytes, aligned: Sequence[tuple[int, SourceRange]], sources: Mapping[int, SourceText]
) -> Iterator[HiddenRequire]:
    """All of one code, in the order of its instructions; a function that was copied has its `require` several times."""
    for index, (pc, found) in enumerate(aligned):
        source = sources.get(found.file)
        if source is None:
            continue
        if code[pc] == _JUMPI:
            condition = _condition_before(code, aligned, index, source)
            start = _require_of(source.data, condition) if condition is not None else None
            if condition is not None and start is not None:
                yield HiddenRequire(found.file, start, jump=pc, condition=condition.start)
        elif code[pc] == _JUMP and _STATEMENT.match(source.data, found.start) and index + 1 < len(aligned):
            label, behind = aligned[index + 1]
            if code[label] == _JUMPDEST and behind[:3] == found[:3]:
                yield HiddenRequire(found.file, found.start, call=pc, passed=label)


def _condition_before(
    code: bytes, aligned: Sequence[tuple[int, SourceRange]], index: int, source: SourceText
) -> SourceRange | None:
    """Return the condition that was evaluated right before this jump, when the jump has no place in a function."""
    file = aligned[index][1].file
    if source.function_at(aligned[index][1].start) is not None:
        return None
    for pc, found in reversed(aligned[max(index - _LOOK_BACK, 0) : index]):
        if found.file == file and code[pc] != _JUMPDEST and source.function_at(found.start) is not None:
            return found
    return None


def _require_of(data: bytes, condition: SourceRange) -> int | None:
    """Offset of the `require` whose whole condition this is; a call as condition has jumps of its own and is none."""
    text = data[condition.start : condition.end]
    if not _BEHIND.match(data, condition.end) or (text.endswith(b")") and not _COMPARISON.search(text)):
        return None
    head_start = max(condition.start - _MAX_HEAD_LENGTH, 0)
    match = _BEFORE.search(data[head_start : condition.start])
    return head_start + match.start() if match else None

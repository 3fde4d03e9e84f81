"""Control flow at the ends of blocks: jumps, branches and the ends of frames."""

from __future__ import annotations

from typing import Protocol

from simulator.evm.compiled.blocks import DecodedInstruction
from simulator.evm.compiled.state import TranslatedState
from simulator.evm.compiled.text import Label
from simulator.evm.compiled.trace import COVERAGE, UNLIKELY, Trace
from simulator.evm.compiled.values import Value
from simulator.evm.kernel.feedback.failures import PANIC_SIZE
from simulator.evm.kernel.layout.helpers import Helpers
from simulator.evm.kernel.status import BAD_JUMP, INVALID_OPCODE, RETURN, REVERT, STOP, UNKNOWN_OPCODE

ENDS_OF_FRAMES = {"STOP": STOP, "RETURN": RETURN, "REVERT": REVERT}
FAILURES = {"INVALID": INVALID_OPCODE, "UNKNOWN": UNKNOWN_OPCODE}


class Paths(Protocol):
    """Targets of control flow from a trace."""

    def block_at(self, pc: int) -> int | None:
        """The block that a jump to a program counter enters."""

    def later(self, label: Label, state: TranslatedState, block: int) -> None:
        """Write a block at a label that something branches to."""

    def jump_anywhere(self, trace: Trace, destination: Value) -> None:
        """Jump to where a word says."""


def end_block(trace: Trace, paths: Paths, instruction: DecodedInstruction, following: int) -> int | None:
    """Write the last instruction of a block; the block that comes next when there is just one."""
    match instruction.handler:
        case "JUMP_STATIC":
            return _static(trace, instruction.target)
        case "JUMP":
            return _jump(trace, paths, trace.pop())
        case "JUMPI_STATIC":
            _branch(trace, paths, instruction, trace.pop(), following, instruction.target)
            return None
        case "JUMPI":
            destination, condition = trace.pop(), trace.pop()
            if destination.constant is None:
                trace.hand_over()
            else:
                _branch(trace, paths, instruction, condition, following, paths.block_at(destination.constant))
            return None
        case "NEXT_BLOCK" | "SSTORE":
            return following
        case "GAS":
            trace.push_i64(trace.state.gas)
            return following
        case "STOP" | "RETURN" | "REVERT":
            _end_frame(trace, instruction.handler)
        case "INVALID" | "UNKNOWN":
            trace.show_stack(trace.state)
            trace.fail(FAILURES[instruction.handler])
        case _:
            trace.hand_over()
    return None


def _static(trace: Trace, target: int | None) -> int | None:
    if target is None:
        trace.fail(BAD_JUMP)
    return target


def _jump(trace: Trace, paths: Paths, destination: Value) -> int | None:
    if destination.constant is not None:
        return _static(trace, paths.block_at(destination.constant))
    paths.jump_anywhere(trace, destination)
    return None


def _branch(
    trace: Trace,
    paths: Paths,
    instruction: DecodedInstruction,
    condition: Value,
    following: int,
    target: int | None,
) -> None:
    text, state = trace.text, trace.state
    taken, other = text.label("taken"), text.label("fall")
    text.choose(trace.bit_of(condition), taken, other)
    text.here = other
    count_side(trace, instruction.extra)
    paths.later(text.here, state.branch(), following)
    text.here = taken
    if target is None:
        trace.fail(BAD_JUMP)
    else:
        count_side(trace, instruction.extra + 8)
        paths.later(text.here, state.branch(), target)


def count_side(trace: Trace, offset: int) -> None:
    """Count a hit of one side of a JUMPI, which is the last one taken until the trace ends or takes another."""
    text = trace.text
    trace.state.side = offset
    cell = trace.let(f"getelementptr i8, ptr %cells, i64 {offset}")
    hits = trace.let(f"load i64, ptr {cell}, align 8{COVERAGE}")
    more = trace.let(f"add i64 {hits}, 1")
    text.do(f"store i64 {more}, ptr {cell}, align 8{COVERAGE}")
    first, after = text.label("first", cold=True), text.label("side")
    text.choose(trace.let(f"icmp eq i64 {hits}, 0"), first, after, UNLIKELY)
    text.here = first
    trace.call(Helpers.count_new, "ptr %c")
    text.branch(after)
    text.here = after


def count_block(trace: Trace, offset: int) -> None:
    """Count a hit of a block, and note the call depth."""
    text = trace.text
    cell = trace.let(f"getelementptr i8, ptr %cells, i64 {offset}")
    hits = trace.let(f"load i64, ptr {cell}, align 8{COVERAGE}")
    more = trace.let(f"add i64 {hits}, 1")
    text.do(f"store i64 {more}, ptr {cell}, align 8{COVERAGE}")
    seen = trace.let(f"and i64 {more}, %depth_bit")
    first, after = text.label("first", cold=True), text.label("counted")
    text.choose(trace.let(f"icmp eq i64 {seen}, 0"), first, after, UNLIKELY)
    text.here = first
    trace.call(Helpers.note_depth, f"ptr %c, ptr {cell}, i64 %depth_bit")
    text.branch(after)
    text.here = after


def _show_panic(trace: Trace, whole: TranslatedState, size: str) -> None:
    """The stack tells where a panic comes from; no other revert is asked."""
    text = trace.text
    panics, after = text.label("panics", cold=True), text.label("reverts")
    text.choose(trace.let(f"icmp eq i64 {size}, {PANIC_SIZE}"), panics, after, UNLIKELY)
    text.here = panics
    trace.show_stack(whole)
    text.branch(after)
    text.here = after


def _end_frame(trace: Trace, handler: str) -> None:
    if handler == "STOP":
        trace.finish(STOP, "%memory", "0")
        return
    whole = trace.state.copy()
    offset, size = trace.saturated(trace.pop()), trace.saturated(trace.pop())
    trace.touch(trace.add(offset, size), size)
    if handler == "REVERT":
        _show_panic(trace, whole, size)
    trace.finish(ENDS_OF_FRAMES[handler], trace.memory_at(offset), size)
